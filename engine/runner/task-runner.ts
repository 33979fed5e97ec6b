// Runs tasks: the scheduler creates batches, the processor runs them, the merger follows. Each
// commit publishes new views; files that only retired views used are removed with them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchUid, TaskUid, U32Of } from '../../format/ids.ts'
import type { Webhooks } from '../admin/webhooks/index.ts'
import type { Chats } from '../ai/chats/index.ts'
import type { EmbeddingOptions, ProviderPool } from '../ai/providers/index.ts'
import type { Templates } from '../ai/template/index.ts'
import type { Archiver } from '../backup/snapshot/index.ts'
import type { Features, Send } from '../model/index.ts'
import type { NetworkDescription } from '../network/records/index.ts'
import type { Searching } from '../read/pool/index.ts'
import { indexOfUid, type Manifest, upgradeNote } from '../store/catalog/index.ts'
import type { RotatingLog } from '../store/logs/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { Views } from '../store/views/index.ts'
import { rollBackUpgrade } from '../task-kinds/database/index.ts'
import type { DumpOptions, SnapshotOptions, TaskKind, Topology } from '../task-kinds/kind/index.ts'
import { Grouping } from '../write/batching/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import { chunkBytesOf, type Indexing } from '../write/indexer/index.ts'
import { Merger } from '../write/merging/index.ts'
import type { BatchProgressStep, Micros, TaskKinds } from '../write/task-data/index.ts'
import { Scheduler, type TaskQueue } from '../write/tasks/index.ts'
import { ExpirySweeps } from './expiry-sweeps.ts'
import { LiveViews } from './live-views.ts'
import { BatchProcessor } from './processor.ts'
import type { Runner } from './runner.ts'

export type RunnerOptions = {
  /** Version of this release, `major.minor.patch`. */
  readonly version: string
  /** Bytes of memory for indexing. */
  readonly indexingMemoryMax: number
  /** Tasks in a batch: infinite for no limit, 0 runs no batch. */
  readonly batchTasksMax: number
  /** Bytes of bodies in a batch. */
  readonly batchBytesMax: number
  readonly report: (message: string, error: unknown) => void
  /** Runs no task except an upgrade; for tools. */
  readonly onlyUpgrade?: boolean
  /** Called with the progress of an upgrade. */
  readonly onProgress?: (steps: readonly BatchProgressStep[]) => void
  /** Calls other servers; absent if none may be called. */
  readonly send?: Send
  /** How providers of embeddings are called; absent if none may be called. */
  readonly embedding?: EmbeddingOptions
  /** Bytes of a chunk of an export if the request names no size. */
  readonly exportBytes?: number
  /** Target of snapshots; absent if snapshots are disabled. */
  readonly snapshots?: SnapshotOptions
  /** Absent if dumps are disabled. */
  readonly dumps?: DumpOptions
  /** Called after a batch has ended, with the uids of its tasks. */
  readonly onBatch?: (batchUid: BatchUid, tasks: Iterable<TaskUid>) => void
  /** Receives notices for the operator that are not failures; absent: `report` receives them. */
  readonly note?: (message: string) => void
  /** For tests: milliseconds of all pauses after the disk has refused a batch. */
  readonly retryPauseMs?: number
  /** For tests: replaces the clock that decides which documents have expired. */
  readonly wallMs?: () => number
  /** For tests: milliseconds without changes before an index is merged. */
  readonly restMs?: number
}

/** The parts of the engine that were opened for its tasks. */
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
  /** null if no embedder may be called. */
  readonly providers: ProviderPool | null
  readonly now: () => Micros
}

/** The administrators' settings, as tasks read them. */
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
  readonly #sweeps: ExpirySweeps
  #rollingBack: Promise<void> = Promise.resolve()

  /**
   * `onFinished` is called with the uids of tasks that finished together. `isAwaited`: returns
   * whether a request waits for a task, so that batches must not keep a distance.
   */
  constructor(
    parts: RunnerParts,
    administered: Administered,
    onFinished: (tasks: Iterable<TaskUid>) => void,
    isAwaited: () => boolean,
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
      searchShare,
      now: () => parts.now() / 1000,
      fs,
      manifest,
      views: this.views,
      indexing,
      onCommitted,
      report,
      ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    })
    const processor = this.#processor(administered, onCommitted)
    this.#sweeps = new ExpirySweeps({
      ...parts,
      views: this.views,
      merger: this.#merger,
      chunkBytesMax: chunkBytesOf(options.indexingMemoryMax),
      onCommitted,
      wallMs: this.#wallMs,
      report,
    })
    this.#scheduler = new Scheduler({
      queue,
      grouping: new Grouping({ searchShare, now: parts.now, sleep }),
      isAwaited,
      onLong: () => indexing.expectSmall(),
      processor: {
        run: (plan, control) => this.#sweeps.beside(() => processor.run(plan, control)),
      },
      lookup: (uid) => indexOfUid(manifest.state, uid) ?? null,
      limits: { tasksMax: options.batchTasksMax, bytesMax: options.batchBytesMax },
      report,
      ...(options.note === undefined ? {} : { note: options.note }),
      onFinished: (batch, tasks) =>
        this.#finished(batch, tasks.toArray() as U32Of<TaskUid>, onFinished),
      ...(options.retryPauseMs === undefined ? {} : { retryPauseMs: options.retryPauseMs }),
    })
  }

  /** Milliseconds since 1970 of the clock that decides which documents have expired. */
  readonly #wallMs = (): number => {
    const { options, now } = this.#parts
    return options.wallMs?.() ?? now() / 1000
  }

  /** null: this engine accepts writes. */
  get follows(): null {
    return null
  }

  get views(): Views {
    return this.#live.views
  }

  /** Publishes the committed state and starts the waiting tasks. */
  start(): void {
    this.#live.publish()
    for (const index of this.#parts.manifest.state.indexes.keys()) this.#merger.touch(index)
    if (this.#isDone()) return
    this.#scheduler.wake()
    this.#sweeps.start()
  }

  idle(): Promise<void> {
    return this.#scheduler.idle()
  }

  async allMerged(): Promise<void> {
    await this.#scheduler.idle()
    await this.#sweeps.sweep()
    await this.#merger.allMerged()
  }

  /** Resolves when no batch and no merge runs any more. */
  async stop(): Promise<void> {
    await this.#scheduler.close()
    await this.#sweeps.stop()
    await this.#merger.close()
  }

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
      wallMs: this.#wallMs,
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

  /** Returns true if the process only upgrades and no upgrade is left. */
  #isDone(): boolean {
    const { options, queue } = this.#parts
    return options.onlyUpgrade === true && queue.waitingOfKind('upgradeDatabase').length === 0
  }

  /**
   * Handles the end of a batch. The manifest holds its outcome until the task log holds it as well.
   */
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
      (error: unknown) =>
        options.report('The end of a batch could not be written to the task log yet.', error),
    )
  }

  /**
   * After a canceled upgrade, the database is one of the older release again: it can be read, and
   * nothing is written to it any more.
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

  /** Stops running tasks. */
  #stopScheduler(): void {
    const { report } = this.#parts.options
    this.#scheduler.close().catch((error: unknown) => report('The queue stopped.', error))
  }
}
