// The strings of a field: normalised values by ordinal, documents by value, variants by document.
//
// A variant is an original of a normalised value. Rows hold variants, so the display form of a
// value in a document can be returned without reading the stored document; everything else uses the
// normalised ordinal.

import {
  Dictionary,
  type FieldSets,
  type IdBounds,
  Originals,
  type PartReader,
  Postings,
  Rows,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { DocId, ValueOrdinal } from '../ids.ts'

export class StringColumn {
  /** Number of distinct normalised values. */
  readonly count: number
  readonly dictionary: Dictionary
  readonly originals: Originals
  readonly postings: Postings
  /** Rows of variants. */
  readonly rows: Rows
  #normalised: Uint32Array | null = null

  constructor(
    section: Section,
    count: number,
    bounds: IdBounds,
    sets: FieldSets,
    reader: PartReader,
  ) {
    this.count = count
    this.dictionary = new Dictionary(section, count, reader)
    this.originals = new Originals(section, count, reader)
    const holders = () => sets.members('strings')
    this.rows = new Rows(section, this.originals.count, bounds.count, holders, reader)
    this.postings = Postings.open(section, count, bounds, () => sets.get('strings'), reader)
  }

  /** Returns the original text of `variant`; a copy. */
  originalOf(variant: number): Uint8Array {
    const normalised = this.dictionary.get(this.originals.normalisedOf(variant))
    return this.originals.restore(variant, normalised)
  }

  /** Returns true if value `ordinal` has one original in all documents. */
  isSingle(ordinal: ValueOrdinal): boolean {
    const { originals } = this
    if (originals.areSingle) return true
    const first = originals.firstVariant(ordinal)
    return first + 1 === originals.count || originals.normalisedOf(first + 1) !== ordinal
  }

  /**
   * Returns the variant of value `ordinal` in document `id`, or -1 if the document does not have
   * the value. O(log) in the values of the document.
   */
  variantIn(id: DocId, ordinal: ValueOrdinal): number {
    const first = this.originals.firstVariant(ordinal)
    const variants = this.rows.of(id)
    let low = 0
    let high = variants.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (variants[middle]! < first) low = middle + 1
      else high = middle
    }
    if (low === variants.length) return -1
    const variant = variants[low]!
    return this.originals.normalisedOf(variant) === ordinal ? variant : -1
  }

  /**
   * Returns the normalised ordinal by variant, or null if the two are equal. Computed on first use:
   * 4 bytes per variant, only for fields with values written in several ways.
   */
  normalisedTable(): Uint32Array | null {
    if (this.originals.areSingle) return null
    if (this.#normalised !== null) return this.#normalised
    const further = this.originals.further()
    const table = new Uint32Array(this.originals.count)
    let skipped = 0
    for (let v = 0; v < table.length; v++) {
      if (further[skipped] === v) skipped++
      table[v] = v - skipped
    }
    this.#normalised = table
    return table
  }
}
