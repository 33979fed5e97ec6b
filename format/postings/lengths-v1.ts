// Field lengths: the number of words in a field of a document · layout: ./POSTINGS.md, "Field
// lengths"
import { ByteWriter, dataView, lengthened } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import { type DocId, FIELDS_MAX, type FieldId } from '../ids.ts'
import {
  ARRAY_IDS_MAX,
  BITMAP_BYTES,
  decodeIdSet,
  encodeIds,
  IdSet,
  ranksOf,
  readEncoded,
} from '../idset/index.ts'
import { FIELD_ID_MAX } from './limits.ts'

const ENTRY_BYTES = 24
const LENGTH_MAX = 65535

/** The documents of a field, ascending, and their lengths; `count` of each are used. */
type Column = { docs: Uint32Array; lengths: Uint16Array; count: number }

/** Collects lengths by field. Documents must come in ascending order within a field. */
export class LengthsBuilder {
  readonly #fields = new Map<number, Column>()

  add(doc: DocId, field: FieldId, words: number): void {
    assert(field <= FIELD_ID_MAX && words >= 0, 'a field has a u16 id and a number of words')
    let column = this.#fields.get(field)
    if (column === undefined) {
      column = { docs: new Uint32Array(16), lengths: new Uint16Array(16), count: 0 }
      this.#fields.set(field, column)
    }
    const { count } = column
    assert(count === 0 || column.docs[count - 1]! < doc, 'lengths come in document order')
    if (count === column.docs.length) {
      column.docs = lengthened(column.docs, count * 2)
      column.lengths = lengthened(column.lengths, count * 2)
    }
    column.docs[count] = doc
    column.lengths[count] = Math.min(words, LENGTH_MAX)
    column.count = count + 1
  }

  encode(): Uint8Array {
    const fields = [...this.#fields.keys()].sort((a, b) => a - b)
    const head = new ByteWriter()
    const body = new ByteWriter()
    const bodyAt = 4 + fields.length * ENTRY_BYTES
    head.u32(fields.length)
    for (const field of fields) {
      const column = this.#fields.get(field)!
      const docs = column.docs.subarray(0, column.count)
      const lengths = column.lengths.subarray(0, column.count)
      const width = lengths.some((n) => n > 255) ? 2 : 1
      body.align(4)
      const setAt = bodyAt + body.length
      body.bytes(encodeIds(docs))
      body.align(4)
      const lengthsAt = bodyAt + body.length
      if (width === 1) body.bytes(new Uint8Array(lengths))
      else for (const n of lengths) body.u16(n)
      for (const value of [field, width, setAt, lengthsAt, docs.length, 0]) head.u32(value)
    }
    assert(head.length === bodyAt, 'the table of fields is as long as computed')
    head.bytes(body.view())
    return head.finish()
  }
}

type FieldEntry = {
  readonly field: FieldId
  readonly width: number
  readonly setAt: number
  readonly lengthsAt: number
  readonly documents: number
}

/** Reads lengths in place. @throws CorruptionError at open if the table is not sound */
export class LengthsReader {
  readonly #section: Section
  readonly #entries: readonly FieldEntry[]
  #ranks = new Int32Array(64)

  constructor(section: Section) {
    this.#section = section
    this.#entries = readEntries(section)
  }

  /** Ids of the fields that have lengths, ascending. */
  get fields(): readonly number[] {
    return this.#entries.map((entry) => entry.field)
  }

  /**
   * Writes the length of `field` into `out` for each of the ascending `docs[0, count)`; 0 for a
   * document without the field.
   */
  lengthsOf(field: FieldId, docs: Uint32Array, count: number, out: Uint16Array): void {
    assert(count <= docs.length && count <= out.length, 'there is room for each length')
    const entry = this.#entries.find((e) => e.field === field)
    if (entry === undefined) {
      out.fill(0, 0, count)
      return
    }
    this.#touch(entry)
    if (this.#ranks.length < count) this.#ranks = new Int32Array(count * 2)
    const ranks = this.#ranks
    const bytes = this.#section.bytes
    ranksOf(bytes, entry.setAt, docs, count, ranks)
    for (let i = 0; i < count; i++) {
      const rank = ranks[i]!
      if (rank < 0) out[i] = 0
      else if (entry.width === 1) out[i] = bytes[entry.lengthsAt + rank]!
      else {
        const at = entry.lengthsAt + rank * 2
        out[i] = bytes[at]! | (bytes[at + 1]! << 8)
      }
    }
  }

  /** Returns the sum of all lengths of a field. Reads all of them: 1 ms per million documents. */
  wordsOf(field: FieldId): number {
    const entry = this.#entries.find((e) => e.field === field)
    if (entry === undefined) return 0
    this.#touch(entry)
    const bytes = this.#section.bytes
    const end = entry.lengthsAt + entry.documents * entry.width
    let low = 0
    let high = 0
    for (let at = entry.lengthsAt; at < end; at += entry.width) {
      low += bytes[at]!
      if (entry.width === 2) high += bytes[at + 1]!
    }
    return low + 256 * high
  }

  /**
   * Returns the documents whose field has exactly `words` words; `words` is above 0. Reads all
   * lengths: 5 ms per million documents.
   */
  docsOfLength(field: FieldId, words: number): IdSet {
    const entry = this.#entries.find((e) => e.field === field)
    if (entry === undefined) return IdSet.empty
    this.#touch(entry)
    const bytes = this.#section.bytes
    const ids = new Uint32Array(entry.documents)
    const count = Math.min(entry.documents, readEncoded(bytes, entry.setAt, ids, 0))
    const isWide = entry.width === 2
    let n = 0
    for (let rank = 0, at = entry.lengthsAt; rank < count; rank++, at += entry.width) {
      const length = isWide ? bytes[at]! | (bytes[at + 1]! << 8) : bytes[at]!
      if (length === words) ids[n++] = ids[rank]!
    }
    return IdSet.ofSorted(ids.slice(0, n))
  }

  /** Returns every document that has the field, with its length. @throws CorruptionError */
  all(field: FieldId): { readonly docs: IdSet; readonly lengths: Uint16Array } {
    const entry = this.#entries.find((e) => e.field === field)
    if (entry === undefined) return { docs: IdSet.empty, lengths: new Uint16Array(0) }
    this.#touch(entry)
    const docs = decodeIdSet(
      this.#section.bytes.subarray(entry.setAt, setEnd(entry, this.#section)),
    )
    if (docs.size !== entry.documents) {
      refuse('LENG', entry.setAt, 'bad_value', entry.documents, docs.size)
    }
    const lengths = new Uint16Array(entry.documents)
    this.lengthsOf(field, docs.toArray(), entry.documents, lengths)
    return { docs, lengths }
  }

  #touch(entry: FieldEntry): void {
    const end = entry.lengthsAt + entry.documents * entry.width
    this.#section.touch(entry.setAt, end - entry.setAt)
  }
}

/**
 * Returns the end of the entry's id set, computed from its header; at most 3 bytes of padding
 * follow.
 */
function setEnd(entry: FieldEntry, section: Section): number {
  const bytes = section.bytes
  const containers = bytes[entry.setAt + 4]! | (bytes[entry.setAt + 5]! << 8)
  let end = entry.setAt + 8 + containers * 8
  for (let i = 0; i < containers; i++) {
    const at = entry.setAt + 8 + i * 4 + 2
    const size = (bytes[at]! | (bytes[at + 1]! << 8)) + 1
    end += size <= ARRAY_IDS_MAX ? size * 2 : BITMAP_BYTES
  }
  return end
}

function readEntries(section: Section): FieldEntry[] {
  const head = section.read(0, 4)
  const count = new DataView(head.buffer, head.byteOffset, 4).getUint32(0, true)
  if (count > FIELDS_MAX) refuse('LENG', 0, 'bad_value', `at most ${FIELDS_MAX} fields`, count)
  const table = section.read(4, count * ENTRY_BYTES)
  const view = dataView(table)
  const entries: FieldEntry[] = []
  for (let i = 0; i < count; i++) {
    const at = i * ENTRY_BYTES
    const entry: FieldEntry = {
      field: view.getUint32(at, true),
      width: view.getUint32(at + 4, true),
      setAt: view.getUint32(at + 8, true),
      lengthsAt: view.getUint32(at + 12, true),
      documents: view.getUint32(at + 16, true),
    }
    const reserved = view.getUint32(at + 20, true)
    if (reserved !== 0) refuse('LENG', 4 + at + 20, 'bad_value', 0, reserved)
    const previous = entries.at(-1)
    if (previous !== undefined && entry.field <= previous.field) {
      refuse('LENG', at, 'bad_order', `> ${previous.field}`, entry.field)
    }
    if (entry.width !== 1 && entry.width !== 2)
      refuse('LENG', at, 'bad_value', '1 or 2', entry.width)
    const end = entry.lengthsAt + entry.documents * entry.width
    if (entry.setAt >= entry.lengthsAt || end > section.length) {
      refuse('LENG', at, 'bad_length', section.length, end)
    }
    entries.push(entry)
  }
  return entries
}
