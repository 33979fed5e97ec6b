// How often a query word occurs in documents, each occurrence weighted by its kind, its field and
// the length of that field.
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { TermSpace } from '../query-graph/index.ts'
import type { Scope } from '../segment-text/index.ts'
import { CountedPlaces, type Places } from './counted-places.ts'
import { docsOf, type QueryWord, type WordMatch } from './query-words.ts'
import { averageOf, type Statistics } from './statistics.ts'

export type Parameters = {
  readonly k1: number
  readonly b: number
  /** The weight of a field; 0 if it is not searched. */
  readonly weightOf: (field: FieldId) => number
}

/** The weights of a field in a scope, and the discount for its length. */
type FieldNorm = { readonly weight: number; readonly base: number; readonly perWord: number }

/** No field has this index. */
const NO_SLOT = 0

export class Frequencies {
  readonly #space: TermSpace
  readonly #parameters: Parameters
  readonly #statistics: Statistics
  readonly #norms = new Map<FieldId, FieldNorm>()
  readonly #fields = new Map<WordMatch, readonly FieldId[]>()
  /** By field: one more than its index among the fields of the present match. */
  #slots = new Uint16Array(64)

  constructor(space: TermSpace, parameters: Parameters, statistics: Statistics) {
    this.#space = space
    this.#parameters = parameters
    this.#statistics = statistics
  }

  /**
   * Adds the frequencies of a word in ascending `ids`, which all have a match, to `out`. With
   * `plain`, fields count as if all were of average length.
   */
  add(word: QueryWord, ids: Uint32Array, out: Float64Array, plain = false): void {
    const counted = word.hasForms ? new CountedPlaces(ids) : null
    for (const match of word.matches) this.#addMatch(match, ids, counted, out, plain)
  }

  #addMatch(
    match: WordMatch,
    ids: Uint32Array,
    counted: CountedPlaces | null,
    out: Float64Array,
    plain: boolean,
  ): void {
    const docs = docsOf(match, this.#space)
    if (docs.isEmpty) return
    const own = docs.and(IdSet.ofSorted(ids)).toArray()
    if (own.length === 0) return
    const places = this.#placesOf(match, own)
    const found = counted === null ? places : counted.take(places)
    const fields = this.fieldsOf(match)
    const count = found.ids.length
    const norms = new Float64Array(fields.length * count)
    fields.forEach((field, slot) => {
      this.#readNorms(field, found.ids, plain, norms.subarray(slot * count, (slot + 1) * count))
    })
    this.#mark(fields, true)
    addPlaces(found, ids, { slots: this.#slots, norms, factor: match.factor }, out)
    this.#mark(fields, false)
  }

  #placesOf({ phrase, prefix, words }: WordMatch, ids: Uint32Array): Places {
    if (phrase !== null) return this.#space.phrasePlaces(phrase, ids)
    return { ids, ...this.#space.index.occurrences(words, prefix, ids) }
  }

  /** Returns the searched fields in which a match may stand and that have a weight. */
  fieldsOf(match: WordMatch): readonly FieldId[] {
    let fields = this.#fields.get(match)
    if (fields === undefined) this.#fields.set(match, (fields = this.#findFields(match)))
    return fields
  }

  #findFields({ phrase, prefix, scope, words }: WordMatch): FieldId[] {
    const { index } = this.#space
    let fields: Iterable<FieldId>
    if (phrase !== null) {
      const first = this.#space.phrasePart(phrase, 0)
      fields = index.fieldsOf(first.words)
      if (first.prefix !== null) fields = [...fields, ...index.prefixFields(first.prefix)]
    } else if (prefix !== null) fields = index.prefixFields(prefix)
    else fields = index.fieldsOf(words)
    const found: FieldId[] = []
    for (const field of fields) {
      const isCounted = isIn(scope, field) && this.#normOf(field).weight > 0
      if (isCounted && !found.includes(field)) found.push(field)
    }
    return found
  }

  #normOf(field: FieldId): FieldNorm {
    let norm = this.#norms.get(field)
    if (norm === undefined) {
      const { b, weightOf } = this.#parameters
      const average = averageOf(field, this.#statistics)
      norm = { weight: weightOf(field), base: 1 - b, perWord: b / average }
      this.#norms.set(field, norm)
    }
    return norm
  }

  #readNorms(field: FieldId, ids: Uint32Array, plain: boolean, out: Float64Array): void {
    const { base, perWord, weight } = this.#normOf(field)
    if (plain) {
      out.fill(weight)
      return
    }
    const lengths = new Uint16Array(ids.length)
    this.#space.index.fieldLengths(field, ids, lengths)
    for (let i = 0; i < ids.length; i++) {
      // A field of stop words alone has no length, and may have some of a query of stop words.
      const discount = base + perWord * lengths[i]!
      out[i] = discount > 0 ? weight / discount : weight
    }
  }

  #mark(fields: readonly FieldId[], isCounted: boolean): void {
    for (const [slot, field] of fields.entries()) {
      if (field >= this.#slots.length) {
        const longer = new Uint16Array(field * 2)
        longer.set(this.#slots)
        this.#slots = longer
      }
      this.#slots[field] = isCounted ? slot + 1 : NO_SLOT
    }
  }
}

/** Returns the part of a word's idf that a frequency is worth. */
export const saturated = (frequency: number, k1: number): number =>
  frequency === 0 ? 0 : frequency / (k1 + frequency)

const isIn = ({ fields }: Scope, field: FieldId): boolean =>
  fields === null || fields.includes(field)

type Norms = {
  readonly slots: Uint16Array
  /** By slot, then by document. */
  readonly norms: Float64Array
  readonly factor: number
}

/** Adds the norms of all places to the numbers of their documents, which are among ascending `ids`. */
function addPlaces(
  { ids: found, starts, packed }: Places,
  ids: Uint32Array,
  { slots, norms, factor }: Norms,
  out: Float64Array,
): void {
  const count = found.length
  let at = 0
  for (let d = 0; d < count; d++) {
    const id = found[d]!
    while (ids[at]! < id) at++
    let sum = 0
    const to = starts[d + 1]!
    for (let i = starts[d]!; i < to; i++) {
      const field = packed[i]! >>> 16
      const slot = field < slots.length ? slots[field]! : NO_SLOT
      if (slot !== NO_SLOT) sum += norms[(slot - 1) * count + d]!
    }
    out[at]! += factor * sum
  }
}
