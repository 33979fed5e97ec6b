// Collects the columns of one segment in memory and writes them. Documents are added in ascending
// order of ids; their fields and values are added by method calls. The caller decides which fields
// there are and how values are normalised.
//
// Memory: 8 bytes per value (document, interned value), as much for each element that it is in, the
// distinct strings twice (original, normalised) and about 25 bytes for each of them. No object is allocated per document or per
// value.
import { type ExactNumber, lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import {
  ByteInterner,
  DOCUMENT_IDS_MAX,
  NumberInterner,
  type SegmentDocs,
  STRING_BYTES_MAX,
  Uint32List,
} from '../fields/index.ts'
import type { ByteSink } from '../frame/index.ts'
import type { DocId, FieldId } from '../ids.ts'
import { type ColumnsSummary, ColumnsWriter } from './columns-v1.ts'
import { ElementRows } from './element-rows.ts'
import {
  addOnce,
  type FieldList,
  FieldLists,
  sortedNumbers,
  sortedStringsOf,
} from './field-lists.ts'
import type { GeoData } from './geo-v1.ts'
import { ShapeBytes, type ShapePart, type ShapesData } from './shapes-v1.ts'

/**
 * Returns the normalised form of the string `bytes[from, to)`, at most `STRING_BYTES_MAX` bytes: a
 * view that the next call may overwrite. Must be a function of the bytes alone. Called once for
 * each distinct original of a segment.
 */
export type Normalise = (bytes: Uint8Array, from: number, to: number) => Uint8Array

export class ColumnsBuilder {
  readonly #normalise: Normalise
  readonly #analysis: number
  readonly #docs = new Uint32List()
  readonly #fields = new FieldLists()
  readonly #elements = new ElementRows()
  readonly #numbers = new NumberInterner()
  readonly #originals = new ByteInterner()
  readonly #normalised = new ByteInterner()
  /** By original id: id of its normalised string. */
  readonly #normalisedOf = new Uint32List()
  readonly #places = new Uint32List()
  #points = new Float64Array(16)
  readonly #shaped = new Uint32List(1)
  readonly #shapeEnds = new Uint32List(1)
  readonly #shapes = new ShapeBytes()
  #id = -1
  #finished = false

  /** `analysis`: version of the analysis that `normalise` belongs to, 0 if unknown. */
  constructor(normalise: Normalise, analysis = 0) {
    this.#normalise = normalise
    this.#analysis = analysis
  }

  /** Begins document `id`, which must be larger than all before. */
  begin(id: DocId): void {
    assert(id > this.#id, 'documents come in ascending order')
    assert(id < DOCUMENT_IDS_MAX, 'document ids stay below DOCUMENT_IDS_MAX')
    this.#id = id
    this.#docs.push(id)
  }

  /**
   * The values that follow are those of an object in an array at `path`, an element, until `leave`.
   * They are values of the document as well, and of the elements around it.
   */
  enter(path: FieldId): void {
    assert(this.#id >= 0, 'a document was begun')
    this.#elements.enter(path)
  }

  leave(): void {
    this.#elements.leave()
  }

  /** The document has the field, with any value. */
  exists(fieldId: FieldId): void {
    addOnce(this.#field(fieldId).exists, this.#id)
    for (let level = 0; level < this.#elements.depth; level++) {
      const { lists, row } = this.#elements.at(level, this.#id)
      addOnce(lists.of(fieldId).exists, row)
    }
  }

  /** The field is null. */
  isNull(fieldId: FieldId): void {
    addOnce(this.#field(fieldId).nulls, this.#id)
    for (let level = 0; level < this.#elements.depth; level++) {
      const { lists, row } = this.#elements.at(level, this.#id)
      addOnce(lists.of(fieldId).nulls, row)
    }
  }

  /** The field is an empty list, object or string. */
  isEmpty(fieldId: FieldId): void {
    addOnce(this.#field(fieldId).empties, this.#id)
    for (let level = 0; level < this.#elements.depth; level++) {
      const { lists, row } = this.#elements.at(level, this.#id)
      addOnce(lists.of(fieldId).empties, row)
    }
  }

  /** The document has a number in the field. Numbers that are not finite are ignored. */
  number(fieldId: FieldId, value: ExactNumber): void {
    const double = Number(value)
    if (!Number.isFinite(double)) return
    const residue = typeof value === 'bigint' ? Number(value - BigInt(double)) : 0
    const number = this.#numbers.intern(double, residue)
    addNumber(this.#field(fieldId), this.#id, number)
    for (let level = 0; level < this.#elements.depth; level++) {
      const { lists, row } = this.#elements.at(level, this.#id)
      addNumber(lists.of(fieldId), row, number)
    }
  }

  /**
   * The document has the string `bytes[from, to)` (UTF-8) in the field. Of several originals with
   * the same normalised string the last is displayed. A string that normalises to nothing is a
   * blank, not a value.
   */
  string(fieldId: FieldId, bytes: Uint8Array, from = 0, to = bytes.length): void {
    const original = this.#originals.intern(bytes, from, to)
    if (original === this.#normalisedOf.length) this.#normaliseNew(bytes, from, to)
    addString(this.#field(fieldId), this.#id, original)
    for (let level = 0; level < this.#elements.depth; level++) {
      const { lists, row } = this.#elements.at(level, this.#id)
      addString(lists.of(fieldId), row, original)
    }
  }

  /** The document has this place, in degrees. Only the first call per document counts. */
  geo(latitude: number, longitude: number): void {
    assert(Number.isFinite(latitude) && Number.isFinite(longitude), 'a place is two finite numbers')
    const at = this.#places.length * 2
    assert(this.#id >= 0, 'a document was begun')
    if (!addOnce(this.#places, this.#id)) return
    if (at === this.#points.length) this.#points = lengthened(this.#points, at * 2)
    this.#points[at] = latitude
    this.#points[at + 1] = longitude
  }

  /** The document has this shape of one or more parts. At most one call per document. */
  shape(parts: readonly ShapePart[]): void {
    assert(this.#id >= 0, 'a document was begun')
    assert(addOnce(this.#shaped, this.#id), 'a document has one shape')
    this.#shapes.add(parts)
    this.#shapeEnds.push(this.#shapes.length)
  }

  /** Writes the segment and ends the builder. At least one document must have been begun. */
  finish(sink: ByteSink): ColumnsSummary {
    assert(!this.#finished, 'a builder is finished once')
    this.#finished = true
    const ids = this.#docs.view()
    assert(ids.length > 0, 'a segment has a document')
    const docs: SegmentDocs = { ids, first: ids[0]!, last: ids[ids.length - 1]! }
    const writer = new ColumnsWriter(docs, sink)
    const numbers = sortedNumbers(this.#numbers)
    const normalisedOf = this.#normalisedOf.view()
    const strings = sortedStringsOf(this.#originals, this.#normalised, normalisedOf)
    for (const field of this.#fields.data(numbers, strings)) writer.field(field)
    for (const { space, parent } of this.#elements.spaces()) {
      writer.space(space.rows(parent))
      for (const field of space.lists.data(numbers, strings)) writer.field(field)
    }
    return writer.finish(this.#geoData(), this.#shapesData(), this.#analysis)
  }

  #field(fieldId: FieldId): FieldList {
    assert(this.#id >= 0, 'a document was begun')
    return this.#fields.of(fieldId)
  }

  #normaliseNew(bytes: Uint8Array, from: number, to: number): void {
    const normalised = this.#normalise(bytes, from, to)
    assert(normalised.length <= STRING_BYTES_MAX, 'normalising cuts at STRING_BYTES_MAX bytes')
    this.#normalisedOf.push(this.#normalised.intern(normalised, 0, normalised.length))
  }

  #geoData(): GeoData | null {
    const ids = this.#places.view()
    return ids.length === 0 ? null : { ids, points: this.#points.subarray(0, ids.length * 2) }
  }

  #shapesData(): ShapesData | null {
    const ids = this.#shaped.view()
    if (ids.length === 0) return null
    return { ids, ends: this.#shapeEnds.view(), bytes: this.#shapes.view() }
  }
}

function addNumber({ numberDocs, numbers }: FieldList, id: number, number: number): void {
  numberDocs.push(id)
  numbers.push(number)
}

function addString({ stringDocs, strings }: FieldList, id: number, original: number): void {
  stringDocs.push(id)
  strings.push(original)
}
