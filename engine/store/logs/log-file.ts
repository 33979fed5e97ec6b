// The file of a log: writes groups of records durably, and recovers after a failure.
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
  LOG_ROOM_BYTES_MAX,
  LOG_ROOM_BYTES_MIN,
} from '../storage/index.ts'

/**
 * The unit in which the system caches and writes; the last block is written again after a failure.
 */
const BLOCK_BYTES = 4096

/** The location of a record in the file. */
export type Appended = { readonly offset: number; readonly bytes: number }

/** A record to append; `bytes`: its length in the file. */
export type NewLogRecord = {
  readonly type: number
  readonly payload: Uint8Array
  readonly bytes: number
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

export class LogFile {
  readonly #path: string
  readonly #header: LogHeader
  readonly #fs: FileSystem
  #file: File
  #end: number
  #size: number
  #records: number
  #lastBlock: Uint8Array
  /** The failure after which the log cannot be written before it is recovered, or null. */
  #broken: StorageError | null = null

  /** Takes ownership of `file`, which was opened for a log. */
  constructor(fs: FileSystem, file: File, position: LogPosition) {
    assert(position.end <= position.size, 'records are inside the file')
    this.#fs = fs
    this.#file = file
    this.#path = file.path
    this.#header = position.header
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

  /** False after a failure until the file is recovered. */
  get isUsable(): boolean {
    return this.#broken === null
  }

  /** Returns true if a start would find the file. @throws StorageError */
  isInPlace(): boolean {
    return this.#file.isInPlace()
  }

  close(): void {
    this.#file.close()
  }

  /**
   * Appends records as one group; resolves with their places when they are durable. After a failure
   * the file is unchanged, or it is unusable until it is recovered. @throws StorageError
   */
  async append(group: readonly NewLogRecord[]): Promise<readonly Appended[]> {
    assert(group.length > 0, 'a group has a record')
    const length = group.reduce((sum, { bytes }) => sum + bytes, 0)
    const end = this.#end + length
    const room = end > this.#size ? this.#roomBehind(end) : 0
    const wide = new Uint8Array(length + room)
    const bytes = wide.subarray(0, length)
    const places = this.#encode(group, bytes)
    if (room === 0) await this.#writeDurably(bytes)
    else await this.#writeWithRoom(wide, bytes)
    this.#lastBlock = lastBlockOf(this.#lastBlock, bytes, this.#end)
    assert(this.#lastBlock.length === lastBlockLength(end), 'the last block ends with the log')
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

  #encode(group: readonly NewLogRecord[], out: Uint8Array): readonly Appended[] {
    const places: Appended[] = []
    let at = 0
    for (let i = 0; i < group.length; i++) {
      const { type, payload, bytes } = group[i]!
      places.push({ offset: this.#end + at, bytes })
      const sequence = this.#records + i
      at = writeLogRecord(out, at, this.#header.salt, sequence, this.#records, type, payload)
    }
    assert(at === out.length, 'a group is as long as computed')
    return places
  }

  /** Writes at the end and syncs. After a failure the log is unchanged, or broken. */
  async #writeDurably(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.writeDurableAsync(this.#end, bytes)
      this.#size = Math.max(this.#size, this.#end + bytes.length)
      if (!this.#file.isInPlace()) throw goneError(this.#path)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#broken = error
      await this.#recoverOrStayBroken()
      throw error
    }
  }

  async #recoverOrStayBroken(): Promise<void> {
    try {
      await this.recover()
    } catch (error) {
      // The first failure is reported; the next group tries again.
      if (!(error instanceof StorageError)) throw error
    }
  }

  /** Makes the file hold exactly the durable records. @throws StorageError if it stays unusable */
  async recover(): Promise<void> {
    await this.#reopen()
    const size = this.#file.size()
    if (size < this.#end) {
      const finding = `\`${this.#path}\` has lost bytes: it ends at ${size}`
      throw new StorageError('io', this.#path, `${finding}, ${this.#end} were written`)
    }
    await this.#file.truncateAsync(this.#end)
    const from = this.#end - this.#lastBlock.length
    assert(from % BLOCK_BYTES === 0, 'a recovery rewrites a block from its start')
    await this.#file.writeAsync(from, this.#lastBlock)
    await this.#file.syncAsync()
    const found = new Uint8Array(this.#lastBlock.length)
    const got = await this.#file.readAsync(from, found)
    if (got !== found.length || Buffer.compare(found, this.#lastBlock) !== 0) {
      const finding = `\`${this.#path}\` does not hold what was written to it`
      throw new StorageError('io', this.#path, `${finding}, at ${from}`)
    }
    this.#size = this.#end
    this.#broken = null
  }

  /** Opens a new descriptor: it does not report failures of the old one again. */
  async #reopen(): Promise<void> {
    const fresh = await this.#fs.openAsync(this.#path, 'log')
    const old = this.#file
    // Another file must not be truncated to the length of ours.
    if (!fresh.isSameAs(old)) {
      fresh.close()
      throw goneError(this.#path)
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
  async seal(): Promise<void> {
    const seal = new Uint8Array(logRecordBytes(0))
    const { salt } = this.#header
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
