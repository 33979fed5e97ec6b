// The order in which a search reads lists, and where it stops · ./CODES.md "Lists"
//
// A product of the query with a row is that with the center of the row's list plus that with their
// difference. The second one varies around 0; its deviation, in units of the list's spread, is
// measured over the rows of the first lists.

/**
 * A list is left out if a row of it would have to lie this many deviations above the center to be
 * selected. With 3.5 the ten nearest of a million rows in clusters (96 dimensions) are found in
 * 99.8 % of cases, with 3 in 99.7 %; of sentences (MiniLM) in all cases, with 3 in 99.5 %.
 */
const DEVIATIONS = 3.5
/** Rows whose differences are measured. */
const MEASURED_MIN = 1000

export class ListOrder {
  readonly #products: Float32Array
  readonly #spreads: Float32Array
  readonly #wasRead: Uint8Array
  #sum = 0
  #measured = 0
  /** The remaining lists, the greatest bound last; null until enough is measured. */
  #left: { readonly lists: Uint32Array; readonly bounds: Float64Array } | null = null
  #leftCount = 0

  /** By list, the product of the query with its center, and the spread of its rows. */
  constructor(products: Float32Array, spreads: Float32Array) {
    this.#products = products
    this.#spreads = spreads
    this.#wasRead = new Uint8Array(products.length)
  }

  /** True if `measure` has to be called for all rows of a list. */
  get isMeasuring(): boolean {
    return this.#measured < MEASURED_MIN
  }

  /** Adds the product of the query with the difference between a row and its center. */
  measure(list: number, difference: number): void {
    const spread = this.#spreads[list]!
    if (spread === 0 || !Number.isFinite(spread) || Number.isNaN(difference)) return
    this.#sum += (difference / spread) ** 2
    this.#measured++
  }

  /**
   * Returns the next list to read, or -1 if no other one is likely to have a row whose product with
   * the query is above `least`. `least` never falls.
   */
  next(least: number): number {
    if (this.isMeasuring) return this.#nearest()
    const { lists, bounds } = (this.#left ??= this.#remaining(least))
    if (this.#leftCount === 0) return -1
    const list = lists[--this.#leftCount]!
    return bounds[list]! > least ? list : -1
  }

  /** Returns the list with the nearest center. */
  #nearest(): number {
    let best = -1
    for (let list = 0; list < this.#products.length; list++) {
      if (this.#wasRead[list] === 1) continue
      if (best < 0 || this.#products[list]! > this.#products[best]!) best = list
    }
    if (best >= 0) this.#wasRead[best] = 1
    return best
  }

  #remaining(least: number): { readonly lists: Uint32Array; readonly bounds: Float64Array } {
    const deviation = Math.sqrt(this.#sum / this.#measured)
    const bounds = Float64Array.from(this.#products, (product, list) => {
      const spread = this.#spreads[list]!
      // A list with rows that have no direction is always read.
      return Number.isFinite(spread) ? product + DEVIATIONS * deviation * spread : spread
    })
    const lists = Uint32Array.from(bounds.keys()).filter(
      (list) => this.#wasRead[list] === 0 && bounds[list]! > least,
    )
    lists.sort((a, b) => bounds[a]! - bounds[b]!)
    this.#leftCount = lists.length
    return { lists, bounds }
  }
}
