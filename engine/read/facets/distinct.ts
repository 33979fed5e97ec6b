// Documents that share a value of the distinct field. Numbers and normalized strings are values; so
// is the blank string for filterable fields, although no filter finds it. Sharing one of several
// values is enough.
import { decoder, exactText } from '../../../format/bytes/index.ts'
import type { FieldReader } from '../../../format/columns/index.ts'
import type { DocId, FieldId, ValueOrdinal } from '../../../format/ids.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { ColumnsSegment } from './segments.ts'

/**
 * Admits the first document of each value and all documents without a value. Remembers the values
 * of admitted documents, so a document costs a look-up instead of a union of postings.
 */
export class DistinctFilter {
  readonly #fields: readonly LiveField[]
  readonly #seen: SeenValues

  constructor(segments: readonly ColumnsSegment[], fieldId: FieldId, withBlanks = true) {
    this.#fields = liveFields(segments, fieldId)
    this.#seen = new SeenValues(this.#fields, withBlanks)
  }

  /**
   * Returns true if no admitted document shares a value with document `id`, and admits it.
   * @throws CorruptionError
   */
  admit(id: DocId): boolean {
    const home = homeOf(this.#fields, id)
    if (home < 0) return true
    if (this.#seen.has(home, id)) return false
    this.#seen.mark(home, id)
    return true
  }

  /** All live documents that share a value with an admitted one, including the admitted ones. */
  excluded(): IdSet {
    return this.#seen.documents()
  }
}

/** The values of documents as texts: equal values have equal texts, in this index and in others. */
export class DistinctValues {
  readonly #fields: readonly LiveField[]

  constructor(segments: readonly ColumnsSegment[], fieldId: FieldId) {
    this.#fields = liveFields(segments, fieldId)
  }

  /** @throws CorruptionError */
  of(id: DocId): readonly string[] {
    const home = homeOf(this.#fields, id)
    if (home < 0) return []
    const { field } = this.#fields[home]!
    const values: string[] = []
    for (const ordinal of field.numbersOf(id)) values.push(`#${exactText(field.numberAt(ordinal))}`)
    for (const variant of field.variantsOf(id)) {
      values.push(`=${decoder.decode(field.stringAt(field.normalisedOf(variant)))}`)
    }
    if (field.blanks().has(id)) values.push('=')
    return values
  }
}

/** The field in one segment, and the segment's live documents. */
type LiveField = {
  readonly field: FieldReader
  readonly segment: ColumnsSegment
  readonly docs: IdSet
}

function liveFields(segments: readonly ColumnsSegment[], fieldId: FieldId): LiveField[] {
  const fields: LiveField[] = []
  for (const segment of segments) {
    const field = segment.reader.field(fieldId)
    if (field !== null) fields.push({ field, segment, docs: segment.reader.docs() })
  }
  return fields
}

/** Returns the segment in which `id` is live, or -1 if that segment does not have the field. */
function homeOf(fields: readonly LiveField[], id: DocId): number {
  for (let f = 0; f < fields.length; f++) {
    const { segment, docs } = fields[f]!
    if (docs.has(id) && (segment.dead === null || !segment.dead.has(id))) return f
  }
  return -1
}

/**
 * The values seen so far, by ordinal in each segment; a new value is looked up in the other
 * segments when it is first seen.
 */
class SeenValues {
  readonly #fields: readonly LiveField[]
  readonly #numbers: readonly Uint8Array[]
  readonly #strings: readonly Uint8Array[]
  readonly #withBlanks: boolean
  #blank = false

  constructor(fields: readonly LiveField[], withBlanks = true) {
    this.#fields = fields
    this.#withBlanks = withBlanks
    this.#numbers = fields.map(({ field }) => new Uint8Array(field.numberCount))
    this.#strings = fields.map(({ field }) => new Uint8Array(field.stringCount))
  }

  /** Returns true if a value of document `id`, which is live in segment `home`, was seen. */
  has(home: number, id: DocId): boolean {
    const { field } = this.#fields[home]!
    const numbers = field.numbersOf(id)
    for (let i = 0; i < numbers.length; i++)
      if (this.#numbers[home]![numbers[i]!] === 1) return true
    const variants = field.variantsOf(id)
    for (let i = 0; i < variants.length; i++) {
      if (this.#strings[home]![field.normalisedOf(variants[i]!)] === 1) return true
    }
    return this.#blank && field.blanks().has(id)
  }

  /** Marks the values of document `id`, which is live in segment `home`, and has no seen value. */
  mark(home: number, id: DocId): void {
    const { field } = this.#fields[home]!
    const numbers = field.numbersOf(id)
    for (let i = 0; i < numbers.length; i++) this.#markNumber(home, numbers[i]!)
    const variants = field.variantsOf(id)
    for (let i = 0; i < variants.length; i++)
      this.#markString(home, field.normalisedOf(variants[i]!))
    if (this.#withBlanks && !this.#blank) this.#blank = field.blanks().has(id)
  }

  #markNumber(home: number, ordinal: ValueOrdinal): void {
    const value = this.#fields[home]!.field.numberAt(ordinal)
    for (let f = 0; f < this.#fields.length; f++) {
      const found = f === home ? ordinal : this.#fields[f]!.field.findNumber(value)
      if (found >= 0) this.#numbers[f]![found] = 1
    }
  }

  #markString(home: number, ordinal: ValueOrdinal): void {
    this.#strings[home]![ordinal] = 1
    if (this.#fields.length === 1) return
    const value = this.#fields[home]!.field.stringAt(ordinal)
    for (let f = 0; f < this.#fields.length; f++) {
      const found = f === home ? -1 : this.#fields[f]!.field.findString(value)
      if (found >= 0) this.#strings[f]![found] = 1
    }
  }

  /** All live documents with a value that was seen. */
  documents(): IdSet {
    return liveUnion(this.#fields, (field, union, f) => {
      addMarked(this.#numbers[f]!, (from, to) => field.addNumbers(from, to, union))
      addMarked(this.#strings[f]!, (from, to) => field.addStrings(from, to, union))
      if (this.#blank) union.addSet(field.blanks())
    })
  }
}

/** Unites the documents that `add` collects from each segment, without dead ones. */
function liveUnion(
  fields: readonly LiveField[],
  add: (field: FieldReader, union: IdUnion, index: number) => void,
): IdSet {
  let all = IdSet.empty
  for (const [index, { field, segment }] of fields.entries()) {
    const union = new IdUnion(segment.reader.lastId + 1)
    add(field, union, index)
    const found = union.take()
    all = all.or(segment.dead === null ? found : found.andNot(segment.dead))
  }
  return all
}

/** Calls `add` for each run of marked ordinals. */
function addMarked(marks: Uint8Array, add: (from: number, to: number) => void): void {
  let at = marks.indexOf(1)
  while (at >= 0) {
    let end = at + 1
    while (marks[end] === 1) end++
    add(at, end)
    at = marks.indexOf(1, end)
  }
}
