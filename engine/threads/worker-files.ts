// The programs that worker threads run, as the build creates them.
import type { Worker } from 'node:worker_threads'

/** The program of each kind of thread. */
export type WorkerFiles = {
  readonly search: URL
  readonly index: URL
  readonly archive: URL
  readonly template: URL
  /** Runs local models. */
  readonly models: URL
  /** A thread of the file `search` that was started early, without data. */
  readonly firstSearch?: Worker | null
}
