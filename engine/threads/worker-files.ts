// The programs that worker threads run, as the build made them.
import type { Worker } from 'node:worker_threads'

/** Thread → its program. */
export type WorkerFiles = {
  readonly search: URL
  readonly index: URL
  readonly archive: URL
  readonly template: URL
  /** Local models. */
  readonly models: URL
  /** A thread of the file `search` that was started ahead, without data. */
  readonly firstSearch?: Worker | null
}
