// A stored body as a file: the documents one after another, then a footer of 16 bytes that verifies
// them.
//
//   end − 16  4 magic     "BODY"
//   end − 12  4 reserved  0
//   end −  8  4 checksum  crc32 of the documents
//   end −  4  4 length    of the documents, modulo 2^32
import { crc32 } from 'node:zlib'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { refuse } from '../../../format/errors.ts'
import { type FileSystem, SequentialWriter } from '../../store/storage/index.ts'

const SECTION = 'body'
const MAGIC = 0x59444f42 // "BODY" read as u32 little-endian
export const BODY_FOOTER_BYTES = 16

/** Writes a body front to back. The owner calls `finish` or `abandon`. */
export class BodyWriter {
  readonly #file: SequentialWriter
  #checksum = 0

  /** @throws StorageError */
  constructor(fs: FileSystem, path: string) {
    this.#file = new SequentialWriter(fs, path)
  }

  get bytes(): number {
    return this.#file.bytes
  }

  write(bytes: Uint8Array): void {
    this.#checksum = crc32(bytes, this.#checksum)
    this.#file.write(bytes)
  }

  /** Makes the bytes durable, but not the directory entry. Returns the length of the documents. */
  finish(): number {
    const length = this.#file.bytes
    this.#file.write(bodyFooter(length, this.#checksum))
    this.#file.finish()
    return length
  }

  abandon(): void {
    this.#file.abandon()
  }
}

/** Returns the footer of a body file for `length` bytes of documents with this checksum. */
export function bodyFooter(length: number, checksum: number): Uint8Array {
  const footer = new ByteWriter(BODY_FOOTER_BYTES)
  footer.u32(MAGIC)
  footer.u32(0)
  footer.u32(checksum)
  footer.u32(length % 2 ** 32)
  return footer.finish()
}

/** Returns the documents of a body file as a view of `bytes`. @throws CorruptionError */
export function documentsOfBody(bytes: Uint8Array): Uint8Array {
  const length = bytes.length - BODY_FOOTER_BYTES
  if (length < 0) refuse(SECTION, 0, 'bad_length', BODY_FOOTER_BYTES, bytes.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset + length, BODY_FOOTER_BYTES)
  const magic = view.getUint32(0, true)
  if (magic !== MAGIC) refuse(SECTION, length, 'bad_magic', MAGIC, magic)
  if (view.getUint32(4, true) !== 0) refuse(SECTION, length + 4, 'bad_value', 0, 'something else')
  if (view.getUint32(12, true) !== length % 2 ** 32) {
    refuse(SECTION, length + 12, 'bad_length', length, view.getUint32(12, true))
  }
  const documents = bytes.subarray(0, length)
  const got = crc32(documents)
  const expected = view.getUint32(8, true)
  if (got !== expected) refuse(SECTION, length + 8, 'bad_checksum', expected, got)
  return documents
}
