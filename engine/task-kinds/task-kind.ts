// A kind of task, whole: how it lives in the queue, how dumps hold it, and how its batches run. One
// module of this folder says all of it; the row of `kinds.table.ts` makes it known to everybody.

import type { TaskUid } from '../../format/ids.ts'
import type { Change } from '../../format/manifest/index.ts'
import type { Webhooks } from '../admin/webhooks/index.ts'
import type { Chats } from '../ai/chats/index.ts'
import type { FailureModes } from '../ai/embedding/index.ts'
import type { ProviderPool } from '../ai/providers/index.ts'
import type { Templates } from '../ai/template/index.ts'
import type { DumpedKind } from '../backup/dumps/index.ts'
import type { Archiver } from '../backup/snapshot/index.ts'
import type { Features, Send, ShardSet } from '../model/index.ts'
import type { NetworkDescription, TopologyChange } from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import type { FileSystem, RotatingLog } from '../store/storage/index.ts'
import type { Views } from '../store/views/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type { FilterGates, Indexing, WireOperation } from '../write/indexer/index.ts'
import type { Merger } from '../write/merging/index.ts'
import type {
  BatchControl,
  BatchEnd,
  BatchPlan,
  BatchProgressStep,
  Micros,
  PlannedTask,
  QueuedContent,
  TaskDetails,
  TaskKinds,
  TaskQueue,
} from '../write/tasks/index.ts'
import type { DumpOptions, SnapshotOptions } from './options.ts'

/** What batches know of the network: which documents are of this instance. */
export interface Topology {
  /** The shards under which a task runs; null: all documents are kept. */
  shardsOf(uid: TaskUid): ShardSet | null
  /** The change that has not ended; null: no change runs. */
  readonly change: TopologyChange | null
  /** What the batch of the change does now. */
  readonly work: ChangeWork
  /** Documents that an earlier change has left behind are deleted. @throws StorageError */
  cleaned(): Promise<void>
  /** Documents are where the network says: goes into the commit of the change. */
  settledChange(): Change
}

/**
 * clean: deletes what an earlier change has left behind; the task goes on waiting. delete: deletes
 * what this instance gives up, and the task has succeeded. fail: some instances could not take in
 * their documents.
 */
export type ChangeWork =
  | { readonly kind: 'clean' | 'delete' }
  | { readonly kind: 'fail'; readonly failed: readonly string[] }

/** The parts of the engine that runs of batches work with. */
export type TaskEnvironment = {
  readonly kinds: TaskKinds<TaskKind>
  /** Of this release. */
  readonly version: string
  /** Of the database. */
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
  /** Makes vectors; null: no embedder can be asked. */
  readonly providers: ProviderPool | null
  /** What happens when embedders fail. */
  readonly failureModes: FailureModes
  readonly features: () => Features
  readonly now: () => Micros
  /** Records a chunk holds, in bytes, before segments are built from it. */
  readonly chunkBytesMax: number
  /** Called when an edit was committed. */
  readonly onCommitted: () => void
  /** Called with the steps of an upgrade that runs; absent: they are shown by the batch alone. */
  readonly onUpgradeProgress: ((steps: readonly BatchProgressStep[]) => void) | undefined
  /** Absent: no other server can be called. */
  readonly send: Send | undefined
  /** Bytes of a chunk of an export where the request names none. */
  readonly exportBytesMax: number | undefined
  /** Absent: no dumps are made. */
  readonly dumps: DumpOptions | undefined
  /** Absent: no snapshots are made. */
  readonly snapshots: SnapshotOptions | undefined
  /** Checksums of segment files that are known, for snapshots that share them. */
  readonly digests: Map<string, string>
}

/**
 * Does the work of one batch. A rejection fails all its tasks: with the fault's own words, with
 * what the world did (StorageError), or as a crash.
 */
export type BatchRun = (
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
) => Promise<BatchEnd>

/** What a kind is to a batch of changes of documents. */
export type DocumentOperation<Content extends QueuedContent = QueuedContent> = {
  /** The task as index threads are told it. */
  operation(content: Content, gates: FilterGates): WireOperation
  /** What a success shows that met so many documents. */
  counts(documents: number): TaskDetails
}

export interface TaskKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> extends DumpedKind<Content, Work> {
  /**
   * Batches that this kind runs, by `BatchPlan.work.kind`: its own name where its tasks run alone,
   * otherwise a state of the table of batches. Empty where the queue does the work itself.
   */
  readonly runs: { readonly [work: string]: BatchRun }
  readonly documents?: DocumentOperation<Work>
}

/** What the first task of a batch asks for, which is all of the batch where tasks run alone. */
export const contentOf = <Content extends QueuedContent>(plan: BatchPlan): Content =>
  plan.tasks[0]!.content as Content

/** The tasks of a batch that do something, with what they ask for. */
export const runningTasks = (plan: BatchPlan): readonly PlannedTask[] =>
  plan.tasks.filter(({ runs }) => runs)
