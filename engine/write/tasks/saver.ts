// Appends the records of batches that were committed in the manifest to the task log, one after
// another in the order of their commits, so that the log never holds a later commit without an
// earlier one.
import { RECORD_BATCH } from '../../../format/tasks/index.ts'
import { StorageError } from '../../model/index.ts'
import type { SealedBatch } from '../batching/index.ts'
import type { Appender } from './appender.ts'

export class BatchSaver {
  readonly #appender: Appender
  readonly #onSaved: (batch: SealedBatch, offset: number) => void
  readonly #unsaved: SealedBatch[] = []
  #running: Promise<void> | null = null

  constructor(appender: Appender, onSaved: (batch: SealedBatch, offset: number) => void) {
    this.#appender = appender
    this.#onSaved = onSaved
  }

  get isIdle(): boolean {
    return this.#unsaved.length === 0
  }

  /** Queues a record for the log. */
  add(batch: SealedBatch): void {
    this.#unsaved.push(batch)
    this.flush().catch(ignoreStorageError)
  }

  /**
   * Resolves when all records are in the log. @throws StorageError; the remaining records are tried
   * again later
   */
  flush(): Promise<void> {
    this.#running ??= this.#saveAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #saveAll(): Promise<void> {
    for (let next = this.#unsaved[0]; next !== undefined; next = this.#unsaved[0]) {
      const batch = next
      await this.#appender.append(RECORD_BATCH, batch.payload, (offset) => {
        this.#unsaved.shift()
        this.#onSaved(batch, offset)
      })
    }
  }
}

/** The log refused a record: it stays queued, and the next `flush` reports the error. */
function ignoreStorageError(error: unknown): void {
  if (!(error instanceof StorageError)) throw error
}
