// The definition of a task kind: its part in the queue, its form in dumps, and the run of its
// batches. A kind is defined by one module of this folder and a row of `kinds.table.ts`.
import type { TaskUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { Webhooks } from '../../admin/webhooks/index.ts'
import type { Chats } from '../../ai/chats/index.ts'
import type { FailureModes } from '../../ai/embedding/index.ts'
import type { ProviderPool } from '../../ai/providers/index.ts'
import type { Templates } from '../../ai/template/index.ts'
import type { DumpedKind } from '../../backup/dumps/index.ts'
import type { Archiver } from '../../backup/snapshot/index.ts'
import type { Features, Send } from '../../model/index.ts'
import type { NetworkDescription, ShardSet, TopologyChange } from '../../network/records/index.ts'
import type { Searching } from '../../read/pool/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import type { RotatingLog } from '../../store/logs/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { Views } from '../../store/views/index.ts'
import type { BatchControl, BatchEnd, BatchPlan, PlannedTask } from '../../write/batching/index.ts'
import type { Bodies } from '../../write/bodies/index.ts'
import type { Indexing } from '../../write/indexer/index.ts'
import type { Merger } from '../../write/merging/index.ts'
import type {
  BatchProgressStep,
  Micros,
  QueuedContent,
  TaskDetails,
  TaskKinds,
} from '../../write/task-data/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import type { DumpOptions, SnapshotOptions } from './options.ts'

/** The network as batches use it: which documents this instance holds. */
export interface Topology {
  /** Returns the shards under which a task runs, or null if all documents are kept. */
  shardsOf(uid: TaskUid): ShardSet | null
  /** The change that has not ended, or null if no change runs. */
  readonly change: TopologyChange | null
  /** The work that the batch of the change does next. */
  readonly work: ChangeWork
  /**
   * Reports that documents and indexes which were left behind are deleted. @throws StorageError
   */
  cleaned(): Promise<void>
  /** Returns the change that marks the topology change as complete, for its commit. */
  placementChange(): Change
}

/**
 * `clean`: deletes documents that an earlier change has left behind, and empty indexes of an
 * instance that was a member before; the task keeps waiting. `delete`: deletes the documents that
 * this instance gives up, and the task succeeds. `keep`: the task succeeds and no document is
 * deleted. `fail`: some instances could not import their documents.
 */
export type ChangeWork =
  | { readonly kind: 'clean' | 'delete' | 'keep' }
  | { readonly kind: 'fail'; readonly failed: readonly string[] }

/** The parts of the engine that batches use. */
export type TaskEnvironment = {
  readonly kinds: TaskKinds<TaskKind>
  /** Version of this release. */
  readonly version: string
  /** File system of the database. */
  readonly fs: FileSystem
  readonly manifest: Manifest
  /** The task log. */
  readonly log: RotatingLog
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly views: Views
  readonly indexing: Indexing
  readonly searching: Searching
  readonly merger: Merger
  readonly archiver: Archiver
  readonly chats: Chats
  readonly network: NetworkDescription
  readonly topology: Topology
  readonly webhooks: Webhooks
  /** Runs templates of clients. */
  readonly templates: Templates
  /** Calls embedders; null if no embedder may be called. */
  readonly providers: ProviderPool | null
  /** How failures of embedders are treated. */
  readonly failureModes: FailureModes
  readonly features: () => Features
  readonly now: () => Micros
  /** Milliseconds since 1970 of the clock that decides which documents have expired. */
  readonly wallMs: () => number
  /** Bytes of records that a chunk holds before segments are built from it. */
  readonly chunkBytesMax: number
  /** Called after an edit was committed. */
  readonly onCommitted: () => void
  /** Called with the steps of a running upgrade; absent: only the batch shows them. */
  readonly onUpgradeProgress: ((steps: readonly BatchProgressStep[]) => void) | undefined
  /** Calls other servers; absent if none may be called. */
  readonly send: Send | undefined
  /** Bytes of a chunk of an export if the request names no size. */
  readonly exportBytesMax: number | undefined
  /** Absent if dumps are disabled. */
  readonly dumps: DumpOptions | undefined
  /** Absent if snapshots are disabled. */
  readonly snapshots: SnapshotOptions | undefined
  /** Cached checksums of segment files, shared by snapshots. */
  readonly digests: Map<string, string>
}

/**
 * Does the work of one batch. A rejection fails all its tasks: with the message of the EngineFault,
 * with a description of the StorageError, or as an internal error.
 */
export type BatchRun = (
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
) => Promise<BatchEnd>

export interface TaskKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> extends DumpedKind<Content, Work> {
  /**
   * The batches that this kind runs, by `BatchPlan.work.kind`: its own name if its tasks run alone,
   * otherwise a state of the table of batches. Empty if the queue does the work itself.
   */
  readonly runs: { readonly [work: string]: BatchRun }
  /**
   * Returns the details of a success that processed this many documents. Only for kinds whose tasks
   * change documents: their contents are `DocumentOperation`s.
   */
  readonly documentCounts?: (documents: number) => TaskDetails
}

/**
 * Returns the content of the first task of a batch: the only one, if tasks of its kind run alone.
 */
export const contentOf = <Content extends QueuedContent>(plan: BatchPlan): Content =>
  plan.tasks[0]!.content as Content

/**
 * Returns the tasks of a batch that have an effect; others were absorbed by a later clear or
 * deletion.
 */
export const runningTasks = (plan: BatchPlan): readonly PlannedTask[] =>
  plan.tasks.filter(({ hasEffect }) => hasEffect)
