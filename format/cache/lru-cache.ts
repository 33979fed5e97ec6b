// A cache of the recently used values, limited by the sum of their costs: bytes, or 1 for each.

export class LruCache<K, V> {
  readonly #costMax: number
  /** The least recently used first. */
  readonly #entries = new Map<K, { readonly value: V; readonly cost: number }>()
  #cost = 0

  constructor(costMax: number) {
    this.#costMax = costMax
  }

  /** The sum of the costs of all values. */
  get cost(): number {
    return this.#cost
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Returns the evicted values; a value that costs more than the limit is one of them. */
  set(key: K, value: V, cost = 1): readonly V[] {
    this.delete(key)
    this.#entries.set(key, { value, cost })
    this.#cost += cost
    return this.shrinkTo(this.#costMax)
  }

  /** Returns the values that were evicted until the sum of costs is at most `cost`. */
  shrinkTo(cost: number): readonly V[] {
    const evicted: V[] = []
    for (const [oldest, entry] of this.#entries) {
      if (this.#cost <= cost) break
      this.delete(oldest)
      evicted.push(entry.value)
    }
    return evicted
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#cost -= entry.cost
  }

  /** Deletes the values for which `isUnused` returns true. */
  drop(isUnused: (value: V, key: K) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isUnused(value, key)) this.delete(key)
  }
}
