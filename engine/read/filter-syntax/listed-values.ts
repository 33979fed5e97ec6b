// The values of an `IN` list: two offsets into the text for each, and a separate text only for
// values with escapes. A value takes eight bytes this way, not an object.

const CAPACITY = 8

/** The members of a token that are used. */
type ValueToken = {
  readonly source: string
  readonly from: number
  readonly to: number
  readonly text: string
}

export class ListedValues implements Iterable<string> {
  /** The expression that all values were read from; empty before the first one. */
  #source = ''
  /** Start and end of value i: [2i, 2i + 1]. */
  #places = new Int32Array(2 * CAPACITY)
  /** Position in the list → the text, if it differs from the source. */
  #unescaped: Map<number, string> | null = null
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds a token of the same expression as the others. */
  add({ source, from, to, text }: ValueToken): void {
    const at = 2 * this.#length
    if (at === this.#places.length) {
      const longer = new Int32Array(2 * at)
      longer.set(this.#places)
      this.#places = longer
    }
    this.#source = source
    this.#places[at] = from
    this.#places[at + 1] = to
    // An escape is longer than its character, so lengths differ exactly if there are escapes.
    if (text.length !== to - from) {
      this.#unescaped ??= new Map()
      this.#unescaped.set(this.#length, text)
    }
    this.#length++
  }

  text(i: number): string {
    const unescaped = this.#unescaped?.get(i)
    if (unescaped !== undefined) return unescaped
    return this.#source.slice(this.#places[2 * i], this.#places[2 * i + 1])
  }

  *[Symbol.iterator](): Generator<string> {
    for (let i = 0; i < this.#length; i++) yield this.text(i)
  }
}
