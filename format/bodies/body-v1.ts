// The footer of a body file · layout: ./BODIES.md
//
//   documents · magic 4 · reserved 4 · checksum 4 · length 4
import { crc32 } from 'node:zlib'
import { ByteReader, ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'

const SECTION = 'body'
const MAGIC = 0x59444f42 // "BODY" read as u32 little-endian
/** The footer holds the length of the documents modulo this. */
const LENGTH_MODULUS = 0x100000000
export const BODY_FOOTER_BYTES = 16

/** Returns the footer that follows `length` bytes of documents with this CRC-32. */
export function bodyFooter(length: number, checksum: number): Uint8Array {
  assert(Number.isSafeInteger(length) && length >= 0, 'a length is a safe integer')
  assert(checksum >= 0 && checksum <= 0xffffffff, 'a checksum is a u32')
  const footer = new ByteWriter(BODY_FOOTER_BYTES)
  footer.u32(MAGIC)
  footer.u32(0)
  footer.u32(checksum)
  footer.u32(length % LENGTH_MODULUS)
  assert(footer.length === BODY_FOOTER_BYTES, 'a footer is as long as declared')
  return footer.finish()
}

/** Returns the documents of a body file's bytes: a view. @throws CorruptionError */
export function documentsOfBody(bytes: Uint8Array): Uint8Array {
  const length = bytes.length - BODY_FOOTER_BYTES
  if (length < 0) refuse(SECTION, 0, 'bad_length', BODY_FOOTER_BYTES, bytes.length)
  const footer = new ByteReader(bytes, SECTION, length)
  const magic = footer.u32()
  if (magic !== MAGIC) refuse(SECTION, length, 'bad_magic', MAGIC, magic)
  const reserved = footer.u32()
  if (reserved !== 0) refuse(SECTION, length + 4, 'bad_value', 0, reserved)
  const expected = footer.u32()
  const claimed = footer.u32()
  if (claimed !== length % LENGTH_MODULUS) {
    refuse(SECTION, length + 12, 'bad_length', length, claimed)
  }
  const documents = bytes.subarray(0, length)
  const got = crc32(documents)
  if (got !== expected) refuse(SECTION, length + 8, 'bad_checksum', expected, got)
  return documents
}
