// Append-only logs of records · layout: ./LOG.md
//
//   header   magic 4 · kind 4 · version 2 · 0 2 · salt 4 · number 8 · 0 4 · crc32 4
//   record   salt 4 · crc32 4 · length 4 · sequence 4 · group 4 · type 2 · 0 2 · payload · 0 to ×8
//
// All functions work on bytes in memory; `engine/store/storage` appends and syncs them.

import { crc32 } from 'node:zlib'
import { dataView, encoder } from '../bytes/index.ts'
import { assert, CorruptionError, refuse, VersionError } from '../errors.ts'
import type { Tag } from '../frame/index.ts'
import { LOG_PAYLOAD_BYTES_MAX, LOG_RECORDS_MAX, LOG_SEARCH_FACTOR } from './limits.ts'

export const LOG_HEADER_BYTES = 32
export const LOG_RECORD_HEADER_BYTES = 24
/**
 * The type of seals, which only prove that earlier records were durable. Visitors never receive
 * them.
 */
export const LOG_SEAL = 0
const MAGIC = 0x4c435653 // "SVCL" read as u32 little-endian
const VERSION = 1
const ALIGNMENT = 8

export type LogHeader = {
  readonly kind: Tag
  /** Number of the file, as in its name. */
  readonly number: number
  /** Random number other than 0: see LOG.md, "Where a log ends". */
  readonly salt: number
}

export type LogRecord = {
  /** Offset of the record in the file, a multiple of 8. */
  readonly offset: number
  /** Length of the record in the file, header and padding included. */
  readonly bytes: number
  readonly type: number
  readonly sequence: number
  readonly group: number
  /** A view of the bytes read. */
  readonly payload: Uint8Array
}

export type LogContents = {
  readonly header: LogHeader
  /** Number of records, seals included: the sequence of the next one. */
  readonly records: number
  /** Offset of the next record; all bytes before it are sound. */
  readonly validBytes: number
  /**
   * Offset of the last group: everything before it was durable when the last record was written.
   */
  readonly lastGroup: number
  /** `torn`: an unfinished write follows, which a writer must cut off before it appends. */
  readonly tail: 'clean' | 'torn'
}

/** Returns the length of a record with a payload of `length` bytes. */
export const logRecordBytes = (length: number): number =>
  Math.ceil((LOG_RECORD_HEADER_BYTES + length) / ALIGNMENT) * ALIGNMENT

export function encodeLogHeader(header: LogHeader): Uint8Array {
  assert(header.salt > 0 && header.salt <= 0xffffffff, 'a salt is a u32 other than 0')
  assert(Number.isSafeInteger(header.number) && header.number >= 0, 'a number is a safe integer')
  const out = new Uint8Array(LOG_HEADER_BYTES)
  const view = dataView(out)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, kindNumber(header.kind), true)
  view.setUint16(8, VERSION, true)
  view.setUint32(12, header.salt, true)
  view.setUint32(16, header.number >>> 0, true)
  view.setUint32(20, Math.floor(header.number / 0x100000000), true)
  view.setUint32(28, crc32(out.subarray(0, 28)), true)
  return out
}

/**
 * Writes one record at `at` and returns the offset after it. The caller must have made room of
 * `logRecordBytes(payload.length)` zero bytes.
 */
export function writeLogRecord(
  target: Uint8Array,
  at: number,
  salt: number,
  sequence: number,
  group: number,
  type: number,
  payload: Uint8Array,
): number {
  assert(payload.length <= LOG_PAYLOAD_BYTES_MAX, 'a payload stays below its limit')
  assert(sequence < LOG_RECORDS_MAX, 'a log holds at most LOG_RECORDS_MAX records')
  assert(sequence >= 0 && group >= 0, 'records are counted from 0')
  assert(group <= sequence, 'a group begins at or before its records')
  assert(type >= 0 && type <= 0xffff, 'a record type is a u16')
  const end = at + LOG_RECORD_HEADER_BYTES + payload.length
  assert(at + logRecordBytes(payload.length) <= target.length, 'there is room for the record')
  const view = dataView(target)
  view.setUint32(at, salt, true)
  view.setUint32(at + 8, payload.length, true)
  view.setUint32(at + 12, sequence, true)
  view.setUint32(at + 16, group, true)
  view.setUint16(at + 20, type, true)
  view.setUint16(at + 22, 0, true)
  target.set(payload, at + LOG_RECORD_HEADER_BYTES)
  view.setUint32(at + 4, crc32(target.subarray(at + 8, end)), true)
  return at + logRecordBytes(payload.length)
}

/** Decodes only the header. @throws CorruptionError, VersionError */
export function decodeLogHeader(bytes: Uint8Array, kind: Tag): LogHeader {
  const section = sectionOf(kind)
  if (bytes.length < LOG_HEADER_BYTES) {
    refuse(section, 0, 'bad_length', `at least ${LOG_HEADER_BYTES}`, bytes.length)
  }
  const view = dataView(bytes)
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
  const salt = view.getUint32(12, true)
  if (salt === 0) refuse(section, 12, 'bad_value', 'a mark', 0)
  const high = view.getUint32(20, true)
  if (high >= 0x200000) refuse(section, 20, 'bad_value', '< 2^53', high)
  return { kind, salt, number: high * 0x100000000 + view.getUint32(16, true) }
}

/**
 * Reads a whole log file. `visit` receives each record in order, without seals. If this throws, the
 * caller must discard the records that `visit` received.
 * @throws CorruptionError, VersionError, errors of `visit`
 */
export function readLog(
  bytes: Uint8Array,
  kind: Tag,
  visit: (record: LogRecord) => void,
): LogContents {
  const header = decodeLogHeader(bytes, kind)
  const view = dataView(bytes)
  let at = LOG_HEADER_BYTES
  let sequence = 0
  let group = 0
  let lastGroup = at
  for (;;) {
    const record = soundRecord(bytes, view, at, header.salt)
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
 * Decodes one record whose bytes were read from offset `offset` of the file.
 * @throws CorruptionError
 */
export function decodeLogRecord(bytes: Uint8Array, header: LogHeader, offset: number): LogRecord {
  const record = soundRecord(bytes, dataView(bytes), 0, header.salt)
  if (record === null || record.bytes !== bytes.length) {
    return refuse(sectionOf(header.kind), offset, 'bad_checksum', 'a sound record', 'none')
  }
  return { ...record, offset }
}

/**
 * Returns the record at `at` if it is sound, else null. The caller checks whether it belongs there.
 */
function soundRecord(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  salt: number,
): LogRecord | null {
  if (bytes.length - at < LOG_RECORD_HEADER_BYTES) return null
  if (view.getUint32(at, true) !== salt) return null
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

/**
 * Returns true if all bytes from `from` on are zero; compares four at a time if they are aligned.
 */
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
 * Searches after the damage at `at` for a record that was written when record `sequence` was
 * durable.
 * @throws CorruptionError if there is such a record
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
    if (view.getUint32(from, true) !== header.salt) continue
    if (view.getUint32(from + 16, true) <= sequence) continue
    budget -= Math.min(view.getUint32(from + 8, true), bytes.length - from)
    if (budget < 0) refuse(section, at, 'bad_value', 'damage of one place', 'too much to search')
    if (soundRecord(bytes, view, from, header.salt) === null) continue
    throw new CorruptionError(
      'bad_checksum',
      { section, offset: at },
      `record ${sequence}, which was durable when the one at ${from} was written`,
      'damaged bytes',
    )
  }
}

/** Returns the four letters as a u32 that reads as text on disk. */
function kindNumber(kind: Tag): number {
  assert(/^[A-Z]{4}$/.test(kind), 'a kind is four capital letters')
  return new DataView(encoder.encode(kind).buffer).getUint32(0, true)
}

const sectionOf = (kind: Tag): string => `${kind} log`
