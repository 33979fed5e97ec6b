// The file that will replace a log: written front to back, durable as a whole. See rotating-log.ts.
import { assert } from '../../../format/errors.ts'
import {
  encodeLogHeader,
  LOG_HEADER_BYTES,
  LOG_SEAL,
  type LogHeader,
  logRecordBytes,
  writeLogRecord,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { type File, WRITE_BUFFER_BYTES } from '../storage/index.ts'

export type SuccessorParts = {
  readonly takeOver: (end: number, records: number) => Promise<void>
  readonly abandon: () => Promise<void>
  readonly done: () => void
}

/**
 * A file under construction that will replace a log. Its records are one group: durable as a whole
 * or not at all.
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
   * Appends a record; resolves with its offset in the new file. It is durable only after the
   * takeover. Calls must not overlap.
   */
  async append(type: number, payload: Uint8Array): Promise<number> {
    assert(!this.#finished, 'a successor that is done takes no more records')
    assert(type !== LOG_SEAL, 'seals are the log’s own')
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
   * Makes the new file durable and activates it in one step; then the old one is removed. The
   * caller must not append to either meanwhile. If it fails, the old file stays active, and
   * `abandon` must still be called.
   * @throws StorageError (as a rejection)
   */
  async takeOver(): Promise<void> {
    assert(!this.#finished, 'a successor takes over once')
    await this.#flush(0)
    await this.#file.syncAsync()
    assert(this.#buffered === 0, 'all records are in the file before it takes over')
    await this.#parts.takeOver(this.#written, this.#records)
    this.#end()
  }

  /** Removes the file. */
  async abandon(): Promise<void> {
    if (this.#finished) return
    this.#end()
    try {
      await this.#parts.abandon()
    } catch (error) {
      // The file is gone if the takeover was undone; otherwise the next start removes it.
      if (!(error instanceof StorageError)) throw error
    }
  }

  #end(): void {
    this.#finished = true
    this.#parts.done()
    this.#file.close()
  }

  async #flush(room: number): Promise<void> {
    assert(this.#buffered <= this.#buffer.length, 'records are inside the buffer')
    await this.#file.writeAsync(this.#written, this.#buffer.subarray(0, this.#buffered))
    this.#written += this.#buffered
    this.#buffered = 0
    if (room > this.#buffer.length) this.#buffer = new Uint8Array(room)
  }
}
