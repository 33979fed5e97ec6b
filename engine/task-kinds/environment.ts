// What batches work with: the parts of the engine, as its runs need them.

import type { Webhooks } from '../admin/webhooks/index.ts'
import type { Chats } from '../ai/chats/index.ts'
import type { Templates } from '../ai/template/index.ts'
import type { Send } from '../backup/export/index.ts'
import type { Archiver } from '../backup/snapshot/index.ts'
import type { Features } from '../model/index.ts'
import type { NetworkDescription } from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import type { FileSystem, RotatingLog } from '../store/storage/index.ts'
import type { Views } from '../store/views/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type { Indexing } from '../write/indexer/index.ts'
import type { Merger } from '../write/merging/index.ts'
import type { BatchProgressStep, Micros, TaskKinds, TaskQueue } from '../write/tasks/index.ts'
import type { DumpOptions } from './dump-batch.ts'
import type { SnapshotOptions } from './snapshot-batch.ts'
import type { TaskKind } from './task-kind.ts'

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
  readonly webhooks: Webhooks
  /** Runs templates of clients. */
  readonly templates: Templates
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
