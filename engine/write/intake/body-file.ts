// Writes a stored body as a file · layout: format/bodies/BODIES.md
import { crc32 } from 'node:zlib'
import { bodyFooter } from '../../../format/bodies/index.ts'
import { type FileSystem, SequentialWriter } from '../../store/storage/index.ts'

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
