// The engine at work: runs tasks in batches, publishes views, answers questions about them. It is
// one file because the interface is wide: most methods hand on to whoever does the work.
//
// A view that nobody reads any more takes the files along that only it named. The file is long
// because every question to the engine has a method here; what they do is elsewhere. The parts meet
// here and nowhere else, which is why it is one file.

import { KeyStore, type Keys } from './admin/keys/index.ts'
import { WebhookStore, type Webhooks } from './admin/webhooks/index.ts'
import { ChatStore, type Chats } from './ai/chats/index.ts'
import type { Templates } from './ai/template/index.ts'
import type {
  DocumentsOptions,
  Engine,
  EngineOptions,
  Measures,
  TaskFilter,
  TaskList,
  TaskPage,
} from './api.ts'
import { keyLine } from './backup/dumps/index.ts'
import type { Archiver } from './backup/snapshot/index.ts'
import {
  type BodyFormat,
  type BodyReceiver,
  type DatabaseStats,
  EngineFault,
  FEATURES,
  type Features,
  type FeaturesPatch,
  type IndexInfo,
  type IndexStats,
  type JsonBytes,
  type JsonPieces,
  type ReceivedBody,
  type Visibility,
} from './model/index.ts'
import { checkLeads, type NetworkDescription, NetworkStore } from './network/index.ts'
import { QueryService } from './read/queries/index.ts'
import { activeRules, ruleRecords, rulesOf, type SearchRule } from './read/rules/index.ts'
import { indexNotFound, type Searching } from './read/search/index.ts'
import { decodeSettings, renderSetting, SETTING_NAMES } from './settings/index.ts'
import {
  databaseStatsOf,
  type IndexState,
  indexOfUid,
  indexStatsOf,
  infoOf,
  type Manifest,
  segmentPath,
  upgradeNote,
  visibleIndexes,
} from './store/catalog/index.ts'
import { type FileSystem, type RotatingLog, StorageHealth } from './store/storage/index.ts'
import { featureChange, featuresOf } from './store/values/index.ts'
import { type Retired, Views } from './store/views/index.ts'
import {
  BatchProcessor,
  instanceUidOf,
  rollBackUpgrade,
  type TaskKindModule,
} from './task-kinds/index.ts'
import type { Bodies } from './write/bodies/index.ts'
import { chunkBytesOf, type Indexing } from './write/indexer/index.ts'
import { Merger } from './write/merging/index.ts'
import {
  type AcceptedTask,
  type Batch,
  type Micros,
  type Registration,
  Scheduler,
  type Task,
  type TaskKinds,
  type TaskQueue,
  type TaskRequest,
} from './write/tasks/index.ts'

/** What tests and tools may ask for beyond the engine's own interface. */
export interface EngineTools {
  /** Resolves when no task waits or runs. */
  idle(): Promise<void>
  /** Resolves when nothing is left to merge. */
  settle(): Promise<void>
}

type Parts = {
  readonly options: EngineOptions
  readonly kinds: TaskKinds<TaskKindModule>
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly log: RotatingLog
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly indexing: Indexing
  readonly searching: Searching
  readonly archiver: Archiver
  readonly templates: Templates
  readonly now: () => Micros
}

/** What a method of the engine is called with. */
type Asked<M extends keyof QueryService> = Parameters<Engine[M]>

export class LocalEngine implements Engine, EngineTools {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  readonly templates: Templates
  #watcher: ((tasks: Iterable<number>) => void) | null = null
  readonly #parts: Parts
  readonly #views: Views
  readonly #queries: QueryService
  readonly #merger: Merger
  readonly #scheduler: Scheduler
  readonly #health: StorageHealth
  #features: Features
  #needsRestart = false
  /** Of segment files, for snapshots that share them. */
  readonly #digests = new Map<string, string>()
  #publishedRules: unknown = null
  #rollingBack: Promise<void> = Promise.resolve()
  /** Files on their way out. */
  #removing: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    const { options, fs, manifest, queue, indexing, now } = parts
    const { report } = options
    this.#features = featuresOf(manifest)
    this.keys = new KeyStore(manifest, now)
    this.webhooks = new WebhookStore(manifest)
    this.chats = new ChatStore(manifest)
    this.network = new NetworkStore(manifest)
    this.templates = parts.templates
    const logs = () => [parts.log.inForce, manifest.log]
    this.#health = new StorageHealth(fs, logs, () => now() / 1000)
    this.#views = new Views((retired) => this.#retire(retired))
    const { searching } = parts
    const features = (): Features => this.#features
    this.#queries = new QueryService({ manifest, views: this.#views, searching, features })
    const onCommitted = (): void => {
      this.#views.publish(manifest.state)
      this.#publishRules()
    }
    this.#merger = new Merger({
      fs,
      manifest,
      views: this.#views,
      indexing,
      memoryBytesMax: options.indexingMemoryMax,
      onCommitted,
      report,
      ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    })
    const processor = this.#processor(onCommitted)
    this.#scheduler = new Scheduler({
      queue,
      processor,
      lookup: (uid) => indexOfUid(manifest.state, uid) ?? null,
      limits: { tasksMax: options.batchTasksMax, bytesMax: options.batchBytesMax },
      report,
      onFinished: (batch, tasks) => this.#finished(batch, tasks.toArray()),
      ...(options.retryPauseMs === undefined ? {} : { retryPauseMs: options.retryPauseMs }),
    })
    onCommitted()
    for (const index of manifest.state.indexes.keys()) this.#merger.touch(index)
    if (!this.#isDone()) this.#scheduler.wake()
  }

  /** Runs batches with the parts of this engine. */
  #processor(onCommitted: () => void): BatchProcessor {
    const { options, ...parts } = this.#parts
    return new BatchProcessor({
      ...parts,
      version: options.version,
      views: this.#views,
      merger: this.#merger,
      chats: this.chats,
      network: this.network,
      webhooks: this.webhooks,
      features: () => this.#features,
      chunkBytesMax: chunkBytesOf(options.indexingMemoryMax),
      onCommitted,
      onUpgradeProgress: options.onProgress,
      send: options.send,
      exportBytesMax: options.exportBytes,
      dumps: options.dumps,
      snapshots: options.snapshots,
      digests: this.#digests,
    })
  }

  /** Whether there is nothing left of what this process is for. */
  #isDone(): boolean {
    const { options, queue } = this.#parts
    return options.onlyUpgrade === true && queue.waitingOfKind('upgradeDatabase').length === 0
  }

  rules(): readonly SearchRule[] {
    return rulesOf(this.#parts.manifest.state)
  }

  /** Search threads hear of rules when these have changed. */
  #publishRules(): void {
    const { manifest, searching } = this.#parts
    const records = ruleRecords(manifest.state)
    if (records === this.#publishedRules) return
    this.#publishedRules = records
    searching.setRules(activeRules(manifest.state))
  }

  watchBatches(listener: (tasks: Iterable<number>) => void): void {
    this.#watcher = listener
  }

  get features(): Features {
    return this.#features
  }

  async setFeatures(patch: FeaturesPatch): Promise<Features> {
    const { manifest } = this.#parts
    const changed = FEATURES.filter((feature) => {
      const value = patch[feature] ?? null
      return value !== null && value !== this.#features[feature]
    })
    if (changed.length > 0) {
      await manifest.commit(changed.map((name) => featureChange(name, patch[name] === true)))
      this.#features = featuresOf(manifest)
    }
    return this.#features
  }

  listIndexes(visible: Visibility): readonly IndexInfo[] {
    return visibleIndexes(this.#parts.manifest.state, visible).map(infoOf)
  }

  index(uid: string): IndexInfo {
    return infoOf(this.#index(uid))
  }

  stats(visible: Visibility): DatabaseStats {
    const { manifest, queue } = this.#parts
    const otherBytes = manifest.file.bytes + queue.usedBytes
    return databaseStatsOf(manifest.state, visible, (uid) => this.#isIndexing(uid), otherBytes)
  }

  indexStats(uid: string): IndexStats {
    return indexStatsOf(this.#index(uid), this.#isIndexing(uid))
  }

  measures(): Measures {
    const { queue, searching } = this.#parts
    const { usedBytes, bytesMax, lifecycle } = queue
    return {
      searches: searching.load,
      tasks: queue.counts(),
      taskLog: { usedBytes, bytesMax },
      runningBatch: lifecycle.running?.view() ?? null,
    }
  }

  settings(uid: string): { readonly [setting: string]: unknown } {
    const settings = decodeSettings(this.#index(uid).settings)
    return Object.fromEntries(SETTING_NAMES.map((name) => [name, renderSetting(settings, name)]))
  }

  async enqueue(request: TaskRequest): Promise<AcceptedTask> {
    this.#checkLeads(request.content.kind)
    return this.#parts.queue.register(request)
  }

  enqueueDump(registration?: Registration): Promise<AcceptedTask> {
    const keys = this.keys.list().map(keyLine)
    const { queue, manifest } = this.#parts
    const instanceUid = instanceUidOf(manifest.state)
    const content = { kind: 'dumpCreation', keys, instanceUid } as const
    const how = registration === undefined ? {} : { registration }
    return queue.register({ indexUid: null, content, customMetadata: null, ...how })
  }

  receive(format: BodyFormat): BodyReceiver {
    return this.#parts.bodies.receive(format)
  }

  async enqueueDocuments(
    indexUid: string,
    received: ReceivedBody,
    options: DocumentsOptions,
  ): Promise<AcceptedTask> {
    const { bodies, queue } = this.#parts
    const { customMetadata, registration, ...rest } = options
    const body = bodies.take(received)
    const content = { kind: 'documentAdditionOrUpdate', body, ...rest } as const
    const request = { indexUid, content, customMetadata }
    try {
      this.#checkLeads(content.kind)
      if (registration === undefined) return await queue.register(request)
      const task = await queue.register({ ...request, registration })
      if (registration.isDry && body.file !== null) await bodies.remove(body.file)
      return task
    } catch (error) {
      if (body.file !== null) await bodies.remove(body.file)
      throw error
    }
  }

  discard(body: ReceivedBody): Promise<void> {
    return this.#parts.bodies.discard(body)
  }

  enqueueCancelation(...asked: Parameters<Engine['enqueueCancelation']>): Promise<AcceptedTask> {
    return this.#parts.queue.registerCancelation(...asked)
  }

  enqueueDeletion(...asked: Parameters<Engine['enqueueDeletion']>): Promise<AcceptedTask> {
    return this.#parts.queue.registerDeletion(...asked)
  }

  task(uid: number, visible: Visibility): Promise<Task | null> {
    return this.#parts.queue.task(uid, visible)
  }

  tasks(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>> {
    return this.#parts.queue.tasks(filter, page, visible)
  }

  async taskDocuments(uid: number, visible: Visibility): Promise<Uint8Array> {
    const { queue, bodies } = this.#parts
    if ((await queue.task(uid, visible)) === null) {
      throw new EngineFault('task_not_found', `Task \`${uid}\` not found.`)
    }
    const body = await queue.body(uid, visible)
    const documents = body === null ? null : await bodies.read(body)
    if (documents !== null) return documents
    throw new EngineFault(
      'task_file_not_found',
      `Task \`${uid}\` does not contain any documents. Only \`documentAdditionOrUpdate\` tasks ` +
        'with the statuses `enqueued` or `processing` contain documents',
    )
  }

  async compactTasks(): Promise<{ readonly before: number; readonly after: number }> {
    const sizes = await this.#parts.queue.compact()
    this.#needsRestart = true
    return sizes
  }

  storageProblem(): string | null {
    return this.#health.problem()
  }

  get needsRestart(): boolean {
    return this.#needsRestart
  }

  batch(uid: number, visible: Visibility): Promise<Batch | null> {
    return this.#parts.queue.batch(uid, visible)
  }

  batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>> {
    return this.#parts.queue.batches(filter, page, visible)
  }

  search(...asked: Asked<'search'>): Promise<JsonBytes> {
    return this.#queries.search(...asked)
  }

  multiSearch(...asked: Asked<'multiSearch'>): Promise<JsonPieces> {
    return this.#queries.multiSearch(...asked)
  }

  federatedSearch(...asked: Asked<'federatedSearch'>): Promise<JsonBytes> {
    return this.#queries.federatedSearch(...asked)
  }

  facetSearch(...asked: Asked<'facetSearch'>): Promise<JsonBytes> {
    return this.#queries.facetSearch(...asked)
  }

  similar(...asked: Asked<'similar'>): Promise<JsonBytes> {
    return this.#queries.similar(...asked)
  }

  document(...asked: Asked<'document'>): Promise<JsonBytes> {
    return this.#queries.document(...asked)
  }

  documents(...asked: Asked<'documents'>): Promise<JsonBytes> {
    return this.#queries.documents(...asked)
  }

  fields(...asked: Asked<'fields'>): Promise<JsonBytes> {
    return this.#queries.fields(...asked)
  }

  async idle(): Promise<void> {
    await this.#scheduler.idle()
  }

  async settle(): Promise<void> {
    await this.#scheduler.idle()
    await this.#merger.settle()
  }

  async close(): Promise<void> {
    const { manifest, queue, indexing, searching } = this.#parts
    await this.#scheduler.close()
    await this.#merger.close()
    await this.templates.close()
    await searching.close()
    await indexing.close()
    await queue.close()
    await this.#removing
    await this.#rollingBack
    await manifest.close(true)
  }

  /** What changes indexes is for the leader of a network. @throws EngineFault not_a_leader */
  #checkLeads(kind: string): void {
    const isForLeader = this.#parts.kinds.named(kind).isForLeader
    if (this.#features.network && isForLeader) checkLeads(this.network.get())
  }

  #index(uid: string): IndexState {
    const index = indexOfUid(this.#parts.manifest.state, uid)
    if (index === undefined) throw indexNotFound(uid)
    return index
  }

  #isIndexing(uid: string): boolean {
    return this.#parts.queue.lifecycle.running?.plan?.work.indexUid === uid
  }

  /** The batch is in the manifest; once the task log has it as well, the manifest may forget it. */
  #finished(batch: number, tasks: Iterable<number>): void {
    const { manifest, queue, options } = this.#parts
    options.onBatch?.(batch, tasks)
    if (this.#isDone()) this.#stop()
    this.#stopIfRolledBack()
    this.#watcher?.(tasks)
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
    this.#stop()
    this.#rollingBack = rollBackUpgrade(fs, manifest).then(
      (words) => options.report(words ?? 'The upgrade was canceled and rolled back.', null),
      (error: unknown) => options.report('The upgrade could not be rolled back.', error),
    )
  }

  /** No task runs any more. */
  #stop(): void {
    const { report } = this.#parts.options
    this.#scheduler.close().catch((error: unknown) => report('The queue stopped.', error))
  }

  /** A view is gone, and with it maybe segments: nobody opens them any more, and their files go. */
  #retire({ index, sequence, segments }: Retired): void {
    const { searching, indexing } = this.#parts
    const numbers = segments.map(({ segment }) => segment)
    searching.forget([{ index, sequence }], numbers)
    indexing.forget(numbers)
    for (const { segment, layer, location } of segments) {
      if (location.kind === 'file') this.#remove(segmentPath(segment, layer))
    }
  }

  #remove(path: string): void {
    const { fs, options } = this.#parts
    this.#removing = this.#removing
      .then(() => fs.removeAsync(path))
      .catch((error: unknown) => {
        options.report(`The file ${path} is not used any more and could not be removed.`, error)
      })
  }
}
