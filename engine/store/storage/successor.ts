// The file that will take a log's place: written front to back, durable as a whole. See
// rotating-log.ts.
import { assert } from '../../../format/errors.ts'
import {
  encodeLogHeader,
  LOG_HEADER_BYTES,
  type LogHeader,
  logRecordBytes,
  writeLogRecord,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import type { File } from './file-system.ts'
import { WRITE_BUFFER_BYTES } from './limits.ts'

export type SuccessorParts = {
  readonly takeOver: (end: number, records: number) => Promise<void>
  readonly abandon: () => Promise<void>
  readonly done: () => void
}

/**
 * A file being written that will take a log's place. It is one group: durable as a whole, or not.
 */
export class Successor {
  readonly #file: File
  readonly #header: LogHeader
  readonly #parts: SuccessorParts
  #buffer = new Uint8Array(WRITE_BUFFER_BYTES)
  #buffered: number
  #written = 0
  #records = 0
  #finished = false

  constructor(file: File, header: LogHeader, parts: SuccessorParts) {
    this.#file = file
    this.#header = header
    this.#parts = parts
    this.#buffer.set(encodeLogHeader(header))
    this.#buffered = LOG_HEADER_BYTES
  }

  /**
   * Resolves with the offset in the new file; durable only when it has taken over. Not called twice
   * at once.
   */
  async append(type: number, payload: Uint8Array): Promise<number> {
    assert(!this.#finished, 'a successor that is done takes no more records')
    const size = logRecordBytes(payload.length)
    if (this.#buffered + size > this.#buffer.length) await this.#flush(size)
    const offset = this.#written + this.#buffered
    const { salt } = this.#header
    this.#buffer.fill(0, this.#buffered, this.#buffered + size)
    writeLogRecord(this.#buffer, this.#buffered, salt, this.#records++, 0, type, payload)
    this.#buffered += size
    return offset
  }

  /**
   * Makes the new file durable and puts it in force in one step; then the old one is removed.
   * Nothing is appended to either meanwhile. Should it fail, the old file stays in force, and
   * `abandon` is still due.
   * @throws StorageError (as a rejection)
   */
  async takeOver(): Promise<void> {
    assert(!this.#finished, 'a successor takes over once')
    await this.#flush(0)
    await this.#file.syncAsync()
    await this.#parts.takeOver(this.#written, this.#records)
    this.#end()
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    if (this.#finished) return
    this.#end()
    try {
      await this.#parts.abandon()
    } catch (error) {
      // Gone already when the take-over was undone; otherwise it is removed at the next start.
      if (!(error instanceof StorageError)) throw error
    }
  }

  #end(): void {
    this.#finished = true
    this.#parts.done()
    this.#file.close()
  }

  async #flush(room: number): Promise<void> {
    await this.#file.writeAsync(this.#written, this.#buffer.subarray(0, this.#buffered))
    this.#written += this.#buffered
    this.#buffered = 0
    if (room > this.#buffer.length) this.#buffer = new Uint8Array(room)
  }
}
