// The places of a word that are counted already, so that one that several matches of the word share
// counts once.

/** Places of a match in some documents: the documents, and where those of each begin. */
export type Places = {
  readonly ids: Uint32Array
  readonly starts: Uint32Array
  readonly packed: Uint32Array
}

export class CountedPlaces {
  readonly #ids: Uint32Array
  /** Of document i of the ids: #packed[#starts[i], #starts[i + 1]), ascending. */
  #starts: Uint32Array
  #packed = new Uint32Array(0)

  /** `ids`: ascending; all places belong to them. */
  constructor(ids: Uint32Array) {
    this.#ids = ids
    this.#starts = new Uint32Array(ids.length + 1)
  }

  /** Returns the places that are not counted yet, and counts them. Places ascend in a document. */
  take({ ids, packed, starts }: Places): Places {
    const counted = new Uint32Array(this.#packed.length + packed.length)
    const countedStarts = new Uint32Array(this.#starts.length)
    const fresh = new Uint32Array(packed.length)
    const freshStarts = new Uint32Array(starts.length)
    let counts = 0
    let freshes = 0
    let d = 0
    for (let i = 0; i < this.#ids.length; i++) {
      let at = this.#starts[i]!
      const end = this.#starts[i + 1]!
      if (ids[d] === this.#ids[i]) {
        const to = starts[d + 1]!
        for (let p = starts[d]!; p < to; p++) {
          const place = packed[p]!
          while (at < end && this.#packed[at]! < place) counted[counts++] = this.#packed[at++]!
          if (this.#packed[at] === place && at < end) continue
          if (counts > countedStarts[i]! && counted[counts - 1] === place) continue
          counted[counts++] = place
          fresh[freshes++] = place
        }
        freshStarts[++d] = freshes
      }
      while (at < end) counted[counts++] = this.#packed[at++]!
      countedStarts[i + 1] = counts
    }
    this.#packed = counted.subarray(0, counts)
    this.#starts = countedStarts
    return { ids, starts: freshStarts, packed: fresh.subarray(0, freshes) }
  }
}
