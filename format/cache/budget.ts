// One limit in bytes for several caches: any of them may use what the others leave.

export interface Shrinking {
  /** Approximate bytes of all entries. */
  readonly byteLength: number
  /** Removes entries until `bytes` are left. */
  shrinkTo(bytes: number): void
}

/** Removes entries of the largest caches until all of them fit. */
export function shrinkToFit(caches: readonly Shrinking[], bytesMax: number): void {
  let bytes = 0
  for (const cache of caches) bytes += cache.byteLength
  while (bytes > bytesMax) {
    const largest = caches.reduce((a, b) => (b.byteLength > a.byteLength ? b : a))
    const before = largest.byteLength
    largest.shrinkTo(Math.max(0, before - (bytes - bytesMax)))
    bytes -= before - largest.byteLength
  }
}

/** `Owner`: of cached bytes, for those who watch them. */
export class CacheBudget<Owner extends string, Cache extends Shrinking = Shrinking> {
  readonly #owners: Owner[] = []
  readonly caches: Cache[] = []
  bytesMax: number

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  add(owner: Owner, cache: Cache): void {
    this.#owners.push(owner)
    this.caches.push(cache)
  }

  /** Call it after an entry was added. */
  fit(): void {
    shrinkToFit(this.caches, this.bytesMax)
  }

  bytesOf(owner: Owner): number {
    return this.caches.reduce(
      (sum, { byteLength }, i) => sum + (this.#owners[i] === owner ? byteLength : 0),
      0,
    )
  }
}
