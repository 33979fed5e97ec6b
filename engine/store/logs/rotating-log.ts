// A log that is rewritten from time to time: a folder with one active file, whose records are read
// back by offset, and a successor that takes over in one step.
//
// The files are named `<name>-000003.log`. The one with the largest number is active, so one rename
// activates a finished successor; a start removes older files.
//
// Taking over: the successor is made durable under a temporary name · it is renamed · the folder is
// synced · the old file is removed. If the sync fails, a restart might find either file, so the
// rename is undone and synced; nothing is appended until that has succeeded.
import { assert } from '../../../format/errors.ts'
import { LOG_HEADER_BYTES, type LogHeader, logRecordBytes } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  type File,
  type FileSystem,
  isTemporaryName,
  type LogHealth,
  temporaryName,
} from '../storage/index.ts'
import { AppendLog } from './append-log.ts'
import { numbersIn, pathOf } from './file-names.ts'
import { lastBlockLength } from './log-file.ts'
import { createLog, openLog } from './open-log.ts'
import { entryOf, type LogEntry, readFully, readPortion, readRecord } from './record-reader.ts'
import { Successor } from './successor.ts'

export type RotatingLogOptions = {
  /** An existing folder for the files. */
  readonly folder: string
  /** Prefix of their names. */
  readonly name: string
  /** Four letters, as in format/log. */
  readonly kind: string
  readonly drawLogSalt: () => number
  /** As in `openLog`; absent means false. */
  readonly isAsClosed?: boolean
}

/**
 * One file: its writer, and a descriptor for reading, which stays open until the last reader is
 * done.
 */
type Generation = {
  readonly number: number
  readonly log: AppendLog
  readonly reader: File
  readers: number
  retired: boolean
}

export class RotatingLog {
  readonly #fs: FileSystem
  readonly #options: RotatingLogOptions
  #current: Generation
  /** The records read by `open`, for the scan that follows it; then null. */
  #opened: readonly LogEntry[] | null
  /** The name that a failed takeover may have left behind, or null. */
  #uncertainPath: string | null = null
  #undoing: Promise<void> | null = null
  #rotating = false

  private constructor(
    fs: FileSystem,
    options: RotatingLogOptions,
    current: Generation,
    opened: readonly LogEntry[],
  ) {
    this.#fs = fs
    this.#options = options
    this.#current = current
    this.#opened = opened
  }

  /**
   * Opens the active file, or creates the first one. Blocks for two syncs, unless it `isAsClosed`.
   * @throws StorageError
   */
  static async open(fs: FileSystem, options: RotatingLogOptions): Promise<RotatingLog> {
    const numbers = numbersIn(fs, options)
    const isAsClosed = options.isAsClosed === true && numbers.length === 1
    // A process that was killed may have left a rename only in the cache.
    if (!isAsClosed) fs.syncDirectory(options.folder)
    const number = numbers.at(-1) ?? 1
    const path = pathOf(options, number)
    const entries: LogEntry[] = []
    const { kind } = options
    const log =
      numbers.length === 0
        ? await createLog(fs, path, { kind, number, salt: options.drawLogSalt() }, [])
        : openLog(fs, path, kind, (record) => entries.push(entryOf(record)), { isAsClosed }).log
    for (const older of numbers.slice(0, -1)) await fs.removeAsync(pathOf(options, older))
    for (const name of fs.list(options.folder)) {
      const leftOver = isTemporaryName(name) && name.startsWith(`${options.name}-`)
      if (leftOver) await fs.removeAsync(`${options.folder}/${name}`)
    }
    const reader = fs.open(path, 'read')
    const current = { number, log, reader, readers: 0, retired: false }
    return new RotatingLog(fs, options, current, entries)
  }

  /** Length of the active file up to the last durable record. */
  get bytes(): number {
    return this.#current.log.bytes
  }

  /**
   * Appends a record; resolves with its offset once it is durable. Records are written in the order
   * of calls. After a rejection a restart may find the record if the log could not recover before.
   * @throws StorageError (as a rejection)
   */
  async append(type: number, payload: Uint8Array): Promise<number> {
    if (this.#uncertainPath !== null) await this.#undo()
    const { offset } = await this.#current.log.append(type, payload)
    return offset
  }

  /** Back pressure: see AppendLog. */
  room(): Promise<void> {
    return this.#current.log.room()
  }

  /**
   * Gives the active file a second name, which outlives the file's own name; returns its path, or
   * null if the system does not support second names. Bytes that are durable now do not change;
   * later records follow them.
   */
  link(to: string): string | null {
    const { path } = this.#current.log
    return this.#fs.link(path, to) ? path : null
  }

  /** Health of the active file's log. */
  get activeLog(): LogHealth {
    return this.#current.log
  }

  /** Path of the active file. */
  get path(): string {
    return this.#current.log.path
  }

  /**
   * Reads a record by its offset. @throws StorageError (as a rejection) `corrupt` if it is damaged
   */
  async read(offset: number): Promise<LogEntry> {
    const generation = this.#current
    const { log } = generation
    assert(offset >= LOG_HEADER_BYTES && offset < log.bytes, 'a record is read where one is')
    generation.readers++
    try {
      return await readRecord(generation, offset)
    } finally {
      generation.readers--
      this.#closeIfUnused(generation)
    }
  }

  /**
   * Yields the durable records that begin in [from, to), in order, in portions of about 64 KiB.
   * `from` is the offset of a record, or 0. A first scan from 0 does not read the file again.
   */
  async *scan(from: number, to: number): AsyncIterable<readonly LogEntry[]> {
    assert(from >= 0 && from <= to, 'a scan goes forward')
    const opened = this.#opened
    this.#opened = null
    let at = Math.max(from, LOG_HEADER_BYTES)
    if (opened !== null && at === LOG_HEADER_BYTES) {
      const entries = opened.filter(({ offset }) => offset < to)
      for (let i = 0; i < entries.length; i += 1024) yield entries.slice(i, i + 1024)
      const last = opened.at(-1)
      if (last !== undefined) at = last.offset + logRecordBytes(last.payload.length)
    }
    const generation = this.#current
    const end = Math.min(to, generation.log.bytes)
    generation.readers++
    try {
      while (at < end) {
        const portion = await readPortion(generation, at, end)
        at = portion.next
        if (portion.entries.length > 0) yield portion.entries
      }
    } finally {
      generation.readers--
      this.#closeIfUnused(generation)
    }
  }

  /**
   * Begins a file that can replace this one. One at a time. @throws StorageError (as a rejection)
   */
  async rotate(): Promise<Successor> {
    assert(!this.#rotating, 'one successor is written at a time')
    if (this.#uncertainPath !== null) await this.#undo()
    this.#rotating = true
    try {
      const number = this.#current.number + 1
      const header = { kind: this.#options.kind, number, salt: this.#options.drawLogSalt() }
      const path = pathOf(this.#options, number)
      const aside = temporaryName(path)
      if (this.#fs.exists(aside)) await this.#fs.removeAsync(aside)
      const file = await this.#fs.openAsync(aside, 'create')
      return new Successor(file, header, {
        takeOver: (end, records) => this.#takeOver(path, header, end, records),
        abandon: () => this.#fs.removeAsync(aside),
        done: () => {
          this.#rotating = false
        },
      })
    } catch (error) {
      this.#rotating = false
      throw error
    }
  }

  /** Waits for pending appends and running reads. */
  async close(): Promise<void> {
    const { log } = this.#current
    await log.close()
    this.#retire(this.#current)
  }

  async #takeOver(path: string, header: LogHeader, end: number, records: number): Promise<void> {
    const folder = this.#options.folder
    this.#uncertainPath = path
    try {
      await this.#fs.renameAsync(temporaryName(path), path)
      await this.#fs.syncDirectoryAsync(folder)
      const { log, reader } = await this.#openBoth(path, header, end, records)
      const old = this.#current
      this.#current = { number: header.number, log, reader, readers: 0, retired: false }
      this.#uncertainPath = null
      this.#opened = null
      await this.#removeOld(old)
    } catch (error) {
      if (!(error instanceof StorageError) || this.#uncertainPath === null) throw error
      await this.#tryUndo()
      throw error
    }
  }

  async #openBoth(
    path: string,
    header: LogHeader,
    end: number,
    records: number,
  ): Promise<{ log: AppendLog; reader: File }> {
    const reader = await this.#fs.openAsync(path, 'read')
    try {
      const lastBlock = new Uint8Array(lastBlockLength(end))
      await readFully(reader, end - lastBlock.length, lastBlock)
      const file = await this.#fs.openAsync(path, 'log')
      const position = { header, records, end, size: end, lastBlock }
      return { log: new AppendLog(this.#fs, file, position), reader }
    } catch (error) {
      reader.close()
      throw error
    }
  }

  async #removeOld(old: Generation): Promise<void> {
    try {
      await old.log.close()
      this.#retire(old)
      await this.#fs.removeAsync(old.log.path)
    } catch (error) {
      // The file does no harm: the next start removes older files.
      if (!(error instanceof StorageError)) throw error
    }
  }

  async #tryUndo(): Promise<void> {
    try {
      await this.#undo()
    } catch (error) {
      // The first failure is reported; the next append tries again.
      if (!(error instanceof StorageError)) throw error
    }
  }

  /** Ensures that a restart finds the old file; one attempt at a time. @throws StorageError */
  #undo(): Promise<void> {
    this.#undoing ??= this.#undoTakeOver().finally(() => {
      this.#undoing = null
    })
    return this.#undoing
  }

  async #undoTakeOver(): Promise<void> {
    const path = this.#uncertainPath
    if (path === null) return
    if (this.#fs.exists(path)) await this.#fs.removeAsync(path)
    await this.#fs.syncDirectoryAsync(this.#options.folder)
    this.#uncertainPath = null
  }

  #retire(generation: Generation): void {
    generation.retired = true
    this.#closeIfUnused(generation)
  }

  #closeIfUnused(generation: Generation): void {
    if (generation.retired && generation.readers === 0) generation.reader.close()
  }
}
