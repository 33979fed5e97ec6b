// Checks whether the database can be written to while the server runs: its folder can be removed,
// replaced, unmounted, remounted read-only or full at any time.
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from './file-system.ts'
import { FREE_BYTES_MIN, HEALTHY_MS, RECOVERY_PAUSE_MS } from './limits.ts'

/** The health of a log: see AppendLog. */
export interface LogHealth {
  /** False after a failure until the log is recovered. */
  readonly usable: boolean
  /** Returns true if a start would find the file. @throws StorageError */
  isInPlace(): boolean
  /** @throws StorageError (as a rejection) if the log stays unusable */
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
  #soundAt = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds of a monotonic clock. */
  constructor(fs: FileSystem, logs: () => readonly LogHealth[], now: () => number) {
    this.#fs = fs
    this.#logs = logs
    this.#now = now
  }

  /**
   * Returns a sentence, without paths, why writes are or would be refused, or null. Costs four
   * system calls, once in `HEALTHY_MS`. Starts the recovery of a failed log, so a later call may
   * return null even if nothing is written.
   */
  problem(): string | null {
    return this.#problemOfFolder() ?? this.#problemOfLogs()
  }

  #problemOfFolder(): string | null {
    const now = this.#now()
    if (now - this.#soundAt < HEALTHY_MS) return null
    try {
      if (this.#logs().some((log) => !log.isInPlace())) return GONE
      this.#fs.checkWritable()
      if (this.#fs.freeBytes() < FREE_BYTES_MIN) return FULL
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.code === 'missing') return GONE
      return error.code === 'permission' ? READ_ONLY : UNUSABLE
    }
    this.#soundAt = now
    return null
  }

  #problemOfLogs(): string | null {
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

/** Ignores StorageErrors: the log stays unusable, and the next `problem` reports it. */
function expectStorageError(error: unknown): void {
  if (!(error instanceof StorageError)) throw error
}
