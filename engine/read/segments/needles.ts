// Finds which of many texts occur in a string of bytes, in one pass: the automaton of A. V. Aho and
// M. J. Corasick, Efficient string matching: an aid to bibliographic search, Communications of the
// ACM 18 (6), 1975. The needles are sorted, so that the trie is built breadth first: the children
// of a state are adjacent, ascending by byte. A state takes 25 bytes, a step two lookups on
// average.

const BYTE_VALUES = 256
/** Up to this many children of a state are compared one after another. */
const LINEAR_MAX = 6

export class Needles {
  /** Distinct needles in byte order. */
  readonly count: number
  readonly #sorted: readonly Uint8Array[]
  /** Position in `#sorted` by position in the list passed. */
  readonly #ranks: Uint32Array
  /** The child of the root by its byte; 0 for none. */
  readonly #root = new Uint32Array(BYTE_VALUES)
  /** The children of state s are the states [#first[s], #first[s + 1]). */
  readonly #first: Uint32Array
  /** The byte that leads to a state. */
  readonly #label: Uint8Array
  /** The state of the longest proper suffix that is a prefix of a needle. */
  readonly #fail: Uint32Array
  /** One more than the needle that ends at a state; 0 for none. */
  readonly #ends: Uint32Array
  /** The next state along `#fail` at which a needle ends; 0 for none. */
  readonly #output: Uint32Array

  /** `needles` must not be empty texts. The cost is their total length times its logarithm. */
  constructor(needles: readonly Uint8Array[]) {
    const order = needles.map((_, i) => i)
    order.sort((a, b) => Buffer.compare(needles[a]!, needles[b]!))
    const sorted: Uint8Array[] = []
    this.#ranks = new Uint32Array(needles.length)
    let bytes = 0
    for (const i of order) {
      const needle = needles[i]!
      const last = sorted[sorted.length - 1]
      if (last === undefined || Buffer.compare(last, needle) !== 0) {
        sorted.push(needle)
        bytes += needle.length
      }
      this.#ranks[i] = sorted.length - 1
    }
    this.#sorted = sorted
    this.count = sorted.length
    this.#first = new Uint32Array(bytes + 2)
    this.#label = new Uint8Array(bytes + 1)
    this.#fail = new Uint32Array(bytes + 1)
    this.#ends = new Uint32Array(bytes + 1)
    this.#output = new Uint32Array(bytes + 1)
    this.#build(bytes)
  }

  /** Returns the rank among the distinct needles of needle `i` of the list passed. */
  rankOf(i: number): number {
    return this.#ranks[i]!
  }

  /** Returns true if any needle occurs in bytes[0, length). */
  occursIn(bytes: Uint8Array, length: number): boolean {
    const ends = this.#ends
    const output = this.#output
    let state = 0
    for (let i = 0; i < length; i++) {
      state = this.#step(state, bytes[i]!)
      if (ends[state] !== 0 || output[state] !== 0) return true
    }
    return false
  }

  /**
   * Sets `seen[rank]` to `mark` for each needle that occurs in bytes[0, length), and calls `found`
   * with the ranks that had another mark.
   */
  collect(
    bytes: Uint8Array,
    length: number,
    seen: Uint32Array,
    mark: number,
    found: (rank: number) => void,
  ): void {
    let state = 0
    for (let i = 0; i < length; i++) {
      state = this.#step(state, bytes[i]!)
      let at = this.#ends[state] !== 0 ? state : this.#output[state]!
      for (; at !== 0; at = this.#output[at]!) {
        const rank = this.#ends[at]! - 1
        // Needles that end at suffixes of this state were reported together with it.
        if (seen[rank] === mark) break
        seen[rank] = mark
        found(rank)
      }
    }
  }

  #step(from: number, byte: number): number {
    let state = from
    while (state !== 0) {
      const next = this.#child(state, byte)
      if (next !== 0) return next
      state = this.#fail[state]!
    }
    return this.#root[byte]!
  }

  /** Returns the child of a state other than the root; 0 for none. */
  #child(state: number, byte: number): number {
    const label = this.#label
    let low = this.#first[state]!
    let high = this.#first[state + 1]!
    while (high - low > LINEAR_MAX) {
      const middle = (low + high) >>> 1
      if (label[middle]! < byte) low = middle + 1
      else high = middle + 1
    }
    for (; low < high; low++) if (label[low] === byte) return low
    return 0
  }

  /**
   * Builds states in breadth-first order; `low` and `high` are the range of needles through each.
   */
  #build(bytes: number): void {
    const low = new Uint32Array(bytes + 1)
    const high = new Uint32Array(bytes + 1)
    high[0] = this.count
    let states = 1
    let levelEnd = 1
    for (let state = 0, depth = 0; state < states; state++) {
      if (state === levelEnd) {
        depth++
        levelEnd = states
      }
      this.#first[state] = states
      const to = high[state]!
      // The needle that ends here precedes longer ones.
      let from = this.#ends[state] === 0 ? low[state]! : low[state]! + 1
      while (from < to) {
        const byte = this.#sorted[from]![depth]!
        low[states] = from
        while (from < to && this.#sorted[from]![depth] === byte) from++
        high[states] = from
        this.#label[states] = byte
        if (this.#sorted[low[states]!]!.length === depth + 1) this.#ends[states] = low[states]! + 1
        this.#link(state, states, byte)
        states++
      }
    }
    this.#first[states] = states
  }

  /** Shorter suffixes already have their children, because states are ordered by depth. */
  #link(parent: number, child: number, byte: number): void {
    if (parent === 0) {
      this.#root[byte] = child
      return
    }
    const fail = this.#step(this.#fail[parent]!, byte)
    this.#fail[child] = fail
    this.#output[child] = this.#ends[fail] !== 0 ? fail : this.#output[fail]!
  }
}
