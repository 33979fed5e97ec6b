// One limit for caches of many segments. A cache for each segment alone would let memory grow with
// the number of segments, which is largest after an import.

export interface Clearable {
  /** Drops all entries. */
  clear(): void
}

export class SharedLimit {
  readonly #max: number
  #total = 0
  /** The size of each cache that is not empty; the one that grew least recently comes first. */
  readonly #sizes = new Map<Clearable, number>()

  /** `max`: of all caches together, in the caller's unit. A single cache may be larger. */
  constructor(max: number) {
    this.#max = max
  }

  get total(): number {
    return this.#total
  }

  /** Notes that a cache has grown, and clears others until all fit. */
  grew(cache: Clearable, by: number): void {
    const size = (this.#sizes.get(cache) ?? 0) + by
    this.#sizes.delete(cache)
    this.#sizes.set(cache, size)
    this.#total += by
    for (const oldest of this.#sizes.keys()) {
      if (this.#total <= this.#max || oldest === cache) return
      this.forget(oldest)
      oldest.clear()
    }
  }

  /** Notes that a cache is empty. */
  forget(cache: Clearable): void {
    this.#total -= this.#sizes.get(cache) ?? 0
    this.#sizes.delete(cache)
  }
}
