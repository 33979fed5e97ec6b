// What an engine is opened with.
import type { Feature } from '../model/index.ts'
import type { PublishOptions } from '../publish/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { RunnerOptions, TaskKindModule } from '../task-kinds/index.ts'
import type { WorkerFiles } from '../threads/index.ts'
import type { TaskKinds } from '../write/tasks/index.ts'

export type EngineOptions = RunnerOptions & {
  /** The database folder; made if it is missing. */
  readonly path: string
  /** Whether a database of an older release may be opened; it is of this one afterwards. */
  readonly upgrade: boolean
  /** The files that threads run; null: everything happens in place, for tests and tools. */
  readonly workers: WorkerFiles | null
  readonly searchThreads: number
  /** Searches that may wait. */
  readonly searchQueueMax: number
  /** Searches that count as running, not waiting. */
  readonly searchesAtOnce: number
  /** A search is given up when it has waited and run for so long. */
  readonly searchDropAfterMs: number
  /** Milliseconds that a search thread may spend on preparing itself in idle time; absent: none. */
  readonly warmUpMs?: number
  /** Threads that build the segments of a batch; one when absent. */
  readonly indexingThreads?: number
  /** Gets notices for the operator that are not failures. */
  readonly note?: (message: string) => void
  /** Publishes the database into an object store, for followers. */
  readonly publish?: PublishOptions
  /** Features that are on, also where the database has switched them off. */
  readonly alwaysOn?: readonly Feature[]
  /** For tests: the file system in place of the real one. */
  readonly fileSystem?: FileSystem
  /** For tests: the kinds of tasks there are, in place of `taskKinds`. */
  readonly kinds?: TaskKinds<TaskKindModule>
  /** At so many tasks the oldest finished ones are deleted; infinite: never. */
  readonly taskCountMax?: number
  /** Bytes of tasks from which on writes are refused. */
  readonly queueBytesMax?: number
}
