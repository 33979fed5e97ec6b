// The upkeep of the task log: starts and ends its rewrites, and states which part of it a copy of
// the database needs.
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import type { TaskLog, TaskReader, TaskState } from '../task-data/index.ts'
import type { Appender } from './appender.ts'
import type { BatchLifecycle } from './lifecycle.ts'
import { rewriteLog, type UnpublishedTasks } from './rewrite.ts'
import { type RewriteFacts, RewritePolicy } from './rewrite-policy.ts'

/** A part of the log, from its start. */
export type QueueCut = {
  readonly bytes: number
  /** The smallest uid of a task that it does not hold. */
  readonly nextTask: TaskUid
  /** The body files that its tasks still need. */
  readonly bodies: readonly number[]
}

type UpkeepParts = {
  readonly state: TaskState
  readonly reader: TaskReader
  readonly log: TaskLog
  readonly appender: Appender
  readonly lifecycle: BatchLifecycle
  readonly unpublished: UnpublishedTasks
  readonly report: (message: string, error: unknown) => void
}

export class LogUpkeep {
  readonly #parts: UpkeepParts
  readonly #policy: RewritePolicy
  #rewriting: Promise<void> | null = null
  #isClosing = false
  /** The oldest task that was unconfirmed by some remote when the log was last checked. */
  #oldestOpen = -1

  constructor(parts: UpkeepParts, rewriteBytesMin: number | undefined) {
    this.#parts = parts
    this.#policy = new RewritePolicy(rewriteBytesMin)
  }

  /**
   * The applied part of the log, or null while the log is being rewritten. Read it in a separate
   * turn of the event loop, when no change is half done.
   */
  get cut(): QueueCut | null {
    if (this.#rewriting !== null) return null
    const { state, log, appender } = this.#parts
    const bytes = appender.reached === 0 ? log.bytes : appender.reached
    return { bytes, nextTask: state.nextApplied, bodies: state.neededBodies() }
  }

  /** Starts a rewrite of the log if it is due; batches continue meanwhile. */
  maintain(): void {
    const isDue = this.#rewriting === null && this.#policy.isDue(this.#facts)
    if (!isDue) return
    // A rewritten log omits the requests of ended tasks, which an unreachable remote still needs.
    const oldest = this.#parts.state.network.unconfirmed.oldestOpen
    const hasWaited = oldest >= 0 && oldest === this.#oldestOpen
    this.#oldestOpen = oldest
    if (!hasWaited) void this.#rewriteQuietly()
  }

  get #facts(): RewriteFacts {
    const { state, log } = this.#parts
    const { garbageBytes, endedSecrets } = state
    return { bytes: log.bytes, garbageBytes, endedSecrets }
  }

  /** Rewrites the log now, in slices; resolves when it is done. @throws StorageError */
  rewrite(): Promise<void> {
    this.#rewriting ??= this.#rewrite().finally(() => {
      this.#rewriting = null
    })
    return this.#rewriting
  }

  /** Rewrites the log. Returns its bytes before and after. @throws StorageError */
  async compact(): Promise<{ readonly before: number; readonly after: number }> {
    const { log } = this.#parts
    const before = log.bytes
    await this.rewrite()
    return { before, after: log.bytes }
  }

  async #rewriteQuietly(): Promise<void> {
    try {
      await this.rewrite()
    } catch (error) {
      // A full disk, for example: the old log stays active, and the next attempt waits until it
      // would gain more.
      if (!isEnvironmentError(error)) throw error
      this.#policy.failed(this.#facts)
      this.#parts.report('The task log could not be rewritten.', error)
    }
  }

  async #rewrite(): Promise<void> {
    const { state, reader, log, appender, lifecycle, unpublished } = this.#parts
    while (!lifecycle.isQuiet) await lifecycle.whenQuiet()
    await rewriteLog({
      state,
      reader,
      log,
      appender,
      isStopped: () => this.#isClosing,
      unpublished,
    })
  }

  /** Ends a running rewrite early. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#rewriting?.catch(ignoreError)
  }
}

/**
 * Returns true for errors of the file system and of stored data, false for internal and client
 * errors.
 */
export const isEnvironmentError = (error: unknown): boolean =>
  error instanceof StorageError || error instanceof CorruptionError || error instanceof VersionError

/** The caller of the rewrite has received its error. */
const ignoreError = (): void => undefined
