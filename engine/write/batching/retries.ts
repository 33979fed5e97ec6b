// Repeats of batches that the disk or the machine refuses: growing pauses, one message for each
// cause and one when all batches run again.

import { isPassing, type StorageCode } from '../../model/index.ts'
import { Pause } from '../../time/index.ts'
import { RETRY_PAUSE_GROWTH, RETRY_PAUSE_MS_MAX, RETRY_PAUSE_MS_MIN } from '../task-data/index.ts'

export type RetryOptions = {
  readonly report: (message: string, error: unknown) => void
  /** Receives messages for the operator that are no defects; absent: `report` receives them. */
  readonly note?: (message: string) => void
  /** Milliseconds of every pause, for tests. */
  readonly retryPauseMs?: number
}

/** Remedies for the operator, by the code of the failure. */
const ADVICE: { readonly [code in StorageCode]?: string } = {
  no_space: 'free space on the disk of the database, or raise its quota',
  too_many_open_files: 'raise the limit of open files (`ulimit -n`, `LimitNOFILE`)',
  permission: 'let the server write to the database folder',
  io: 'check the disk and the log of the system',
}

export class Retries {
  readonly #options: RetryOptions
  #pauseMs = RETRY_PAUSE_MS_MIN
  #isWaiting = false
  #isHurried = false
  /** Causes that the log has. */
  readonly #announced = new Set<StorageCode | 'defect'>()
  readonly #pause = new Pause()

  constructor(options: RetryOptions) {
    this.#options = options
  }

  /** Waits before the next attempt; returns early after `hurry`, also one during the attempt. */
  async afterFailure(error: unknown): Promise<void> {
    this.#announce(error)
    this.#isWaiting = true
    const pauseMs = this.#options.retryPauseMs ?? this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * RETRY_PAUSE_GROWTH, RETRY_PAUSE_MS_MAX)
    const isHurried = this.#isHurried
    this.#isHurried = false
    if (isHurried) return
    await this.#pause.wait(pauseMs)
    this.#isHurried = false
  }

  /** Ends the present pause, or the next one if an attempt is under way. */
  hurry(): void {
    this.#isHurried = this.#isWaiting
    this.#pause.end()
  }

  /**
   * Called when a batch has run, or none is left. `isOver`: false if the next batch may fail for the
   * same cause.
   */
  succeeded(isOver: boolean): void {
    this.#pauseMs = RETRY_PAUSE_MS_MIN
    this.#isHurried = false
    this.#isWaiting = false
    if (!isOver || this.#announced.size === 0) return
    this.#announced.clear()
    this.#note('Tasks run again.')
  }

  #announce(error: unknown): void {
    const cause = isPassing(error) ? error.code : 'defect'
    if (this.#announced.has(cause)) return
    this.#announced.add(cause)
    if (!isPassing(error)) {
      this.#options.report('The task queue failed and tries again.', error)
      return
    }
    const advice = ADVICE[error.code]
    this.#note(`Tasks wait and are tried again, because ${error.message}: ${advice}.`)
  }

  #note(message: string): void {
    const { note, report } = this.#options
    if (note === undefined) report(message, null)
    else note(message)
  }
}
