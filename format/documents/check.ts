// The full check of a documents segment, for `svc-tools check`: every checksum, every block, record
// and value, and the table of external ids · layout: ./DOCUMENTS.md
//
// Blocks are not compressed again for comparison: another release of the compressor may write other
// bytes for the same content.
import { encoder } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import { compact, faultText, findFault, JsonBuffer, skipValue } from '../json/index.ts'
import { BlockRecords, type Decompress } from './blocks-v1.ts'
import { BLOCK_TARGET_BYTES } from './limits.ts'
import { DocumentsReader } from './reader-v1.ts'
import { RecordFields, renderFields } from './record-v1.ts'

const SECTIONS = ['BLKS', 'BIDX', 'RUNS', 'XIDS', 'XEND', 'XHSH']
const KEY = encoder.encode('"a"')

/** One stored document. The byte arrays are views, valid until the next document. */
export type StoredDocument = {
  readonly id: DocId
  readonly externalId: Uint8Array
  readonly record: Uint8Array
  readonly fields: RecordFields
}

export type DocumentsCheckOptions = {
  /** Called for every document after it was checked, in ascending order of ids. */
  readonly visit?: (document: StoredDocument) => void
  /** Called after each block with the number of bytes of the frame checked so far. */
  readonly progress?: (bytes: number) => void
}

/** Checks the whole segment. @throws CorruptionError, VersionError */
export function checkDocuments(
  frame: Frame,
  decompress: Decompress,
  options: DocumentsCheckOptions = {},
): void {
  frame.verifyAll()
  const tags = [...frame.sections].map(({ tag }) => tag).join(' ')
  if (tags !== SECTIONS.join(' ')) {
    refuse(frame.kind, 0, 'bad_value', `sections ${SECTIONS.join(' ')}`, tags)
  }
  const reader = DocumentsReader.open(frame, decompress)
  checkExternalIds(frame, reader.count)
  checkBlocks(frame, reader, options)
}

/**
 * Checks that external ids fill their section and that the table holds as many as there are
 * documents.
 */
function checkExternalIds(frame: Frame, count: number): void {
  const bytes = frame.section('XIDS').length
  const end = count === 0 ? 0 : frame.section('XEND').u32()[count - 1]!
  if (end !== bytes) refuse('XEND', Math.max(0, count - 1) * 4, 'bad_value', bytes, end)
  let used = 0
  for (const slot of frame.section('XHSH').u32()) if (slot !== 0) used++
  if (used !== count) refuse('XHSH', 0, 'bad_value', `${count} slots in use`, used)
}

function checkBlocks(frame: Frame, reader: DocumentsReader, options: DocumentsCheckOptions): void {
  const { blocks, runs } = reader
  const records = new BlockRecords()
  const values = new ValuesCheck()
  const fields = new RecordFields()
  const data = frame.section('BLKS')
  const index = frame.section('BIDX').u32()
  let before = Number.MAX_SAFE_INTEGER
  for (let block = 0; block < blocks.count; block++) {
    const first = blocks.firstPosition(block)
    const bytes = blocks.read(block)
    records.read(bytes, blocks.firstPosition(block + 1) - first)
    before = checkLengths(records, block, before)
    for (let i = 0; i < records.count; i++) {
      const record = bytes.subarray(records.starts[i]!, records.starts[i + 1]!)
      const id = runs.idAt(first + i)
      fields.read(record)
      values.check(fields, record, id)
      const externalId = reader.externalId(id)!
      const found = reader.idOf(externalId)
      if (found !== id) refuse('XHSH', 0, 'bad_value', `document ${id}`, found)
      options.visit?.({ id, externalId, record, fields })
    }
    options.progress?.(data.offset + index[block * 4 + 2]!)
  }
}

/**
 * Checks that a block is as full as its records allow. `before` is the number of bytes of the
 * previous block's records. Returns the number of this block's.
 */
function checkLengths(records: BlockRecords, block: number, before: number): number {
  const { starts, count } = records
  const total = starts[count]! - starts[0]!
  if (count > 1 && total > BLOCK_TARGET_BYTES) {
    refuse('BLKS', 0, 'bad_value', `up to ${BLOCK_TARGET_BYTES} bytes in block ${block}`, total)
  }
  if (before + starts[1]! - starts[0]! <= BLOCK_TARGET_BYTES) {
    refuse('BLKS', 0, 'bad_value', `a full block ${block - 1}`, `${before} bytes`)
  }
  return total
}

/** Checks that the values of records are compact JSON. */
class ValuesCheck {
  readonly #text = new JsonBuffer(4096)
  readonly #compact = new JsonBuffer(4096)

  check(fields: RecordFields, record: Uint8Array, id: DocId): void {
    for (let i = 0; i < fields.count; i++) {
      // Each value is parsed alone first. In the object rendered below, two values in one field
      // could pass as several members; and values are adjacent, so only a value's own bytes tell
      // where a number ends.
      const value = fields.value(i)
      if (skipValue(value, 0) !== value.length) {
        this.#refuse(fields, i, id, 'one value', 'something else')
      }
    }
    const text = this.#text
    text.clear()
    renderFields(fields, record, () => KEY, null, text)
    const fault = findFault(text.view())
    if (fault !== null) {
      refuse('record', 0, 'bad_value', `JSON in document ${id}`, faultText(fault))
    }
    this.#compact.clear()
    compact(text.bytes, 0, text.length, this.#compact)
    if (this.#compact.length !== text.length) {
      refuse('record', 0, 'bad_value', `compact JSON in document ${id}`, 'white space')
    }
  }

  #refuse(fields: RecordFields, i: number, id: DocId, expected: string, got: string): never {
    const claim = `${expected} in field ${fields.ids[i]} of document ${id}`
    return refuse('record', fields.starts[i]!, 'bad_value', claim, got)
  }
}
