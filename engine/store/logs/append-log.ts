// The writer of a log (format/log): appends records, resolves when they are durable, many per sync.
//
// Group commit: records that arrive while a group is being written wait and form the next group,
// which takes one write and one sync for any number of records. The first record waits for the end
// of its turn of the event loop, so requests that arrived together are written together.
//
// Invariants
// - A record is acknowledged (its promise resolves) when it and all records before it are on disk.
// - A refused record is not in the log, nor is any record that was waiting after it. `recover`
//   describes the only exception, a log that stays unusable until the process ends.
// - One group is in flight at a time: format/log relies on this to distinguish a torn end from
//   damage.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../../format/errors.ts'
import {
  LOG_PAYLOAD_BYTES_MAX,
  LOG_SEAL,
  type LogHeader,
  logRecordBytes,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  type File,
  type FileSystem,
  LOG_FILE_BYTES_MAX,
  LOG_GROUP_BYTES_MAX,
  LOG_QUEUE_BYTES_MAX,
} from '../storage/index.ts'
import { type Appended, LogFile, type LogPosition, type NewLogRecord } from './log-file.ts'

type Waiting = NewLogRecord & {
  readonly resolve: (place: Appended) => void
  readonly reject: (error: unknown) => void
}

export class AppendLog {
  readonly path: string
  readonly header: LogHeader
  readonly #file: LogFile
  #queue: Waiting[] = []
  #queuedBytes = 0
  #running: Promise<void> | null = null
  #closed = false
  #roomWaiters: (() => void)[] = []
  #recoveries: { resolve: () => void; reject: (error: unknown) => void }[] = []

  /** Takes ownership of `file`, which was opened for a log. */
  constructor(fs: FileSystem, file: File, position: LogPosition) {
    this.#file = new LogFile(fs, file, position)
    this.path = file.path
    this.header = position.header
  }

  /** Length up to the end of the last durable record. */
  get bytes(): number {
    return this.#file.bytes
  }

  /** Number of records, seals included. */
  get records(): number {
    return this.#file.records
  }

  /** False after a failure until the log is recovered. */
  get usable(): boolean {
    return this.#file.isUsable
  }

  /** Returns true if a start would find the file. @throws StorageError */
  isInPlace(): boolean {
    return this.#closed || this.#file.isInPlace()
  }

  /** Bytes that wait to be written. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /**
   * Appends a record of type 1 to 65535; resolves when it is durable. The payload must not change
   * until then. If the queue is full, the record is refused immediately: callers that can wait
   * should await `room` first.
   * @throws StorageError (as a rejection)
   */
  append(type: number, payload: Uint8Array): Promise<Appended> {
    assert(!this.#closed, 'nothing is appended to a closed log')
    assert(type !== LOG_SEAL, 'seals are the log’s own')
    assert(type > 0 && type <= 0xffff, 'a record type is a u16')
    assert(payload.length <= LOG_PAYLOAD_BYTES_MAX, 'a record stays below its limit')
    const bytes = logRecordBytes(payload.length)
    const full = this.#whyFull(bytes)
    if (full !== null) {
      const words = `cannot write \`${this.path}\`: ${full}`
      return Promise.reject(new StorageError('io', this.path, words))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ type, payload, bytes, resolve, reject })
      this.#queuedBytes += bytes
      this.#running ??= this.#run()
    })
  }

  /** Resolves when at most half of the queue is used: back pressure for callers that can wait. */
  room(): Promise<void> {
    if (this.#queuedBytes <= LOG_QUEUE_BYTES_MAX / 2) return Promise.resolve()
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  /**
   * Recovers a log after a failure: it then holds exactly the acknowledged records. The log calls
   * this itself immediately after a failure, and again before the next group if that did not
   * succeed. Until then a process that starts may still find a refused record in the file.
   * @throws StorageError (as a rejection) if the log stays unusable
   */
  recover(): Promise<void> {
    assert(!this.#closed, 'a closed log is not recovered')
    return new Promise((resolve, reject) => {
      this.#recoveries.push({ resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Writes the waiting records, appends a seal and truncates the room after it. */
  async close(): Promise<void> {
    assert(!this.#closed, 'a log is closed once')
    this.#closed = true
    await this.#idle()
    try {
      if (this.#file.isUsable) await this.#file.seal()
    } finally {
      this.#file.close()
    }
  }

  /** Closes the file unchanged, without a seal, if nothing was appended. */
  closeWithoutSeal(): void {
    assert(!this.#closed && this.#running === null, 'a log that is at rest is let go of')
    this.#closed = true
    this.#file.close()
  }

  async #idle(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #run(): Promise<void> {
    await nextTurn()
    while (this.#queue.length + this.#recoveries.length > 0) {
      await this.#serveRecoveries()
      const group = this.#takeGroup()
      if (group.length === 0) continue
      try {
        await this.#write(group)
      } catch (error) {
        this.#refuse(group, error)
      }
      this.#wakeRoomWaiters()
    }
    this.#running = null
  }

  async #serveRecoveries(): Promise<void> {
    const asked = this.#recoveries
    this.#recoveries = []
    try {
      if (asked.length > 0 && !this.#file.isUsable) await this.#file.recover()
      for (const { resolve } of asked) resolve()
    } catch (error) {
      // The caller receives the error; the log stays broken.
      for (const { reject } of asked) reject(error)
    }
  }

  /** Returns the reason why a record of `bytes` cannot be accepted now, or null. */
  #whyFull(bytes: number): string | null {
    if (this.#file.bytes + this.#queuedBytes + bytes > LOG_FILE_BYTES_MAX)
      return 'it has become too long'
    const behind = this.#queuedBytes > 0 && this.#queuedBytes + bytes > LOG_QUEUE_BYTES_MAX
    return behind ? `${this.#queuedBytes} bytes wait to be written already` : null
  }

  #takeGroup(): Waiting[] {
    let count = 0
    let bytes = 0
    for (const { bytes: more } of this.#queue) {
      if (count > 0 && bytes + more > LOG_GROUP_BYTES_MAX) break
      bytes += more
      count++
    }
    return this.#queue.splice(0, count)
  }

  /** Refuses a group and all records after it, which may depend on it. */
  #refuse(group: readonly Waiting[], error: unknown): void {
    const refused = [...group, ...this.#queue]
    this.#queue = []
    this.#queuedBytes = 0
    for (const { reject } of refused) reject(error)
  }

  #wakeRoomWaiters(): void {
    if (this.#queuedBytes > LOG_QUEUE_BYTES_MAX / 2) return
    const waiters = this.#roomWaiters
    this.#roomWaiters = []
    for (const wake of waiters) wake()
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    if (!this.#file.isUsable) await this.#file.recover()
    const places = await this.#file.append(group)
    assert(places.length === group.length, 'each record of a group has a place')
    for (let i = 0; i < group.length; i++) {
      this.#queuedBytes -= group[i]!.bytes
      group[i]!.resolve(places[i]!)
    }
    assert(this.#queuedBytes >= 0, 'only what waited was written')
  }
}
