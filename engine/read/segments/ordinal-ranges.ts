// Collects ranges of ordinals, in any order and possibly overlapping, and merges them. Merged
// ranges are longer, so that the levels above postings can be used.

export class OrdinalRanges {
  readonly #from: number[] = []
  readonly #to: number[] = []
  #isAscending = true

  /** Adds [from, to). */
  add(from: number, to: number): void {
    if (from >= to) return
    const last = this.#from.length - 1
    if (last >= 0 && from < this.#from[last]!) this.#isAscending = false
    this.#from.push(from)
    this.#to.push(to)
  }

  /** Calls `take` with ascending ranges that do not touch and cover the same ordinals. */
  merged(take: (from: number, to: number) => void): void {
    const count = this.#from.length
    if (count === 0) return
    const order = this.#order()
    let from = this.#from[order[0]!]!
    let to = this.#to[order[0]!]!
    for (let i = 1; i < count; i++) {
      const next = order[i]!
      if (this.#from[next]! > to) {
        take(from, to)
        from = this.#from[next]!
      }
      to = Math.max(to, this.#to[next]!)
    }
    take(from, to)
  }

  #order(): Uint32Array {
    const from = this.#from
    const order = Uint32Array.from(from.keys())
    return this.#isAscending ? order : order.sort((a, b) => from[a]! - from[b]!)
  }
}
