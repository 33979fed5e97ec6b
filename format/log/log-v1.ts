// Append-only logs of records · layout: ./LOG.md
//
//   header   magic 4 · kind 4 · version 2 · 0 2 · mark 4 · number 8 · 0 4 · crc32 4
//   record   mark 4 · crc32 4 · length 4 · sequence 4 · group 4 · type 2 · 0 2 · payload · 0 to ×8
//
// Everything here is about bytes in memory; `engine/store/storage` appends and syncs them.
import { crc32 } from 'node:zlib'
import { assert, CorruptionError, refuse, VersionError } from '../errors.ts'
import type { Tag } from '../frame/index.ts'
import { LOG_PAYLOAD_BYTES_MAX, LOG_RECORDS_MAX, LOG_SEARCH_FACTOR } from './limits.ts'

export const LOG_HEADER_BYTES = 32
export const LOG_RECORD_HEADER_BYTES = 24
/** The type of records that only bear witness; never handed to a visitor. */
export const LOG_SEAL = 0
const MAGIC = 0x4c435653 // "SVCL" read as u32 little-endian
const VERSION = 1
const ALIGNMENT = 8

export type LogHeader = {
  readonly kind: Tag
  /** Of the file, as in its name. */
  readonly number: number
  /** Random, not 0: see LOG.md, "Where a log ends". */
  readonly mark: number
}

export type LogRecord = {
  /** Of the record in the file, a multiple of 8. */
  readonly offset: number
  /** Of the record in the file, header and padding included. */
  readonly bytes: number
  readonly type: number
  readonly sequence: number
  readonly group: number
  /** A view of the bytes read. */
  readonly payload: Uint8Array
}

export type LogContents = {
  readonly header: LogHeader
  /** How many records there are, seals included: the sequence of the next one. */
  readonly records: number
  /** Where the next record goes; what is before it is sound. */
  readonly validBytes: number
  /** Where the last group begins: all before it was durable when the last record was written. */
  readonly lastGroup: number
  /** `torn`: something unfinished follows, to be cut off before the log is written again. */
  readonly tail: 'clean' | 'torn'
}

/** Bytes of a record with a payload of `length` bytes. */
export const logRecordBytes = (length: number): number =>
  Math.ceil((LOG_RECORD_HEADER_BYTES + length) / ALIGNMENT) * ALIGNMENT

export function encodeLogHeader(header: LogHeader): Uint8Array {
  assert(header.mark > 0 && header.mark <= 0xffffffff, 'a mark is a u32 other than 0')
  assert(Number.isSafeInteger(header.number) && header.number >= 0, 'a number is a safe integer')
  const out = new Uint8Array(LOG_HEADER_BYTES)
  const view = viewOf(out)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, kindNumber(header.kind), true)
  view.setUint16(8, VERSION, true)
  view.setUint32(12, header.mark, true)
  view.setUint32(16, header.number >>> 0, true)
  view.setUint32(20, Math.floor(header.number / 0x100000000), true)
  view.setUint32(28, crc32(out.subarray(0, 28)), true)
  return out
}

/**
 * Writes one record at `at` and returns the offset behind it. The caller has made room of
 * `logRecordBytes(payload.length)` zero bytes.
 */
export function writeLogRecord(
  target: Uint8Array,
  at: number,
  mark: number,
  sequence: number,
  group: number,
  type: number,
  payload: Uint8Array,
): number {
  assert(payload.length <= LOG_PAYLOAD_BYTES_MAX, 'a payload stays below its limit')
  assert(sequence < LOG_RECORDS_MAX, 'a log holds at most LOG_RECORDS_MAX records')
  assert(group <= sequence, 'a group begins at or before its records')
  assert(type >= 0 && type <= 0xffff, 'a record type is a u16')
  const end = at + LOG_RECORD_HEADER_BYTES + payload.length
  const view = viewOf(target)
  view.setUint32(at, mark, true)
  view.setUint32(at + 8, payload.length, true)
  view.setUint32(at + 12, sequence, true)
  view.setUint32(at + 16, group, true)
  view.setUint16(at + 20, type, true)
  view.setUint16(at + 22, 0, true)
  target.set(payload, at + LOG_RECORD_HEADER_BYTES)
  view.setUint32(at + 4, crc32(target.subarray(at + 8, end)), true)
  return at + logRecordBytes(payload.length)
}

/** The header alone. @throws CorruptionError, VersionError */
export function decodeLogHeader(bytes: Uint8Array, kind: Tag): LogHeader {
  const section = sectionOf(kind)
  if (bytes.length < LOG_HEADER_BYTES) {
    refuse(section, 0, 'bad_length', `at least ${LOG_HEADER_BYTES}`, bytes.length)
  }
  const view = viewOf(bytes)
  const magic = view.getUint32(0, true)
  if (magic !== MAGIC) refuse(section, 0, 'bad_magic', MAGIC, magic)
  const found = view.getUint32(4, true)
  if (found !== kindNumber(kind)) refuse(section, 4, 'bad_magic', kindNumber(kind), found)
  const version = view.getUint16(8, true)
  if (version !== VERSION) throw new VersionError(section, version, VERSION, VERSION)
  const expected = crc32(bytes.subarray(0, 28))
  const checksum = view.getUint32(28, true)
  if (checksum !== expected) refuse(section, 28, 'bad_checksum', expected, checksum)
  if (view.getUint16(10, true) !== 0) refuse(section, 10, 'bad_value', 0, view.getUint16(10, true))
  if (view.getUint32(24, true) !== 0) refuse(section, 24, 'bad_value', 0, view.getUint32(24, true))
  const mark = view.getUint32(12, true)
  if (mark === 0) refuse(section, 12, 'bad_value', 'a mark', 0)
  const high = view.getUint32(20, true)
  if (high >= 0x200000) refuse(section, 20, 'bad_value', '< 2^53', high)
  return { kind, mark, number: high * 0x100000000 + view.getUint32(16, true) }
}

/**
 * Reads a whole log file: `visit` gets each record in order, seals left out. When the log is
 * refused after all, the caller forgets what `visit` got.
 * @throws CorruptionError, VersionError, whatever `visit` throws
 */
export function readLog(
  bytes: Uint8Array,
  kind: Tag,
  visit: (record: LogRecord) => void,
): LogContents {
  const header = decodeLogHeader(bytes, kind)
  const view = viewOf(bytes)
  let at = LOG_HEADER_BYTES
  let sequence = 0
  let group = 0
  let lastGroup = at
  for (;;) {
    const record = soundRecord(bytes, view, at, header.mark)
    if (record === null || record.sequence !== sequence) break
    if (record.group !== group && record.group !== sequence) break
    if (record.group === sequence) lastGroup = at
    if (record.type !== LOG_SEAL) visit(record)
    group = record.group
    sequence++
    at += record.bytes
  }
  const end = { header, records: sequence, validBytes: at, lastGroup }
  if (isZero(bytes, at)) return { ...end, tail: 'clean' }
  refuseIfDurable(bytes, view, at, header, sequence)
  return { ...end, tail: 'torn' }
}

/**
 * One record whose bytes were read back from its place in the file.
 * @throws CorruptionError
 */
export function decodeLogRecord(bytes: Uint8Array, header: LogHeader, offset: number): LogRecord {
  const record = soundRecord(bytes, viewOf(bytes), 0, header.mark)
  if (record === null || record.bytes !== bytes.length) {
    return refuse(sectionOf(header.kind), offset, 'bad_checksum', 'a sound record', 'none')
  }
  return { ...record, offset }
}

/**
 * What stands at `at` if it is sound in itself; whether it belongs there is the caller's question.
 */
function soundRecord(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  mark: number,
): LogRecord | null {
  if (bytes.length - at < LOG_RECORD_HEADER_BYTES) return null
  if (view.getUint32(at, true) !== mark) return null
  const length = view.getUint32(at + 8, true)
  const size = logRecordBytes(length)
  if (length > LOG_PAYLOAD_BYTES_MAX || size > bytes.length - at) return null
  const sequence = view.getUint32(at + 12, true)
  const group = view.getUint32(at + 16, true)
  if (group > sequence || view.getUint16(at + 22, true) !== 0) return null
  const from = at + LOG_RECORD_HEADER_BYTES
  const to = from + length
  for (let i = to; i < at + size; i++) if (bytes[i] !== 0) return null
  if (crc32(bytes.subarray(at + 8, to)) !== view.getUint32(at + 4, true)) return null
  const type = view.getUint16(at + 20, true)
  return { offset: at, bytes: size, type, sequence, group, payload: bytes.subarray(from, to) }
}

/** Whether all bytes from `from` on are zero; four at a time where they can be. */
function isZero(bytes: Uint8Array, from: number): boolean {
  const start = bytes.byteOffset + from
  if (start % 4 === 0) {
    const words = new Uint32Array(bytes.buffer, start, (bytes.length - from) >>> 2)
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false
    from += words.length * 4
  }
  for (let i = from; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/**
 * Looks behind the damage at `at` for a record that was written when record `sequence` was durable.
 * @throws CorruptionError when there is one
 */
function refuseIfDurable(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  header: LogHeader,
  sequence: number,
): void {
  const section = sectionOf(header.kind)
  let budget = bytes.length * LOG_SEARCH_FACTOR
  for (let from = at; from + LOG_RECORD_HEADER_BYTES <= bytes.length; from += ALIGNMENT) {
    if (view.getUint32(from, true) !== header.mark) continue
    if (view.getUint32(from + 16, true) <= sequence) continue
    budget -= Math.min(view.getUint32(from + 8, true), bytes.length - from)
    if (budget < 0) refuse(section, at, 'bad_value', 'damage of one place', 'too much to search')
    if (soundRecord(bytes, view, from, header.mark) === null) continue
    throw new CorruptionError(
      'bad_checksum',
      { section, offset: at },
      `record ${sequence}, which was durable when the one at ${from} was written`,
      'damaged bytes',
    )
  }
}

/** The four letters as a u32, so that they read as text on disk. */
function kindNumber(kind: Tag): number {
  assert(/^[A-Z]{4}$/.test(kind), 'a kind is four capital letters')
  return new DataView(new TextEncoder().encode(kind).buffer).getUint32(0, true)
}

const sectionOf = (kind: Tag): string => `${kind} log`

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
