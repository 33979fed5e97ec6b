// Collects the columns of one segment in memory and writes them. Documents are added in ascending
// order of ids; their fields and values are added by method calls. The caller decides which fields
// there are and how values are normalised.
//
// Memory: 8 bytes per value (document, interned value), the distinct strings twice (original,
// normalised) and about 25 bytes for each of them. No object is allocated per document or per
// value.
import { type ExactNumber, hasLarge, lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import {
  ByteInterner,
  compareSlices,
  DOCUMENT_IDS_MAX,
  exactOrder,
  FIELD_IDS_MAX,
  type FieldData,
  NumberInterner,
  type NumbersData,
  numberRows,
  type SegmentDocs,
  type SortedStrings,
  STRING_BYTES_MAX,
  type StringsData,
  sortedStrings,
  stringRows,
  Uint32List,
} from '../fields/index.ts'
import type { ByteSink } from '../frame/index.ts'
import type { DocId, FieldId } from '../ids.ts'
import { type ColumnsSummary, ColumnsWriter } from './columns-v1.ts'
import type { GeoData } from './geo-v1.ts'
import { ShapeBytes, type ShapePart, type ShapesData } from './shapes-v1.ts'

/**
 * Returns the normalised form of the string `bytes[from, to)`, at most `STRING_BYTES_MAX` bytes: a
 * view that the next call may overwrite. Must be a function of the bytes alone. Called once for
 * each distinct original of a segment.
 */
export type Normalise = (bytes: Uint8Array, from: number, to: number) => Uint8Array

/**
 * The collected content of one field. `…Docs` lists hold document ids; value lists are parallel to
 * them.
 */
type Field = {
  readonly exists: Uint32List
  readonly nulls: Uint32List
  readonly empties: Uint32List
  readonly blanks: Uint32List
  readonly numberDocs: Uint32List
  readonly numbers: Uint32List
  readonly stringDocs: Uint32List
  readonly strings: Uint32List
}

export class ColumnsBuilder {
  readonly #normalise: Normalise
  readonly #analysis: number
  readonly #docs = new Uint32List()
  readonly #fields: (Field | undefined)[] = []
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

  /** Number of documents added so far. */
  get docCount(): number {
    return this.#docs.length
  }

  /** Estimated memory in bytes. `finish` takes up to twice as much temporarily. */
  get memoryBytes(): number {
    let bytes = this.#docs.memoryBytes + this.#places.memoryBytes + this.#points.byteLength
    bytes += this.#numbers.memoryBytes + this.#originals.memoryBytes
    bytes += this.#shaped.memoryBytes + this.#shapeEnds.memoryBytes + this.#shapes.memoryBytes
    bytes += this.#normalised.memoryBytes + this.#normalisedOf.memoryBytes
    for (const field of this.#fields) {
      if (field === undefined) continue
      for (const list of Object.values(field)) bytes += list.memoryBytes
    }
    return bytes
  }

  /** Begins document `id`, which must be larger than all before. */
  begin(id: DocId): void {
    assert(id > this.#id, 'documents come in ascending order')
    assert(id < DOCUMENT_IDS_MAX, 'document ids stay below DOCUMENT_IDS_MAX')
    this.#id = id
    this.#docs.push(id)
  }

  /** The document has the field, with any value. */
  exists(fieldId: FieldId): void {
    this.#add(this.#field(fieldId).exists)
  }

  /** The field is null. */
  isNull(fieldId: FieldId): void {
    this.#add(this.#field(fieldId).nulls)
  }

  /** The field is an empty list, object or string. */
  isEmpty(fieldId: FieldId): void {
    this.#add(this.#field(fieldId).empties)
  }

  /** The document has a number in the field. Numbers that are not finite are ignored. */
  number(fieldId: FieldId, value: ExactNumber): void {
    const double = Number(value)
    if (!Number.isFinite(double)) return
    const residue = typeof value === 'bigint' ? Number(value - BigInt(double)) : 0
    const field = this.#field(fieldId)
    field.numberDocs.push(this.#id)
    field.numbers.push(this.#numbers.intern(double, residue))
  }

  /**
   * The document has the string `bytes[from, to)` (UTF-8) in the field. Of several originals with
   * the same normalised string the last is displayed. A string that normalises to nothing is a
   * blank, not a value.
   */
  string(fieldId: FieldId, bytes: Uint8Array, from = 0, to = bytes.length): void {
    const field = this.#field(fieldId)
    const original = this.#originals.intern(bytes, from, to)
    if (original === this.#normalisedOf.length) this.#normaliseNew(bytes, from, to)
    field.stringDocs.push(this.#id)
    field.strings.push(original)
  }

  /** The document has this place, in degrees. Only the first call per document counts. */
  geo(latitude: number, longitude: number): void {
    assert(Number.isFinite(latitude) && Number.isFinite(longitude), 'a place is two finite numbers')
    const at = this.#places.length * 2
    if (!this.#add(this.#places)) return
    if (at === this.#points.length) this.#points = lengthened(this.#points, at * 2)
    this.#points[at] = latitude
    this.#points[at + 1] = longitude
  }

  /** The document has this shape of one or more parts. At most one call per document. */
  shape(parts: readonly ShapePart[]): void {
    assert(this.#add(this.#shaped), 'a document has one shape')
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
    const strings = this.#sortStrings()
    for (let fieldId = 0; fieldId < this.#fields.length; fieldId++) {
      const field = this.#fields[fieldId]
      if (field !== undefined) writer.field(fieldData(fieldId, field, numbers, strings))
    }
    return writer.finish(this.#geoData(), this.#shapesData(), this.#analysis)
  }

  #field(fieldId: FieldId): Field {
    assert(this.#id >= 0, 'a document was begun')
    const existing = this.#fields[fieldId]
    if (existing !== undefined) return existing
    assert(fieldId >= 0 && fieldId < FIELD_IDS_MAX, 'a field id is a u16')
    const field: Field = {
      exists: new Uint32List(4),
      nulls: new Uint32List(1),
      empties: new Uint32List(1),
      blanks: new Uint32List(1),
      numberDocs: new Uint32List(4),
      numbers: new Uint32List(4),
      stringDocs: new Uint32List(4),
      strings: new Uint32List(4),
    }
    while (this.#fields.length < fieldId) this.#fields.push(undefined)
    this.#fields[fieldId] = field
    return field
  }

  /** Adds the current document to a set; returns false if it was there already. */
  #add(set: Uint32List): boolean {
    assert(this.#id >= 0, 'a document was begun')
    if (set.length > 0 && set.last === this.#id) return false
    set.push(this.#id)
    return true
  }

  #normaliseNew(bytes: Uint8Array, from: number, to: number): void {
    const normalised = this.#normalise(bytes, from, to)
    assert(normalised.length <= STRING_BYTES_MAX, 'normalising cuts at STRING_BYTES_MAX bytes')
    this.#normalisedOf.push(this.#normalised.intern(normalised, 0, normalised.length))
  }

  #sortStrings(): SortedStrings {
    const normalised = this.#normalised
    const count = normalised.count
    const starts = normalised.starts
    const order = sortedStrings(normalised.bytes, starts, starts.subarray(1), count)
    const ranks = new Uint32Array(count)
    for (let rank = 0; rank < count; rank++) ranks[order[rank]!] = rank
    const blank = count > 0 && starts[order[0]!] === starts[order[0]! + 1] ? 0 : -1
    return {
      normalised,
      originals: this.#originals,
      order,
      blank,
      ...sortedOriginals(this.#originals, this.#normalisedOf.view(), ranks),
    }
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

/** All distinct numbers of the segment in order, and the rank of each by its interned id. */
type SortedNumbers = {
  readonly values: Float64Array
  /** Null if all are 0. */
  readonly residues: Int16Array | null
  readonly ranks: Uint32Array
}

function sortedNumbers({ values: interned, residues }: NumberInterner): SortedNumbers {
  if (residues !== null) return sortedExactly(interned, residues)
  const values = interned.slice().sort()
  const sorted = new NumberInterner()
  for (let rank = 0; rank < values.length; rank++) sorted.intern(values[rank]!)
  const ranks = new Uint32Array(values.length)
  for (let id = 0; id < interned.length; id++) ranks[id] = sorted.intern(interned[id]!)
  return { values, residues: null, ranks }
}

function sortedExactly(values: Float64Array, residues: Int16Array): SortedNumbers {
  const order = exactOrder(values, residues)
  const ranks = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank
  return {
    values: Float64Array.from(order, (id) => values[id]!),
    residues: Int16Array.from(order, (id) => residues[id]!),
    ranks,
  }
}

/** Orders originals by the rank of their normalised string, then by their bytes. */
function sortedOriginals(
  originals: ByteInterner,
  normalisedOf: Uint32Array,
  ranks: Uint32Array,
): Pick<SortedStrings, 'variantRanks' | 'variantOrder' | 'normalisedRanks'> {
  const count = originals.count
  const next = new Uint32Array(ranks.length + 1)
  for (let o = 0; o < count; o++) next[ranks[normalisedOf[o]!]! + 1]!++
  for (let r = 0; r < ranks.length; r++) next[r + 1]! += next[r]!
  const ends = next.slice(1)
  const variantOrder = new Uint32Array(count)
  for (let o = 0; o < count; o++) variantOrder[next[ranks[normalisedOf[o]!]!]!++] = o
  const normalisedRanks = new Uint32Array(count)
  const { bytes, starts } = originals
  for (let rank = 0, from = 0; rank < ranks.length; rank++) {
    const to = ends[rank]!
    normalisedRanks.fill(rank, from, to)
    if (to - from > 1) {
      const group = variantOrder.subarray(from, to)
      group.sort((a, b) =>
        compareSlices(bytes, starts[a]!, starts[a + 1]!, bytes, starts[b]!, starts[b + 1]!),
      )
    }
    from = to
  }
  const variantRanks = new Uint32Array(count)
  for (let rank = 0; rank < count; rank++) variantRanks[variantOrder[rank]!] = rank
  return { variantRanks, variantOrder, normalisedRanks }
}

function fieldData(
  fieldId: FieldId,
  field: Field,
  numbers: SortedNumbers,
  strings: SortedStrings,
): FieldData {
  const blanks: Uint32List = field.blanks
  return {
    fieldId,
    exists: field.exists.view(),
    nulls: field.nulls.view(),
    empties: field.empties.view(),
    numbers: numbersOf(field, numbers),
    strings: stringsOf(field, strings, blanks),
    blanks: blanks.view(),
  }
}

function numbersOf(field: Field, sorted: SortedNumbers): NumbersData | null {
  if (field.numbers.length === 0) return null
  const { rows, used } = numberRows(field.numberDocs.view(), field.numbers.view(), sorted.ranks)
  const values = new Float64Array(used.length)
  for (let i = 0; i < used.length; i++) values[i] = sorted.values[used[i]!]!
  if (!hasLarge(values)) return { values, residues: null, rows }
  const residues = Int16Array.from(used, (rank) => sorted.residues?.[rank] ?? 0)
  return { values, residues, rows }
}

/**
 * Returns the strings of a field, or null without any. Adds the documents with a blank to `blanks`.
 */
function stringsOf(field: Field, sorted: SortedStrings, blanks: Uint32List): StringsData | null {
  const docs = field.stringDocs.view()
  const { rows, used } = stringRows(docs, field.strings.view(), sorted, blanks)
  if (used.length === 0) return null
  const normalisedOf = new Uint32Array(used.length)
  const textStarts = new Uint32Array(used.length)
  const textEnds = new Uint32Array(used.length)
  const keyStarts = new Uint32Array(used.length)
  const keyEnds = new Uint32Array(used.length)
  let count = 0
  let last = -1
  for (let v = 0; v < used.length; v++) {
    const original = sorted.variantOrder[used[v]!]!
    textStarts[v] = sorted.originals.starts[original]!
    textEnds[v] = sorted.originals.starts[original + 1]!
    const rank = sorted.normalisedRanks[used[v]!]!
    if (rank !== last) {
      const id = sorted.order[rank]!
      keyStarts[count] = sorted.normalised.starts[id]!
      keyEnds[count++] = sorted.normalised.starts[id + 1]!
      last = rank
    }
    normalisedOf[v] = count - 1
  }
  return {
    normalised: {
      bytes: sorted.normalised.bytes,
      starts: keyStarts.subarray(0, count),
      ends: keyEnds.subarray(0, count),
    },
    originals: { bytes: sorted.originals.bytes, starts: textStarts, ends: textEnds },
    normalisedOf,
    rows,
  }
}
