// Whole files: reading, writing front to back, replacing.
import { assert } from '../../../format/errors.ts'
import { StorageError } from '../../model/index.ts'
import { directoryOf, type File, type FileSystem } from './file-system.ts'
import { WRITE_BUFFER_BYTES } from './limits.ts'

/** Returns the name of a file while it is being written. A start removes files with such names. */
export const temporaryName = (path: string): string => `${path}.new`

/** Returns true if a name is that of an unfinished file. */
export const isTemporaryName = (name: string): boolean => name.endsWith('.new')

/** Reads all bytes of a file of at most `bytesMax`. @throws StorageError */
export function readFile(fs: FileSystem, path: string, bytesMax: number): Uint8Array {
  const file = fs.open(path, 'read')
  try {
    const size = file.size()
    if (size > bytesMax)
      throw new StorageError('too_large', path, `\`${path}\` is too large: ${size} bytes`)
    const bytes = new Uint8Array(size)
    const got = file.read(0, bytes)
    if (got !== size) throw new StorageError('short_file', path, `\`${path}\` ends early`)
    return bytes
  } finally {
    file.close()
  }
}

/** Replaces the file at `path` in one durable step: a crash leaves the old file or the new one. */
export async function replaceFile(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  await writeAside(fs, path, bytes)
  await fs.renameAsync(temporaryName(path), path)
  await fs.syncDirectoryAsync(directoryOf(path))
}

/**
 * Does the first half of `replaceFile`: makes the file durable under its temporary name, without
 * replacing anything.
 */
export async function writeAside(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const aside = temporaryName(path)
  if (fs.exists(aside)) await fs.removeAsync(aside)
  const file = await fs.openAsync(aside, 'create')
  try {
    await file.writeAsync(0, bytes)
    await file.syncAsync()
  } finally {
    file.close()
  }
}

/** Writes a new file front to back, in large pieces. The caller must `finish` or `abandon` it. */
export class SequentialWriter {
  readonly #fs: FileSystem
  readonly #file: File
  readonly #buffer: Uint8Array
  #buffered = 0
  #written = 0
  #open = true

  /** @throws StorageError `exists`: a name is never used twice */
  constructor(fs: FileSystem, path: string, bufferBytes = WRITE_BUFFER_BYTES) {
    assert(bufferBytes > 0, 'a buffer has bytes')
    this.#fs = fs
    this.#file = fs.open(path, 'create')
    this.#buffer = new Uint8Array(bufferBytes)
  }

  /** Number of bytes written so far. */
  get bytes(): number {
    return this.#written + this.#buffered
  }

  /** Copies or writes the bytes before it returns, so it can be the sink of a frame. */
  write(bytes: Uint8Array): void {
    assert(this.#open, 'nothing is written after the end')
    if (this.#buffered + bytes.length > this.#buffer.length) this.#flush()
    if (bytes.length >= this.#buffer.length) {
      this.#file.write(this.#written, bytes)
      this.#written += bytes.length
      return
    }
    this.#buffer.set(bytes, this.#buffered)
    this.#buffered += bytes.length
  }

  /**
   * Makes the bytes of the complete file durable; returns their number. The name is not durable
   * until the folder is synced, once for all files of a batch.
   */
  finish(): number {
    this.#flush()
    assert(this.#buffered === 0, 'all bytes are in the file before it is synced')
    this.#file.sync()
    this.#end()
    return this.#written
  }

  /** Closes and removes the file. */
  abandon(): void {
    this.#end()
    this.#fs.remove(this.#file.path)
  }

  #flush(): void {
    if (this.#buffered === 0) return
    assert(this.#buffered <= this.#buffer.length, 'waiting bytes are inside the buffer')
    this.#file.write(this.#written, this.#buffer.subarray(0, this.#buffered))
    this.#written += this.#buffered
    this.#buffered = 0
  }

  #end(): void {
    assert(this.#open, 'a file is finished once')
    this.#open = false
    this.#file.close()
  }
}
