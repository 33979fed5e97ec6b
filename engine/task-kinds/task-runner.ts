// Tasks at work: the scheduler makes batches, the processor runs them, the merger follows. Each
// commit publishes new views; files that only a view of the past named are removed with it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchUid, TaskUid } from '../../format/ids.ts'
import type { Webhooks } from '../admin/webhooks/index.ts'
import type { Chats } from '../ai/chats/index.ts'
import type { EmbeddingOptions, ProviderPool } from '../ai/providers/index.ts'
import type { Templates } from '../ai/template/index.ts'
import type { Archiver } from '../backup/snapshot/index.ts'
import type { Features, Send } from '../model/index.ts'
import type { NetworkDescription } from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import { indexOfUid, type Manifest, upgradeNote } from '../store/catalog/index.ts'
import type { FileSystem, RotatingLog } from '../store/storage/index.ts'
import type { Views } from '../store/views/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import { chunkBytesOf, type Indexing } from '../write/indexer/index.ts'
import { Merger } from '../write/merging/index.ts'
import {
  type BatchProgressStep,
  Grouping,
  type Micros,
  Scheduler,
  type TaskKinds,
  type TaskQueue,
} from '../write/tasks/index.ts'
import { LiveViews } from './live-views.ts'
import type { DumpOptions, SnapshotOptions } from './options.ts'
import { BatchProcessor } from './processor.ts'
import type { Runner } from './runner.ts'
import type { TaskKind, Topology } from './task-kind.ts'
import { rollBackUpgrade } from './upgrade-batch.ts'

export type RunnerOptions = {
  /** Of this release, `major.minor.patch`. */
  readonly version: string
  /** What indexing may use, in bytes. */
  readonly indexingMemoryMax: number
  /** Tasks of a batch: infinite for no limit, 0: none is run. */
  readonly batchTasksMax: number
  /** Bodies of a batch, in bytes. */
  readonly batchBytesMax: number
  readonly report: (message: string, error: unknown) => void
  /** Runs no task but an upgrade; for tools. */
  readonly onlyUpgrade?: boolean
  /** Told how far an upgrade is. */
  readonly onProgress?: (steps: readonly BatchProgressStep[]) => void
  /** Calls other servers; absent: none is called. */
  readonly send?: Send
  /** How providers of embeddings are called; absent: none is. */
  readonly embedding?: EmbeddingOptions
  /** Bytes of a chunk of an export where the request names none. */
  readonly exportBytes?: number
  /** Where snapshots go; absent: none is made. */
  readonly snapshots?: SnapshotOptions
  /** Absent: no dumps are made. */
  readonly dumps?: DumpOptions
  /** Told of batches that have ended, with the uids of their tasks. */
  readonly onBatch?: (batchUid: BatchUid, tasks: Iterable<TaskUid>) => void
  /** How long a task log that refused a record is left alone; 10 s when absent. */
  readonly retryPauseMs?: number
  /** For tests: how long an index has to rest before it is merged. */
  readonly restMs?: number
}

/** What the engine has opened for its tasks. */
export type RunnerParts = {
  readonly options: RunnerOptions
  readonly kinds: TaskKinds<TaskKind>
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly log: RotatingLog
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly indexing: Indexing
  readonly searching: Searching
  readonly archiver: Archiver
  readonly templates: Templates
  /** null: no embedder can be asked. */
  readonly providers: ProviderPool | null
  readonly now: () => Micros
}

/** What administrators have set, as tasks read it. */
export type Administered = {
  readonly features: Features
  readonly chats: Chats
  readonly network: NetworkDescription
  readonly topology: Topology
  readonly webhooks: Webhooks
}

export class TaskRunner implements Runner {
  readonly #live: LiveViews
  readonly #parts: RunnerParts
  readonly #merger: Merger
  readonly #scheduler: Scheduler
  #rollingBack: Promise<void> = Promise.resolve()

  /** `onFinished` is called with the uids of tasks that have finished together. */
  constructor(
    parts: RunnerParts,
    administered: Administered,
    onFinished: (tasks: Iterable<TaskUid>) => void,
  ) {
    this.#parts = parts
    const { options, fs, manifest, queue, indexing } = parts
    const { report } = options
    this.#live = new LiveViews(parts)
    const onCommitted = (): void => this.#live.publish()
    const searchShare = (): number => parts.searching.busyShare
    const searchesWait = (): boolean => parts.searching.isBehind
    this.#merger = new Merger({
      searchesWait,
      now: () => parts.now() / 1000,
      fs,
      manifest,
      views: this.views,
      indexing,
      memoryBytesMax: options.indexingMemoryMax,
      onCommitted,
      report,
      ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    })
    this.#scheduler = new Scheduler({
      queue,
      grouping: new Grouping({ searchShare, now: parts.now, sleep }),
      processor: this.#processor(administered, onCommitted),
      lookup: (uid) => indexOfUid(manifest.state, uid) ?? null,
      limits: { tasksMax: options.batchTasksMax, bytesMax: options.batchBytesMax },
      report,
      onFinished: (batch, tasks) => this.#finished(batch, tasks.toArray(), onFinished),
      ...(options.retryPauseMs === undefined ? {} : { retryPauseMs: options.retryPauseMs }),
    })
  }

  /** Takes writes. */
  get follows(): null {
    return null
  }

  get views(): Views {
    return this.#live.views
  }

  /** Publishes what there is, and begins with what waits. */
  start(): void {
    this.#live.publish()
    for (const index of this.#parts.manifest.state.indexes.keys()) this.#merger.touch(index)
    if (!this.#isDone()) this.#scheduler.wake()
  }

  /** Resolves when no task waits or runs. */
  idle(): Promise<void> {
    return this.#scheduler.idle()
  }

  /** Resolves when nothing is left to merge. */
  async settle(): Promise<void> {
    await this.#scheduler.idle()
    await this.#merger.settle()
  }

  /** No batch and no merge runs any more when this resolves. */
  async stop(): Promise<void> {
    await this.#scheduler.close()
    await this.#merger.close()
  }

  /** Resolves when files that are not used any more are gone; after `stop`. */
  async cleaned(): Promise<void> {
    await this.#live.cleaned()
    await this.#rollingBack
  }

  #processor(administered: Administered, onCommitted: () => void): BatchProcessor {
    const { options, ...parts } = this.#parts
    return new BatchProcessor({
      ...parts,
      version: options.version,
      failureModes: options.embedding ?? { ignoresEmbedders: false, ignoresTemplates: false },
      views: this.views,
      merger: this.#merger,
      chats: administered.chats,
      network: administered.network,
      topology: administered.topology,
      webhooks: administered.webhooks,
      features: () => administered.features,
      chunkBytesMax: chunkBytesOf(options.indexingMemoryMax),
      onCommitted,
      onUpgradeProgress: options.onProgress,
      send: options.send,
      exportBytesMax: options.exportBytes,
      dumps: options.dumps,
      snapshots: options.snapshots,
      digests: new Map(),
    })
  }

  /** Whether there is nothing left of what this process is for. */
  #isDone(): boolean {
    const { options, queue } = this.#parts
    return options.onlyUpgrade === true && queue.waitingOfKind('upgradeDatabase').length === 0
  }

  /** The batch is in the manifest; once the task log has it as well, the manifest may forget it. */
  #finished(
    batch: BatchUid,
    tasks: Iterable<TaskUid>,
    onFinished: (tasks: Iterable<TaskUid>) => void,
  ): void {
    const { manifest, queue, options } = this.#parts
    options.onBatch?.(batch, tasks)
    if (this.#isDone()) this.#stopScheduler()
    this.#stopIfRolledBack()
    onFinished(tasks)
    queue.lifecycle.saved().then(
      () => manifest.forget(batch),
      (error: unknown) => options.report('The end of a batch is not in the task log yet.', error),
    )
  }

  /**
   * An upgrade that was called off leaves a database of the older release: it is read, and nothing
   * is written to it any more.
   */
  #stopIfRolledBack(): void {
    const { fs, manifest, queue, options } = this.#parts
    if (upgradeNote(manifest.state) === null || queue.waitingOfKind('upgradeDatabase').length > 0)
      return
    this.#stopScheduler()
    this.#rollingBack = rollBackUpgrade(fs, manifest).then(
      (words) => options.report(words ?? 'The upgrade was canceled and rolled back.', null),
      (error: unknown) => options.report('The upgrade could not be rolled back.', error),
    )
  }

  /** No task runs any more. */
  #stopScheduler(): void {
    const { report } = this.#parts.options
    this.#scheduler.close().catch((error: unknown) => report('The queue stopped.', error))
  }
}
