// The building blocks of the records of a task log: texts, sets, uids. Layout: ./TASKS.md
import { ByteReader, type ByteWriter, encoder, strictDecoder } from '../bytes/index.ts'
import { refuse, VersionError } from '../errors.ts'
import { decodeIdSet, encodeIdSet, type IdSet } from '../idset/index.ts'
import { TASK_KIND_COUNT_MAX, UID_NONE } from './limits.ts'

export const VERSION = 1
export const SECTION = 'task record'
const NO_TEXTS: readonly Uint8Array[] = []

export const utf8Of = (text: string): Uint8Array => encoder.encode(text)

/** @throws CorruptionError if the bytes are not UTF-8 */
export function textOf(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return refuse(SECTION, 0, 'bad_value', 'UTF-8', 'other bytes')
  }
}

/** @throws CorruptionError if the bytes are not JSON */
export function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return refuse(SECTION, 0, 'bad_value', 'JSON', error.message)
  }
}

/** Returns a reader positioned after the version. @throws CorruptionError, VersionError */
export function openRecord(payload: Uint8Array): ByteReader {
  const input = new ByteReader(payload, SECTION)
  const version = input.u8()
  if (version !== VERSION) throw new VersionError(SECTION, version, VERSION, VERSION)
  return input
}

export function readZeros(input: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) {
    const byte = input.u8()
    if (byte !== 0) refuse(SECTION, input.at - 1, 'bad_value', 0, byte)
  }
}

export function readKind(input: ByteReader): number {
  const kind = input.u8()
  if (kind >= TASK_KIND_COUNT_MAX) refuse(SECTION, 1, 'bad_value', 'a kind', kind)
  return kind
}

export function readUid(input: ByteReader): number {
  const uid = input.u32()
  if (uid === UID_NONE) refuse(SECTION, input.at - 4, 'bad_value', 'a uid', uid)
  return uid
}

/** Writes a text, passed as a string or as UTF-8. */
export function writeText(out: ByteWriter, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  out.varint(bytes.length)
  out.bytes(bytes)
}

/** Writes a text, passed as a string or as UTF-8, or its absence. */
export function writeOptional(out: ByteWriter, text: string | Uint8Array | null): void {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  out.varint(bytes === null ? 0 : bytes.length + 1)
  if (bytes !== null) out.bytes(bytes)
}

export function writeTexts(out: ByteWriter, texts: readonly (string | Uint8Array)[]): void {
  out.varint(texts.length)
  for (const text of texts) writeText(out, text)
}

export function writeSet(out: ByteWriter, set: IdSet | null): void {
  const bytes = set === null ? null : encodeIdSet(set)
  out.varint(bytes === null ? 0 : bytes.length)
  if (bytes !== null) out.bytes(bytes)
}

export const readText = (input: ByteReader): Uint8Array => input.take(input.varint())

export function readOptional(input: ByteReader): Uint8Array | null {
  const length = input.varint()
  return length === 0 ? null : input.take(length - 1)
}

export function readTexts(input: ByteReader): readonly Uint8Array[] {
  const at = input.at
  const count = input.varint()
  if (count === 0) return NO_TEXTS
  if (count > input.left) refuse(SECTION, at, 'bad_length', 'texts that fit', count)
  const texts: Uint8Array[] = []
  for (let i = 0; i < count; i++) texts.push(readText(input))
  return texts
}

export function readSet(input: ByteReader): IdSet | null {
  const length = input.varint()
  if (length === 0) return null
  const at = input.at
  const bytes = input.take(length)
  checkSize(bytes, at)
  return decodeIdSet(bytes)
}

/** Prevents a forged header from requesting memory: an encoded set has at most 8 ids per byte. */
function checkSize(bytes: Uint8Array, at: number): void {
  const input = new ByteReader(bytes, SECTION)
  input.u32()
  const containers = input.u32()
  if (containers * 8 > input.left) {
    refuse(SECTION, at + 4, 'bad_length', 'containers that fit', containers)
  }
  let size = 0
  for (let i = 0; i < containers; i++) {
    input.u16()
    size += input.u16() + 1
  }
  if (size > bytes.length * 8) refuse(SECTION, at, 'bad_length', bytes.length * 8, size)
}
