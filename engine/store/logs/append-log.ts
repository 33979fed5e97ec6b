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
//
// After each group one stat looks up the file by its path: a file that was removed or replaced
// while it is open accepts records and syncs as before, but no start would find them.
//
// After a failed write or sync the page cache beyond the durable end cannot be trusted: Linux marks
// pages clean after a failed write-back and reports the failure once, so a second sync would
// succeed without writing, and reads would show bytes that are only in memory. (Known as
// "fsyncgate", after a discussion of PostgreSQL's developers in 2018; PostgreSQL ends the server.)
// Here the log is truncated to the end of the last synced group, which discards those pages. Only
// the block at the new end remains: it is written again from memory, synced and read back.
import { assert } from '../../../format/errors.ts'
import {
  LOG_PAYLOAD_BYTES_MAX,
  LOG_SEAL,
  type LogHeader,
  logRecordBytes,
  writeLogRecord,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  type File,
  type FileSystem,
  goneError,
  LOG_FILE_BYTES_MAX,
  LOG_GROUP_BYTES_MAX,
  LOG_QUEUE_BYTES_MAX,
  LOG_ROOM_BYTES_MAX,
  LOG_ROOM_BYTES_MIN,
} from '../storage/index.ts'

/**
 * The unit in which the system caches and writes; the last block is written again after a failure.
 */
const BLOCK_BYTES = 4096

/** The location of a record in the file. */
export type Appended = { readonly offset: number; readonly bytes: number }

type Waiting = {
  readonly type: number
  readonly payload: Uint8Array
  readonly bytes: number
  readonly resolve: (place: Appended) => void
  readonly reject: (error: unknown) => void
}

/** The state of a log when it is opened: see `openLog` and `createLog`. */
export type LogPosition = {
  readonly header: LogHeader
  readonly records: number
  /** The end of the last record; everything before it is durable. */
  readonly end: number
  /** Length of the file; bytes from `end` on are zero. */
  readonly size: number
  /** The bytes [end rounded down to a block, end). */
  readonly lastBlock: Uint8Array
}

export class AppendLog {
  readonly path: string
  readonly header: LogHeader
  readonly #fs: FileSystem
  #file: File
  #end: number
  #size: number
  #records: number
  #lastBlock: Uint8Array
  #queue: Waiting[] = []
  #queuedBytes = 0
  #running: Promise<void> | null = null
  /** The failure after which the log cannot be written before it is recovered, or null. */
  #broken: StorageError | null = null
  #closed = false
  #roomWaiters: (() => void)[] = []
  #recoveries: { resolve: () => void; reject: (error: unknown) => void }[] = []

  /** Takes ownership of `file`, which was opened for a log. */
  constructor(fs: FileSystem, file: File, position: LogPosition) {
    assert(position.end <= position.size, 'records are inside the file')
    this.#fs = fs
    this.#file = file
    this.path = file.path
    this.header = position.header
    this.#end = position.end
    this.#size = position.size
    this.#records = position.records
    this.#lastBlock = position.lastBlock
  }

  /** Length up to the end of the last durable record. */
  get bytes(): number {
    return this.#end
  }

  /** Number of records, seals included. */
  get records(): number {
    return this.#records
  }

  /** False after a failure until the log is recovered. */
  get usable(): boolean {
    return this.#broken === null
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
      if (this.#broken === null) await this.#seal()
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
    await new Promise<void>((resolve) => setImmediate(resolve))
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
      if (asked.length > 0 && this.#broken !== null) await this.#recover()
      for (const { resolve } of asked) resolve()
    } catch (error) {
      // The caller receives the error; the log stays broken.
      for (const { reject } of asked) reject(error)
    }
  }

  /** Returns the reason why a record of `bytes` cannot be accepted now, or null. */
  #whyFull(bytes: number): string | null {
    if (this.#end + this.#queuedBytes + bytes > LOG_FILE_BYTES_MAX) return 'it has become too long'
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
    if (this.#broken !== null) await this.#recover()
    const places = await this.#writeGroup(group)
    for (let i = 0; i < group.length; i++) {
      this.#queuedBytes -= group[i]!.bytes
      group[i]!.resolve(places[i]!)
    }
  }

  async #writeGroup(group: readonly Waiting[]): Promise<readonly Appended[]> {
    const length = group.reduce((sum, { bytes }) => sum + bytes, 0)
    const end = this.#end + length
    const room = end > this.#size ? this.#roomBehind(end) : 0
    const wide = new Uint8Array(length + room)
    const bytes = wide.subarray(0, length)
    const places = this.#encode(group, bytes)
    if (room === 0) await this.#writeDurably(bytes)
    else await this.#writeWithRoom(wide, bytes)
    this.#lastBlock = lastBlockOf(this.#lastBlock, bytes, this.#end)
    this.#end = end
    this.#records += group.length
    return places
  }

  /** Grows the file by more than the group needs; if the disk is full, by the group alone. */
  async #writeWithRoom(wide: Uint8Array, bytes: Uint8Array): Promise<void> {
    try {
      await this.#writeDurably(wide)
      return
    } catch (error) {
      const full = error instanceof StorageError && error.code === 'no_space'
      if (!full || this.#broken !== null) throw error
    }
    await this.#writeDurably(bytes)
  }

  #roomBehind(end: number): number {
    const wanted = Math.min(Math.max(end / 4, LOG_ROOM_BYTES_MIN), LOG_ROOM_BYTES_MAX)
    const size = Math.ceil((end + wanted) / BLOCK_BYTES) * BLOCK_BYTES
    return size - end
  }

  #encode(group: readonly Waiting[], out: Uint8Array): readonly Appended[] {
    const places: Appended[] = []
    let at = 0
    for (let i = 0; i < group.length; i++) {
      const { type, payload, bytes } = group[i]!
      places.push({ offset: this.#end + at, bytes })
      const sequence = this.#records + i
      at = writeLogRecord(out, at, this.header.salt, sequence, this.#records, type, payload)
    }
    assert(at === out.length, 'a group is as long as computed')
    return places
  }

  /** Writes at the end and syncs. After a failure the log is unchanged, or broken. */
  async #writeDurably(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.writeDurableAsync(this.#end, bytes)
      this.#size = Math.max(this.#size, this.#end + bytes.length)
      if (!this.#file.isInPlace()) throw goneError(this.path)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#broken = error
      await this.#recoverOrStayBroken()
      throw error
    }
  }

  async #recoverOrStayBroken(): Promise<void> {
    try {
      await this.#recover()
    } catch (error) {
      // The first failure is reported; the next group tries again.
      if (!(error instanceof StorageError)) throw error
    }
  }

  async #recover(): Promise<void> {
    await this.#reopen()
    const size = this.#file.size()
    if (size < this.#end) {
      const finding = `\`${this.path}\` has lost bytes: it ends at ${size}`
      throw new StorageError('io', this.path, `${finding}, ${this.#end} were written`)
    }
    await this.#file.truncateAsync(this.#end)
    const from = this.#end - this.#lastBlock.length
    await this.#file.writeAsync(from, this.#lastBlock)
    await this.#file.syncAsync()
    const found = new Uint8Array(this.#lastBlock.length)
    const got = await this.#file.readAsync(from, found)
    if (got !== found.length || Buffer.compare(found, this.#lastBlock) !== 0) {
      const finding = `\`${this.path}\` does not hold what was written to it`
      throw new StorageError('io', this.path, `${finding}, at ${from}`)
    }
    this.#size = this.#end
    this.#broken = null
  }

  /** Opens a new descriptor: it does not report failures of the old one again. */
  async #reopen(): Promise<void> {
    const fresh = await this.#fs.openAsync(this.path, 'log')
    const old = this.#file
    // Another file must not be truncated to the length of ours.
    if (!fresh.isSameAs(old)) {
      fresh.close()
      throw goneError(this.path)
    }
    this.#file = fresh
    try {
      old.close()
    } catch (error) {
      // A failed write-back may be reported here too; the recovery handles it.
      if (!(error instanceof StorageError)) throw error
    }
  }

  /** Appends a seal: proof that all records before it were durable. Not synced, since optional. */
  async #seal(): Promise<void> {
    const seal = new Uint8Array(logRecordBytes(0))
    const { salt } = this.header
    writeLogRecord(seal, 0, salt, this.#records, this.#records, LOG_SEAL, new Uint8Array(0))
    try {
      await this.#file.writeAsync(this.#end, seal)
      await this.#file.truncateAsync(this.#end + seal.length)
    } catch (error) {
      // For example a full disk. A log without a seal is a valid log.
      if (!(error instanceof StorageError)) throw error
    }
  }
}

/** Returns the number of bytes before `end` that the writer holds in memory. */
export const lastBlockLength = (end: number): number => end % BLOCK_BYTES

/** Returns the bytes of a file from the last block boundary before `end` on. */
export const lastBlockOfFile = (bytes: Uint8Array, end: number): Uint8Array =>
  bytes.slice(end - lastBlockLength(end), end)

/** Returns the last block after `bytes` were appended to the block `before` at offset `at`. */
function lastBlockOf(before: Uint8Array, bytes: Uint8Array, at: number): Uint8Array {
  const length = (at + bytes.length) % BLOCK_BYTES
  if (length <= bytes.length) return bytes.slice(bytes.length - length)
  const joined = new Uint8Array(length)
  joined.set(before)
  joined.set(bytes, before.length)
  return joined
}
