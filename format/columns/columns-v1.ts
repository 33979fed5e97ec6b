// The columns of one segment: a frame of kind COLS · layout: ./COLUMNS.md
//
//   DATA: a block per field · FLDS: documents and the table of blocks · GEOP: points, if any ·
//   SHAP: shapes, if any · ANLY: version of the analysis, if known
//
// The table is written after the blocks, so a segment can be written field by field; a reader reads
// it first.
import { ByteReader, ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import {
  DATA_BYTES_MAX,
  DOCUMENT_IDS_MAX,
  FIELD_IDS_MAX,
  type FieldData,
  type IdBounds,
  Members,
  SEGMENT_DOCS_MAX,
  type SegmentDocs,
  writeField,
} from '../fields/index.ts'
import { type ByteSink, type Frame, FrameWriter, type Section } from '../frame/index.ts'
import type { FieldId } from '../ids.ts'
import { decodeIdSet, encodeIds, IdSet } from '../idset/index.ts'
import { FieldReader } from './field-reader.ts'
import { type GeoData, GeoReader, writeGeo } from './geo-v1.ts'
import { EXACT_SINCE } from './number-column.ts'
import { type ShapesData, ShapesReader, writeShapes } from './shapes-v1.ts'

export const COLUMNS_KIND = 'COLS'
const TABLE_HEADER_BYTES = 16
const ENTRY_BYTES = 12
const ANALYSIS_BYTES = 4

/** Size of a written segment, in documents and bytes. */
export type ColumnsSummary = { readonly docCount: number; readonly bytes: number }

/** Writes a segment field by field, in order of field ids. */
export class ColumnsWriter {
  readonly #frame: FrameWriter
  readonly #docs: SegmentDocs
  readonly #table = new ByteWriter(256)
  readonly #block = new ByteWriter(4096)
  #lastFieldId = -1
  #isExact = false

  constructor(docs: SegmentDocs, sink: ByteSink) {
    assert(docs.ids.length > 0, 'a segment has a document')
    assert(
      docs.first === docs.ids[0] && docs.last === docs.ids.at(-1),
      'bounds are those of the ids',
    )
    assert(docs.last - docs.first >= docs.ids.length - 1, 'document ids ascend')
    assert(docs.last < DOCUMENT_IDS_MAX, 'document ids stay below DOCUMENT_IDS_MAX')
    assert(
      docs.ids.length <= SEGMENT_DOCS_MAX,
      'a segment holds at most SEGMENT_DOCS_MAX documents',
    )
    this.#docs = docs
    this.#frame = new FrameWriter(COLUMNS_KIND, sink)
    this.#frame.begin('DATA', 1)
  }

  /** Writes one field. The caller omits fields that no document has. */
  field(field: FieldData): void {
    assert(field.fieldId > this.#lastFieldId, 'fields are written in order')
    assert(field.fieldId < FIELD_IDS_MAX, 'a field id is a u16')
    this.#lastFieldId = field.fieldId
    if (field.numbers !== null && field.numbers.residues !== null) this.#isExact = true
    const at = this.#frame.sectionBytes
    const block = this.#block
    block.clear()
    const headLength = writeField(field, this.#docs, block)
    this.#table.u16(field.fieldId)
    this.#table.u16(headLength)
    this.#table.u32(at)
    this.#table.u32(block.length)
    block.align(8)
    this.#frame.write(block.view())
    assert(
      this.#frame.sectionBytes <= DATA_BYTES_MAX,
      'the columns of a segment fit DATA_BYTES_MAX',
    )
  }

  /**
   * Ends the frame. `analysis`: version of the analysis that made the values, 0 if unknown.
   */
  finish(geo: GeoData | null, shapes: ShapesData | null, analysis: number): ColumnsSummary {
    this.#frame.end(this.#isExact ? EXACT_SINCE : 1)
    this.#frame.section('FLDS', 1, tableBytes(this.#docs, this.#table.view()))
    if (geo !== null) this.#frame.section('GEOP', 1, writeGeo(geo, this.#docs))
    if (shapes !== null) this.#frame.section('SHAP', 1, writeShapes(shapes, this.#docs))
    if (analysis !== 0) {
      const number = new ByteWriter(ANALYSIS_BYTES)
      number.u32(analysis)
      this.#frame.section('ANLY', 1, number.finish())
    }
    return { docCount: this.#docs.ids.length, bytes: this.#frame.finish() }
  }
}

function tableBytes(docs: SegmentDocs, table: Uint8Array): Uint8Array {
  const out = new ByteWriter(TABLE_HEADER_BYTES + table.length)
  out.u32(docs.ids.length)
  out.u32(docs.first)
  out.u32(docs.last)
  assert(table.length % ENTRY_BYTES === 0, 'the table has whole entries')
  out.u32(table.length / ENTRY_BYTES)
  out.bytes(table)
  const isRun = docs.last - docs.first + 1 === docs.ids.length
  if (!isRun) out.bytes(encodeIds(docs.ids))
  return out.finish()
}

/**
 * Returns the version of the analysis that made the values of a columns frame, or 0 if the frame
 * does not record it.
 * @throws CorruptionError, VersionError
 */
export function columnsAnalysis(frame: Frame): number {
  if (!frame.has('ANLY')) return 0
  const section = frame.section('ANLY')
  if (section.length !== ANALYSIS_BYTES) {
    refuse(section.tag, 0, 'bad_length', ANALYSIS_BYTES, section.length)
  }
  const analysis = new ByteReader(section.all(), section.tag).u32()
  if (analysis === 0) refuse(section.tag, 0, 'bad_value', 'at least 1', analysis)
  return analysis
}

/** Reads the columns of one segment in place. */
export class ColumnsReader {
  readonly docCount: number
  /** The smallest document id. */
  readonly firstId: number
  /** The largest document id. */
  readonly lastId: number
  /** Ids of the fields in the segment, ascending. */
  readonly fieldIds: Uint16Array
  readonly #data: Section
  readonly #table: Uint8Array
  readonly #bounds: IdBounds
  readonly #frame: Frame
  readonly #fields = new Map<number, FieldReader>()
  #docs: Members | null = null
  #geo: GeoReader | null = null
  #shapes: ShapesReader | null = null

  private constructor(frame: Frame) {
    const section = frame.section('FLDS')
    const header = new ByteReader(section.read(0, TABLE_HEADER_BYTES), section.tag)
    this.#frame = frame
    this.#data = frame.section('DATA', 1, EXACT_SINCE)
    this.docCount = header.u32()
    this.firstId = header.u32()
    this.lastId = header.u32()
    const most = Math.min(this.lastId - this.firstId + 1, SEGMENT_DOCS_MAX)
    if (this.docCount === 0 || this.docCount > most || this.lastId >= DOCUMENT_IDS_MAX) {
      refuse(section.tag, 0, 'bad_value', `1..${most} documents`, this.docCount)
    }
    this.#bounds = { first: this.firstId, last: this.lastId, count: this.docCount }
    const count = header.u32()
    this.#table = section.read(TABLE_HEADER_BYTES, count * ENTRY_BYTES)
    this.fieldIds = fieldIdsOf(this.#table, section)
    const tableEnd = TABLE_HEADER_BYTES + this.#table.length
    if (this.#isRun && section.length !== tableEnd) {
      refuse(section.tag, tableEnd, 'bad_length', tableEnd, section.length)
    }
  }

  /** Opens a frame; reads only the table of fields. @throws CorruptionError, VersionError */
  static open(frame: Frame): ColumnsReader {
    return new ColumnsReader(frame)
  }

  /** Version of the analysis that made the values; 0 if the segment does not record it. */
  get analysis(): number {
    return columnsAnalysis(this.#frame)
  }

  /** Returns true if a field has a large number. Reads the ends of its numbers. */
  hasLargeNumbers(): boolean {
    return this.fieldIds.some((id) => this.field(id)?.numbers?.hasLarge() === true)
  }

  /** Returns true if a field has a string of at least `bytesMin` bytes. Reads long blocks of strings. */
  hasStringOf(bytesMin: number): boolean {
    return this.fieldIds.some((id) => this.field(id)?.strings?.dictionary.hasOf(bytesMin) === true)
  }

  /** Returns the documents of the segment, with ranks. */
  members(): Members {
    this.#docs ??= new Members(this.#readDocs())
    return this.#docs
  }

  /** Returns the documents of the segment. */
  docs(): IdSet {
    return this.members().set
  }

  /**
   * Returns the column of a field, or null if no document of the segment has the field. @throws
   * CorruptionError
   */
  field(fieldId: FieldId): FieldReader | null {
    const cached = this.#fields.get(fieldId)
    if (cached !== undefined) return cached
    const index = indexOf(this.fieldIds, fieldId)
    if (index < 0) return null
    const entry = new ByteReader(this.#table, 'FLDS', index * ENTRY_BYTES + 2)
    const place = { headLength: entry.u16(), at: entry.u32(), length: entry.u32() }
    if (place.at % 8 !== 0 || place.headLength > place.length) {
      refuse('FLDS', index * ENTRY_BYTES, 'bad_value', 'a block', place.at)
    }
    if (place.at + place.length > this.#data.length) {
      refuse('FLDS', index * ENTRY_BYTES, 'bad_length', this.#data.length, place.at + place.length)
    }
    const field = new FieldReader(fieldId, this.#data, place, this.members(), this.#bounds)
    this.#fields.set(fieldId, field)
    return field
  }

  /** Returns the points of the segment, or null if no document has one. @throws CorruptionError */
  geo(): GeoReader | null {
    if (this.#geo !== null) return this.#geo
    if (!this.#frame.has('GEOP')) return null
    this.#geo = new GeoReader(this.#frame.section('GEOP'), this.members())
    return this.#geo
  }

  /** Returns the shapes of the segment, or null if no document has one. @throws CorruptionError */
  shapes(): ShapesReader | null {
    if (this.#shapes !== null) return this.#shapes
    if (!this.#frame.has('SHAP')) return null
    this.#shapes = new ShapesReader(this.#frame.section('SHAP'), this.members())
    return this.#shapes
  }

  /** True if the ids have no gaps. */
  get #isRun(): boolean {
    return this.docCount === this.lastId - this.firstId + 1
  }

  #readDocs(): IdSet {
    if (this.#isRun) return IdSet.range(this.firstId, this.lastId + 1)
    const section = this.#frame.section('FLDS')
    const at = TABLE_HEADER_BYTES + this.#table.length
    const docs = decodeIdSet(section.read(at, section.length - at))
    if (docs.size !== this.docCount || docs.min !== this.firstId || docs.max !== this.lastId) {
      refuse(section.tag, at, 'bad_value', `${this.docCount} documents`, docs.size)
    }
    return docs
  }
}

function fieldIdsOf(table: Uint8Array, section: Section): Uint16Array {
  const ids = new Uint16Array(table.length / ENTRY_BYTES)
  let last = -1
  for (let i = 0; i < ids.length; i++) {
    const id = table[i * ENTRY_BYTES]! | (table[i * ENTRY_BYTES + 1]! << 8)
    if (id <= last) refuse(section.tag, i * ENTRY_BYTES, 'bad_order', `more than ${last}`, id)
    ids[i] = id
    last = id
  }
  return ids
}

function indexOf(ids: Uint16Array, id: FieldId): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low < ids.length && ids[low] === id ? low : -1
}
