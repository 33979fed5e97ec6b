// The task log of another database, as it was when it was published: a file that is read and never
// written. Batches in the manifest that the file does not have yet are kept in memory behind its
// end, so that tasks show their outcomes.
import { dataView } from '../../../format/bytes/index.ts'
import {
  decodeLogHeader,
  decodeLogRecord,
  LOG_HEADER_BYTES,
  LOG_RECORD_HEADER_BYTES,
  LOG_SEAL,
  type LogHeader,
  logRecordBytes,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { naming } from '../../store/logs/index.ts'
import type { File, FileSystem } from '../../store/storage/index.ts'
import type { LogEntry, TaskLog, TaskLogSuccessor } from '../../write/task-data/index.ts'
import { FIRST_READ_BYTES, PORTION_BYTES } from './limits.ts'

const KIND = 'TASK'

export class FollowedLog implements TaskLog {
  readonly #file: File
  readonly #header: LogHeader
  readonly #fileBytes: number
  readonly #refusal: () => Error
  /** Records behind the end of the file, by offset. */
  readonly #added = new Map<number, LogEntry>()
  #end: number
  #readers = 0
  #isClosed = false

  private constructor(file: File, header: LogHeader, bytes: number, refusal: () => Error) {
    this.#refusal = refusal
    this.#file = file
    this.#header = header
    this.#fileBytes = bytes
    this.#end = bytes
  }

  /**
   * `refusal`: creates the error for attempts to write. `bytes`: length up to the end of the last
   * record, if the file is longer. @throws StorageError
   */
  static async open(
    fs: FileSystem,
    path: string,
    refusal: () => Error,
    bytes = fs.size(path),
  ): Promise<FollowedLog> {
    const file = await fs.openAsync(path, 'read')
    try {
      const head = new Uint8Array(LOG_HEADER_BYTES)
      await readFully(file, 0, head)
      const header = naming(path, () => decodeLogHeader(head, KIND))
      return new FollowedLog(file, header, bytes, refusal)
    } catch (error) {
      file.close()
      throw error
    }
  }

  get bytes(): number {
    return this.#end
  }

  append(type: number, payload: Uint8Array): Promise<number> {
    const offset = this.#end
    this.#added.set(offset, { offset, type, payload })
    this.#end += logRecordBytes(payload.length)
    return Promise.resolve(offset)
  }

  async read(offset: number): Promise<LogEntry> {
    const added = this.#added.get(offset)
    if (added !== undefined) return added
    return this.#reading(async () => {
      const bytes = await this.#bytesAt(offset, FIRST_READ_BYTES)
      const size = this.#recordSize(bytes, this.#fileBytes - offset, offset)
      return this.#entryAt(bytes.subarray(0, size), offset)
    })
  }

  async *scan(from: number, to: number): AsyncIterable<readonly LogEntry[]> {
    let at = Math.max(from, LOG_HEADER_BYTES)
    const end = Math.min(to, this.#fileBytes)
    while (at < end) {
      const portion = await this.#reading(() => this.#portion(at, end))
      at = portion.next
      if (portion.entries.length > 0) yield portion.entries
    }
    const rest = [...this.#added.values()].filter(({ offset }) => offset >= from && offset < to)
    if (rest.length > 0) yield rest
  }

  rotate(): Promise<TaskLogSuccessor> {
    return Promise.reject(this.#refusal())
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#closeIfUnused()
    return Promise.resolve()
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    this.#readers++
    try {
      return await work()
    } finally {
      this.#readers--
      this.#closeIfUnused()
    }
  }

  #closeIfUnused(): void {
    if (this.#isClosed && this.#readers === 0) this.#file.close()
  }

  /** Reads `count` bytes from the start of a record, or more if the record is longer. */
  async #bytesAt(at: number, count: number): Promise<Uint8Array> {
    const left = this.#fileBytes - at
    const bytes = new Uint8Array(Math.min(count, left))
    await readFully(this.#file, at, bytes)
    const size = this.#recordSize(bytes, left, at)
    if (size <= bytes.length) return bytes
    const longer = new Uint8Array(size)
    await readFully(this.#file, at, longer)
    return longer
  }

  async #portion(at: number, end: number): Promise<{ entries: LogEntry[]; next: number }> {
    const bytes = await this.#bytesAt(at, PORTION_BYTES)
    const entries: LogEntry[] = []
    let next = at
    while (next < end && next - at + LOG_RECORD_HEADER_BYTES <= bytes.length) {
      const rest = bytes.subarray(next - at)
      const size = this.#recordSize(rest, this.#fileBytes - next, next)
      if (size > rest.length) break
      const entry = this.#entryAt(rest.subarray(0, size), next)
      if (entry.type !== LOG_SEAL) entries.push(entry)
      next += size
    }
    return { entries, next }
  }

  #recordSize(bytes: Uint8Array, left: number, offset: number): number {
    if (bytes.length >= LOG_RECORD_HEADER_BYTES) {
      const view = dataView(bytes)
      const size = logRecordBytes(view.getUint32(8, true))
      if (size <= left) return size
    }
    const { path } = this.#file
    throw new StorageError('corrupt', path, `\`${path}\` is damaged: no record at ${offset}`)
  }

  #entryAt(bytes: Uint8Array, at: number): LogEntry {
    const { offset, type, payload } = naming(this.#file.path, () =>
      decodeLogRecord(bytes, this.#header, at),
    )
    return { offset, type, payload }
  }
}

async function readFully(file: File, at: number, target: Uint8Array): Promise<void> {
  const got = await file.readAsync(at, target)
  if (got === target.length) return
  const words = `\`${file.path}\` ends before ${at + target.length}`
  throw new StorageError('short_file', file.path, words)
}
