// A body between the request that sent it and the task that owns it.
import { InvariantError } from '../../../format/errors.ts'
import type { StagedBody } from '../task-data/index.ts'

/**
 * Stores a document body on disk while it arrives. `write` resolves when the next chunk may come
 * (back pressure). A malformed body makes `write` or `finish` reject with an EngineFault; `abort`
 * deletes what was stored.
 */
export interface BodyReceiver {
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<ReceivedBody>
  abort(): Promise<void>
}

/** A well-formed body waiting for its task. Passed to `enqueueDocuments` once, or discarded. */
export class ReceivedBody {
  #staged: StagedBody | null

  constructor(staged: StagedBody) {
    this.#staged = staged
  }

  /** Returns the body for its task, to which it belongs from now on. Call it once. */
  take(): StagedBody {
    if (this.#staged === null) throw new InvariantError('a body is used once')
    const staged = this.#staged
    this.#staged = null
    return staged
  }
}
