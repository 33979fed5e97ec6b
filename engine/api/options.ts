// The options of an engine.
import type { PublishOptions } from '../followers/publishing/index.ts'
import type { Feature } from '../model/index.ts'
import type { RunnerOptions } from '../runner/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { TaskKind } from '../task-kinds/kind/index.ts'
import type { WorkerFiles } from '../threads/index.ts'
import type { TaskKinds } from '../write/task-data/index.ts'

export type EngineOptions = RunnerOptions & {
  /** The database folder; created if it is missing. */
  readonly path: string
  /** Whether a database of an older release may be opened, which upgrades it to this release. */
  readonly upgrade: boolean
  /** The scripts of worker threads, or null to run all work inline, for tests and tools. */
  readonly workers: WorkerFiles | null
  readonly searchThreads: number
  /** Whether the last of several search threads works only when the others do not suffice. */
  readonly keepsSearchReserve?: boolean
  /** Number of searches that may wait. */
  readonly searchQueueMax: number
  /** Number of searches that count as running, not waiting. */
  readonly searchesAtOnce: number
  /** Milliseconds of waiting and running after which a search is dropped. */
  readonly searchDropAfterMs: number
  /**
   * Bytes that the caches of all search threads may hold together; absent means
   * SEARCH_CACHE_BYTES_MAX.
   */
  readonly searchCacheBytesMax?: number
  /** Milliseconds that a search thread may spend on warming up while idle; absent means none. */
  readonly warmUpMs?: number
  /** Number of threads that build the segments of a batch; one if absent. */
  readonly indexingThreads?: number
  /** Receives notices for the operator that are not failures. */
  readonly note?: (message: string) => void
  /** Publishes the database into an object store, for followers. */
  readonly publish?: PublishOptions
  /** Whether the engine only reads: nothing is written, and files are as they were. */
  readonly isReader?: boolean
  /** Features that stay on even if the database has switched them off. */
  readonly alwaysOn?: readonly Feature[]
  /** For tests: replaces the real file system. */
  readonly fileSystem?: FileSystem
  /** For tests: replaces `taskKinds`. */
  readonly kinds?: TaskKinds<TaskKind>
  /**
   * Number of tasks from which on the oldest finished tasks are deleted; `Infinity` means never.
   */
  readonly taskCountMax?: number
  /** Bytes of task records from which on writes are refused. */
  readonly queueBytesMax?: number
}
