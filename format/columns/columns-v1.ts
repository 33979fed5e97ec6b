// The columns of one segment: a frame of kind COLS · layout: ./COLUMNS.md
//
//   DATA: a block per field · FLDS: documents and the table of blocks · GEOP: points, if any ·
//   SHAP: shapes, if any · ELEM: elements, if any · ANLY: version of the analysis, if known
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
import { type ElementSpace, ElementsWriter, readSpaces, type SpaceRows } from './elements-v1.ts'
import type { FieldReader } from './field-reader.ts'
import { ENTRY_BYTES, FieldTable } from './field-table.ts'
import { type GeoData, GeoReader, writeGeo } from './geo-v1.ts'
import { EXACT_SINCE } from './number-column.ts'
import { type ShapesData, ShapesReader, writeShapes } from './shapes-v1.ts'

export const COLUMNS_KIND = 'COLS'
const TABLE_HEADER_BYTES = 16
const ANALYSIS_BYTES = 4

/** Size of a written segment, in documents and bytes. */
export type ColumnsSummary = { readonly docCount: number; readonly bytes: number }

/** Writes a segment field by field, in order of field ids. */
export class ColumnsWriter {
  readonly #frame: FrameWriter
  readonly #docs: SegmentDocs
  readonly #docsTable = new ByteWriter(256)
  readonly #elements = new ElementsWriter()
  /** The documents or rows, and the table, that the next field belongs to. */
  #ids: SegmentDocs
  #table = this.#docsTable
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
    this.#ids = docs
    this.#frame = new FrameWriter(COLUMNS_KIND, sink)
    this.#frame.begin('DATA', 1)
  }

  /**
   * Begins a space of elements, to which the next fields belong. Spaces follow the fields of the
   * documents, in the order of COLUMNS.md.
   */
  space(rows: SpaceRows): void {
    const { rowCount } = rows
    this.#ids = {
      ids: Uint32Array.from({ length: rowCount }, (_, i) => i),
      first: 0,
      last: rowCount - 1,
    }
    this.#table = this.#elements.space(rows)
    this.#lastFieldId = -1
  }

  /**
   * Writes one field of the documents, or of the rows of the space that was begun last. The caller
   * omits fields that none of them has.
   */
  field(field: FieldData): void {
    assert(field.fieldId > this.#lastFieldId, 'fields are written in order')
    assert(field.fieldId < FIELD_IDS_MAX, 'a field id is a u16')
    this.#lastFieldId = field.fieldId
    if (field.numbers !== null && field.numbers.residues !== null) this.#isExact = true
    const at = this.#frame.sectionBytes
    const block = this.#block
    block.clear()
    const headLength = writeField(field, this.#ids, block)
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
    this.#frame.section('FLDS', 1, tableBytes(this.#docs, this.#docsTable.view()))
    if (geo !== null) this.#frame.section('GEOP', 1, writeGeo(geo, this.#docs))
    if (shapes !== null) this.#frame.section('SHAP', 1, writeShapes(shapes, this.#docs))
    const elements = this.#elements.finish(this.#docs.ids.length)
    if (elements !== null) this.#frame.section('ELEM', 1, elements)
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
  readonly #data: Section
  readonly #frame: Frame
  readonly #fields: FieldTable
  /** Offset in `FLDS` of the end of the table. */
  readonly #tableEnd: number
  #spaces: readonly ElementSpace[] | null = null
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
    const bounds: IdBounds = { first: this.firstId, last: this.lastId, count: this.docCount }
    const members = (): Members => this.members()
    const count = header.u32()
    this.#fields = new FieldTable(section, TABLE_HEADER_BYTES, count, this.#data, members, bounds)
    const tableEnd = TABLE_HEADER_BYTES + count * ENTRY_BYTES
    this.#tableEnd = tableEnd
    if (this.#isRun && section.length !== tableEnd) {
      refuse(section.tag, tableEnd, 'bad_length', tableEnd, section.length)
    }
  }

  /** Ids of the fields in the segment, ascending. */
  get fieldIds(): Uint16Array {
    return this.#fields.fieldIds
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
    return this.#fields.field(fieldId)
  }

  /**
   * Returns the spaces of elements, outer ones before inner ones; none if no document has an array
   * of objects. @throws CorruptionError
   */
  spaces(): readonly ElementSpace[] {
    if (this.#spaces !== null) return this.#spaces
    this.#spaces = this.#frame.has('ELEM')
      ? readSpaces(this, this.#frame.section('ELEM'), this.#data, this.members())
      : []
    return this.#spaces
  }

  /** Returns the spaces of the elements that are in no other element. */
  inner(): readonly ElementSpace[] {
    return this.spaces().filter(({ parent }) => parent === null)
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
    const at = this.#tableEnd
    const docs = decodeIdSet(section.read(at, section.length - at))
    if (docs.size !== this.docCount || docs.min !== this.firstId || docs.max !== this.lastId) {
      refuse(section.tag, at, 'bad_value', `${this.docCount} documents`, docs.size)
    }
    return docs
  }
}
