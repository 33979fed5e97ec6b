// Bodies of documents from the request to the batch that reads them. Small ones stay in memory and
// are stored inside their task's record; larger ones are validated and written to separate files by
// a thread.

import { crc32 } from 'node:zlib'
import { BODY_FOOTER_BYTES, bodyFooter } from '../../../format/bodies/index.ts'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { type BodyFormat, StorageError } from '../../model/index.ts'
import { BODIES } from '../../store/catalog/index.ts'
import { type FileSystem, fileBytes } from '../../store/storage/index.ts'
import { type BodyTransfer, bodyPath, type Indexing } from '../indexer/index.ts'
import { createIntake } from '../intake/index.ts'
import type { StagedBody } from '../task-data/index.ts'
import type { BodyFiles } from '../tasks/index.ts'
import { type BodyReceiver, ReceivedBody } from './received-body.ts'

/** Bytes up to which a body is validated on the main thread: less than a millisecond. */
const SMALL_BODY_BYTES_MAX = 64 * KiB
/** Bytes that are read at a time from a body that is shown. */
const PIECE_BYTES = 4 * MiB
const BODY_NAME = /^(\d{6,15})\.body$/

export class Bodies implements BodyFiles {
  readonly #fs: FileSystem
  readonly #indexing: Indexing
  /** Returns the bytes of the largest body that currently fits into a record. */
  readonly #inlineMax: () => number
  #nextFile: number

  constructor(fs: FileSystem, indexing: Indexing, inlineMax: () => number) {
    this.#fs = fs
    this.#indexing = indexing
    this.#inlineMax = inlineMax
    this.#nextFile = Math.max(0, ...numbersIn(fs)) + 1
  }

  /** Sets the first unused number: lower ones belonged to removed bodies. */
  startFrom(file: number): void {
    this.#nextFile = Math.max(this.#nextFile, file)
  }

  list(): Promise<readonly number[]> {
    return Promise.resolve(numbersIn(this.#fs))
  }

  async remove(file: number): Promise<void> {
    await this.#fs.removeAsync(bodyPath(file))
  }

  receive(format: BodyFormat): BodyReceiver {
    return new Receiver(format, {
      transfer: (file) => this.#indexing.body(file, format),
      takeFile: () => this.#nextFile++,
      write: (file, documents) => this.#write(file, documents),
      inlineMax: this.#inlineMax,
    })
  }

  /**
   * Returns the documents of a task's body, or null if its file was removed because the task has
   * ended.
   */
  async read({ file, inline }: StagedBody): Promise<Uint8Array | null> {
    if (file === null) return inline
    try {
      return await this.#readFile(bodyPath(file))
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return null
      throw error
    }
  }

  /** Yields the documents of a task's body in pieces. @throws StorageError */
  async *chunks({ file, inline, bytes }: StagedBody): AsyncGenerator<Uint8Array, void, undefined> {
    if (inline !== null) yield inline
    if (file === null) return
    let left = bytes
    for await (const chunk of fileBytes(this.#fs, bodyPath(file))) {
      // A footer follows the documents.
      if (left > 0) yield chunk.subarray(0, left)
      left -= chunk.length
    }
  }

  /** Reads in pieces, between which other work runs. @throws StorageError */
  async #readFile(path: string): Promise<Uint8Array> {
    const file = await this.#fs.openAsync(path, 'read')
    try {
      const bytes = new Uint8Array(Math.max(0, file.size() - BODY_FOOTER_BYTES))
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        const piece = bytes.subarray(at, at + PIECE_BYTES)
        const read = await file.readAsync(at, piece)
        if (read === piece.length) continue
        throw new StorageError('short_file', path, `\`${path}\` is shorter than it was`)
      }
      return bytes
    } finally {
      file.close()
    }
  }

  async discard(body: ReceivedBody): Promise<void> {
    const { file } = body.take()
    if (file !== null) await this.remove(file)
  }

  /** Writes a small body to a separate file, durably. */
  async #write(number: number, documents: Uint8Array): Promise<void> {
    const path = bodyPath(number)
    const file = await this.#fs.openAsync(path, 'create')
    try {
      const footer = bodyFooter(documents.length, crc32(documents))
      const bytes = new Uint8Array(documents.length + footer.length)
      bytes.set(documents)
      bytes.set(footer, documents.length)
      await file.writeAsync(0, bytes)
      await file.syncAsync()
    } finally {
      file.close()
    }
    await this.#fs.syncDirectoryAsync(BODIES)
  }
}

function numbersIn(fs: FileSystem): number[] {
  const numbers: number[] = []
  for (const name of fs.list(BODIES)) {
    const match = BODY_NAME.exec(name)
    if (match !== null) numbers.push(Number(match[1]))
  }
  return numbers
}

type ReceiverParts = {
  readonly transfer: (file: number) => BodyTransfer
  readonly takeFile: () => number
  readonly write: (file: number, documents: Uint8Array) => Promise<void>
  readonly inlineMax: () => number
}

/** Keeps a body in memory while it is small; then passes everything to the thread. */
class Receiver implements BodyReceiver {
  readonly #format: BodyFormat
  readonly #parts: ReceiverParts
  #chunks: Uint8Array[] = []
  #bytes = 0
  #file = 0
  #transfer: BodyTransfer | null = null

  constructor(format: BodyFormat, parts: ReceiverParts) {
    this.#format = format
    this.#parts = parts
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#transfer !== null) {
      await this.#transfer.write(chunk)
      return
    }
    this.#chunks.push(new Uint8Array(chunk))
    this.#bytes += chunk.length
    if (this.#bytes <= SMALL_BODY_BYTES_MAX) return
    this.#file = this.#parts.takeFile()
    this.#transfer = this.#parts.transfer(this.#file)
    const chunks = this.#chunks
    this.#chunks = []
    for (const early of chunks) await this.#transfer.write(early)
  }

  async finish(): Promise<ReceivedBody> {
    if (this.#transfer === null) return this.#finishSmall()
    const { documents, bytes } = await this.#transfer.finish()
    return new ReceivedBody({ file: this.#file, inline: null, bytes, documents })
  }

  abort(): Promise<void> {
    this.#chunks = []
    this.#transfer?.abort()
    return Promise.resolve()
  }

  async #finishSmall(): Promise<ReceivedBody> {
    const stored: Uint8Array[] = []
    const intake = createIntake(this.#format, (bytes) => {
      stored.push(new Uint8Array(bytes))
    })
    for (const chunk of this.#chunks) intake.push(chunk)
    const { documents } = intake.finish()
    const body = new Uint8Array(Buffer.concat(stored))
    const { inlineMax, takeFile, write } = this.#parts
    if (body.length <= inlineMax()) {
      return new ReceivedBody({ file: null, inline: body, bytes: body.length, documents })
    }
    const file = takeFile()
    await write(file, body)
    return new ReceivedBody({ file, inline: null, bytes: body.length, documents })
  }
}
