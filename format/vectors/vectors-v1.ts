// The vectors of one segment: a frame of kind VECT · layout: ./VECTORS.md
//
//   ROWS: vectors, embedder by embedder · EMBS: the embedders · DOCS: the documents ·
//   STAT: the entries of each document · FRAG: fragments of rows, if any · CODE: two bits
//   per dimension for embedders with many rows · LIST: the same in lists for very many rows
import { ByteReader, ByteWriter, bytesOf, encoder } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { type ByteSink, type Frame, FrameWriter, type Section } from '../frame/index.ts'
import type { DocId, SegmentNo } from '../ids.ts'
import { decodeIdSet, encodeIds, IdSet } from '../idset/index.ts'
import { kernel, kernelIfAny } from '../kernel/index.ts'
import {
  CODED_ROWS_MIN,
  CodeTable,
  DIMENSIONS_MAX,
  LIST_RULE,
  type ListRule,
  ROWS_MAX,
  RowSample,
  type RowSource,
  writeCodes,
  writeLists,
} from '../vector-codes/index.ts'
import { type EmbedderPart, EmbedderRows } from './embedder-rows.ts'
import { DOCUMENT_IDS_MAX, EMBEDDERS_MAX } from './limits.ts'
import { type RowForm, readRow, rowBytes } from './rows.ts'

export const VECTORS_KIND = 'VECT'

const FORM_NIBBLES = 1
const FORM_FRAGMENTS = 2
const FORM_LISTS = 4
const FORM_MAX = FORM_NIBBLES | FORM_FRAGMENTS | FORM_LISTS
/** Releases that do not know lists refuse segments that have them. */
const EMBEDDERS_VERSION = 2

/** The entries that the documents of a segment have of one embedder. */
export type EmbedderData = {
  readonly name: string
  readonly dimensions: number
  readonly form: RowForm
  /** By document, in order of ids: the flags of `entry.ts`. */
  readonly status: Uint8Array
  /** By document, its first row; the last entry is the number of rows. */
  readonly starts: Uint32Array
  /** By row; null if no row has a fragment. */
  readonly fragments: Uint8Array | null
}

/**
 * Writes a segment. `ids`: ascending; `embedders`: by name in byte order; `rowsOf` returns the
 * stored rows of an embedder in order of documents, in pieces that are valid until the next piece.
 * `rule`: which embedders have lists.
 */
export function writeVectors(
  ids: Uint32Array,
  embedders: readonly EmbedderData[],
  rowsOf: (embedder: number) => Iterable<Uint8Array>,
  sink: ByteSink,
  rule: ListRule = LIST_RULE,
): void {
  assert(ids.length > 0, 'a segment has a document')
  assert(ids.at(-1)! - ids[0]! >= ids.length - 1, 'document ids ascend')
  assert(ids.at(-1)! < DOCUMENT_IDS_MAX, 'document ids stay below DOCUMENT_IDS_MAX')
  assert(embedders.length > 0, 'a segment has an embedder')
  assert(embedders.length <= EMBEDDERS_MAX, 'a segment has at most EMBEDDERS_MAX embedders')
  for (const embedder of embedders) requireWhole(embedder, ids.length)
  const frame = new FrameWriter(VECTORS_KIND, sink)
  frame.begin('ROWS', 1)
  const lists = embedders.map((embedder, e) => {
    const { form, dimensions } = embedder
    const rows = embedder.starts.at(-1)!
    // Lists are for searches, which need the kernel.
    const isMany = rows >= rule.rowsMin && kernelIfAny() !== null
    const sample = isMany ? new RowSample(rows, dimensions) : null
    const each = rowBytes(form, dimensions)
    let written = 0
    for (const piece of rowsOf(e)) {
      frame.write(piece)
      written += piece.length
      if (sample === null) continue
      for (let at = 0; at < piece.length; at += each) {
        sample.offer((out) => readRow(form, piece, at, out))
      }
    }
    assert(written === rows * each, 'all rows of an embedder are written')
    return sample?.lists(rule) ?? null
  })
  frame.end()
  const hasLists = lists.some((one) => one !== null)
  const isListed = lists.map((one) => one !== null)
  frame.section('EMBS', hasLists ? EMBEDDERS_VERSION : 1, embedderTable(embedders, isListed))
  frame.section('DOCS', 1, documentTable(ids))
  frame.section('STAT', 1, statusTable(embedders))
  if (embedders.some(({ fragments }) => fragments !== null)) {
    frame.section('FRAG', 1, fragmentTable(embedders))
  }
  const sources = embedders.map(
    (embedder, e): RowSource => ({
      dimensions: embedder.dimensions,
      count: embedder.starts.at(-1)!,
      vectors: () => vectorsIn(embedder, rowsOf(e)),
    }),
  )
  const coded = sources.filter((source, e) => source.count >= CODED_ROWS_MIN && !isListed[e])
  if (coded.length > 0) {
    frame.begin('CODE', 1)
    for (const source of coded) writeCodes(source, frame)
    frame.end()
  }
  if (hasLists) {
    frame.begin('LIST', 1)
    lists.forEach((one, e) => {
      if (one !== null) writeLists(sources[e]!, one, frame)
    })
    frame.end()
  }
  frame.finish()
}

function requireWhole({ status, starts, fragments }: EmbedderData, documents: number): void {
  assert(status.length === documents, 'each document has flags')
  assert(starts.length === documents + 1 && starts[0] === 0, 'each document has a first row')
  assert(fragments === null || fragments.length === starts.at(-1)!, 'each row has a fragment')
}

/** Yields the vectors of the rows in `pieces`, always in the same array. */
function* vectorsIn(
  { form, dimensions }: EmbedderData,
  pieces: Iterable<Uint8Array>,
): Iterable<Float32Array> {
  const each = rowBytes(form, dimensions)
  const vector = new Float32Array(dimensions)
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += each) {
      readRow(form, piece, at, vector)
      yield vector
    }
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function embedderTable(
  embedders: readonly EmbedderData[],
  isListed: readonly boolean[],
): Uint8Array {
  const out = new ByteWriter(64)
  out.varint(embedders.length)
  let before: Uint8Array | null = null
  for (const [e, { name, dimensions, form, fragments, starts }] of embedders.entries()) {
    assert(starts.at(-1)! <= ROWS_MAX, 'an embedder has at most ROWS_MAX rows')
    assert(dimensions > 0 && dimensions <= DIMENSIONS_MAX, 'a vector has dimensions')
    const bytes = encoder.encode(name)
    const ascends = before === null || Buffer.compare(before, bytes) < 0
    assert(ascends, 'embedders come in byte order of their names')
    before = bytes
    out.varint(bytes.length)
    out.bytes(bytes)
    out.varint(dimensions)
    out.u8(
      (form === 'nibbles' ? FORM_NIBBLES : 0) |
        (fragments === null ? 0 : FORM_FRAGMENTS) |
        (isListed[e] ? FORM_LISTS : 0),
    )
    out.varint(starts.at(-1)!)
  }
  return out.finish()
}

function documentTable(ids: Uint32Array): Uint8Array {
  const first = ids[0]!
  const last = ids.at(-1)!
  const out = new ByteWriter(64)
  out.u32(ids.length)
  out.u32(first)
  out.u32(last)
  if (last - first + 1 !== ids.length) out.bytes(encodeIds(ids))
  return out.finish()
}

function statusTable(embedders: readonly EmbedderData[]): Uint8Array {
  const out = new ByteWriter(1024)
  for (const { status, starts } of embedders) {
    out.bytes(bytesOf(starts))
    out.bytes(status)
    out.align(4)
  }
  return out.finish()
}

function fragmentTable(embedders: readonly EmbedderData[]): Uint8Array {
  const out = new ByteWriter(1024)
  for (const { fragments } of embedders) if (fragments !== null) out.bytes(fragments)
  return out.finish()
}

/** Reads the vectors of one segment in place. */
export class VectorsReader {
  /** Ids of the documents. */
  readonly ids: IdSet
  readonly #embedders: ReadonlyMap<string, EmbedderRows>

  readonly #segment: SegmentNo | null

  private constructor(ids: IdSet, embedders: readonly EmbedderRows[], segment: SegmentNo | null) {
    this.#segment = segment
    this.ids = ids
    this.#embedders = new Map(embedders.map((embedder) => [embedder.name, embedder]))
  }

  /**
   * Opens a segment and checks its tables; rows are checked when they are read. `segment`: its
   * number, if codes are shared with other threads.
   * @throws CorruptionError, VersionError
   */
  static open(frame: Frame, segment: SegmentNo | null = null): VectorsReader {
    const ids = readDocuments(frame.section('DOCS'))
    const parts = readEmbedders(frame.section('EMBS', 1, EMBEDDERS_VERSION))
    const rows = frame.section('ROWS')
    const status = frame.section('STAT')
    const fragments = frame.has('FRAG') ? frame.section('FRAG') : null
    const codes = frame.has('CODE') ? frame.section('CODE') : null
    const lists = frame.has('LIST') ? frame.section('LIST') : null
    const at = { rows: 0, status: 0, fragments: 0, codes: 0, lists: 0 }
    const sections = { rows, status, fragments }
    const embedders = parts.map((part, e) => {
      const place = segment === null ? null : { segment, part: e }
      let table: CodeTable | null = null
      if (part.isListed) {
        if (lists === null) refuse(frame.kind, 0, 'bad_value', 'lists', 'no lists')
        table = CodeTable.openLists(lists, at.lists, part, place)
        at.lists += table.length
      } else if (part.rows >= CODED_ROWS_MIN) {
        if (codes === null) refuse(frame.kind, 0, 'bad_value', 'codes', 'no codes')
        table = CodeTable.open(codes, at.codes, part, place)
        at.codes += table.length
      }
      const embedder = new EmbedderRows(part, ids, sections, { ...at }, table)
      at.rows += embedder.rowBytes * part.rows
      at.status += (ids.size + 1) * 4 + Math.ceil(ids.size / 4) * 4
      if (part.hasFragments) at.fragments += part.rows
      return embedder
    })
    requireLength(rows, at.rows)
    requireLength(status, at.status)
    if (fragments !== null) requireLength(fragments, at.fragments)
    if (codes !== null) requireLength(codes, at.codes)
    if (lists !== null) requireLength(lists, at.lists)
    if ((fragments === null) !== parts.every(({ hasFragments }) => !hasFragments)) {
      refuse(frame.kind, 0, 'bad_value', 'fragments where there are any', 'otherwise')
    }
    return new VectorsReader(ids, embedders, segment)
  }

  /** Releases shared codes. The reader must not be used afterwards. */
  close(): void {
    if (this.#segment !== null) kernel().memory.release(this.#segment)
  }

  /** The embedders by name, in byte order. */
  get embedders(): Iterable<EmbedderRows> {
    return this.#embedders.values()
  }

  /** Returns the rows of an embedder, or null if no document of the segment has an entry for it. */
  embedder(name: string): EmbedderRows | null {
    return this.#embedders.get(name) ?? null
  }

  /** Returns the place of a document among those of the segment, or -1. */
  placeOf(id: DocId): number {
    for (const embedder of this.#embedders.values()) return embedder.placeOf(id)
    return -1
  }
}

function requireLength(section: Section, length: number): void {
  if (section.length !== length) refuse(section.tag, 0, 'bad_length', length, section.length)
}

function readDocuments(section: Section): IdSet {
  const reader = new ByteReader(section.all(), section.tag)
  const count = reader.u32()
  const first = reader.u32()
  const last = reader.u32()
  if (last >= DOCUMENT_IDS_MAX) refuse(section.tag, 8, 'bad_value', DOCUMENT_IDS_MAX, last)
  if (count === 0 || first > last) refuse(section.tag, 0, 'bad_value', 'documents', count)
  if (last - first + 1 === count) {
    reader.finish()
    return IdSet.range(first, last + 1)
  }
  const ids = decodeIdSet(reader.take(reader.left))
  if (ids.size !== count) refuse(section.tag, 0, 'bad_value', ids.size, count)
  if (ids.min !== first) refuse(section.tag, 4, 'bad_value', ids.min, first)
  if (ids.max !== last) refuse(section.tag, 8, 'bad_value', ids.max, last)
  return ids
}

function readEmbedders(section: Section): readonly EmbedderPart[] {
  const reader = new ByteReader(section.all(), section.tag)
  const count = reader.varint()
  if (count === 0 || count > EMBEDDERS_MAX) {
    refuse(section.tag, 0, 'bad_value', `1 to ${EMBEDDERS_MAX} embedders`, count)
  }
  const parts: EmbedderPart[] = []
  let before: Uint8Array | null = null
  for (let i = 0; i < count; i++) {
    const { at } = reader
    const name = reader.take(reader.varint())
    if (before !== null && Buffer.compare(before, name) >= 0) {
      refuse(section.tag, at, 'bad_order', 'names in order', i)
    }
    before = name
    const dimensions = reader.varint()
    const flags = reader.u8()
    const rows = reader.varint()
    if (dimensions === 0 || dimensions > DIMENSIONS_MAX) {
      refuse(section.tag, at, 'bad_value', `1 to ${DIMENSIONS_MAX} dimensions`, dimensions)
    }
    if (rows > ROWS_MAX) refuse(section.tag, at, 'bad_value', `at most ${ROWS_MAX} rows`, rows)
    const most = section.version === 1 ? FORM_MAX & ~FORM_LISTS : FORM_MAX
    if (flags > most) refuse(section.tag, at, 'bad_value', most, flags)
    if ((flags & FORM_LISTS) !== 0 && rows === 0) refuse(section.tag, at, 'bad_value', 'rows', 0)
    parts.push({
      name: nameOf(name, section, at),
      dimensions,
      form: (flags & FORM_NIBBLES) === 0 ? 'floats' : 'nibbles',
      hasFragments: (flags & FORM_FRAGMENTS) !== 0,
      isListed: (flags & FORM_LISTS) !== 0,
      rows,
    })
  }
  reader.finish()
  return parts
}

function nameOf(bytes: Uint8Array, section: Section, at: number): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    // A fatal decoder throws a TypeError for bytes that are not UTF-8.
    if (!(error instanceof TypeError)) throw error
    return refuse(section.tag, at, 'bad_value', 'a name in UTF-8', 'other bytes')
  }
}
