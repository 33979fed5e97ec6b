// Can the database be written to? Asked while the server runs: its folder can be removed, replaced,
// unmounted, mounted read only or full at any time.
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from './file-system.ts'
import { FREE_BYTES_MIN, RECOVERY_PAUSE_MS } from './limits.ts'

/** What a log tells of itself: see AppendLog. */
export interface LogHealth {
  /** False while the log has a failure behind it that could not be undone. */
  readonly usable: boolean
  /** Whether a start would find the file. @throws StorageError */
  isInPlace(): boolean
  /** @throws StorageError (as a rejection) when the log stays unusable */
  recover(): Promise<void>
}

const GONE = 'The database folder was removed, moved or replaced while the server was running.'
const READ_ONLY = 'The database folder cannot be written to.'
const FULL = 'There is no space left for the database.'
const UNUSABLE = 'The database could not be written to.'

export class StorageHealth {
  readonly #fs: FileSystem
  readonly #logs: () => readonly LogHealth[]
  readonly #now: () => number
  #triedAt = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(fs: FileSystem, logs: () => readonly LogHealth[], now: () => number) {
    this.#fs = fs
    this.#logs = logs
    this.#now = now
  }

  /**
   * Why writes are refused, or would be, as a sentence without paths; null: they are not. Costs
   * four system calls, 10 µs. A log that has failed is recovered meanwhile, so that the next answer
   * may be better without anybody writing.
   */
  problem(): string | null {
    try {
      if (this.#logs().some((log) => !log.isInPlace())) return GONE
      this.#fs.checkWritable()
      if (this.#fs.freeBytes() < FREE_BYTES_MIN) return FULL
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.code === 'missing') return GONE
      return error.code === 'permission' ? READ_ONLY : UNUSABLE
    }
    const unusable = this.#logs().filter(({ usable }) => !usable)
    if (unusable.length === 0) return null
    this.#recover(unusable)
    return UNUSABLE
  }

  #recover(logs: readonly LogHealth[]): void {
    const now = this.#now()
    if (now - this.#triedAt < RECOVERY_PAUSE_MS) return
    this.#triedAt = now
    for (const log of logs) log.recover().catch(expectStorageError)
  }
}

/** The log stays as it is: `problem` says so when it is asked again. */
function expectStorageError(error: unknown): void {
  if (!(error instanceof StorageError)) throw error
}
