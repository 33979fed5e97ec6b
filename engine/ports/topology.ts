// The port for the topology of a network: the change that runs, what this instance sends for it,
// and what others have said. What calls other instances is the server's. This is one file:
// all of it is the state of the change that runs.
import type { ExportedIndex } from '../backup/export/index.ts'
import {
  EngineFault,
  type Features,
  type ImportSource,
  type ShardSet,
  type TaskNetwork,
  type TaskOrigin,
  type Transfer,
} from '../model/index.ts'
import {
  type ChangedNetworks,
  type ChangeMessages,
  changeContent,
  type ExporterProgress,
  exporterProgress,
  exportersTo,
  holdsAlone,
  type Network,
  type NetworkDescription,
  NO_NETWORK,
  readChange,
  type StaleRemotes,
  shardSetOf,
  type TopologyChange,
  withoutStale,
} from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import { decodeSettings, type IndexSettings } from '../settings/index.ts'
import { indexOfUid, type Manifest } from '../store/catalog/index.ts'
import { ValueStore } from '../store/values/index.ts'
import type { Views } from '../store/views/index.ts'
import { exportedIndex } from '../task-kinds/index.ts'
import type { AcceptedTask, ImportedPart, QueuedContent, TaskQueue } from '../write/tasks/index.ts'
import { giveUp } from './replication.ts'
import { noChange, notReady, otherVersion, unknownExporter } from './topology-faults.ts'
import { DETAIL_SPACE, MESSAGE_SPACE, NO_MESSAGES } from './topology-values.ts'

const KIND = 'networkTopologyChange'

/** A change that another instance may still be asked about. */
export interface TopologyPort {
  /** The change that has not ended; null: no change runs. */
  readonly change: TopologyChange | null
  /** The network that searches go by: the old one until all documents are where they belong. */
  readonly serving: Network
  /**
   * Registers a change and makes its network the one in force. Durable when it resolves.
   * @throws EngineFault, StorageError
   */
  register(
    networks: ChangedNetworks,
    network: TaskNetwork,
    isRepeated?: boolean,
  ): Promise<AcceptedTask>
  /** Whether index tasks before the change have not ended. */
  hasOlderTasks(): boolean
  /** What has come from each exporter. */
  exporters(change: TopologyChange): readonly ExporterProgress[]
  /** What others have said of the change. */
  messages(): ChangeMessages
  /** @throws EngineFault when this instance is not to get its shards anew, or not yet */
  admitRenewal(origin: TaskOrigin): void
  /** An exporter has no more documents. @throws EngineFault */
  exportEnded(origin: TaskOrigin, remote: string): Promise<void>
  /** A remote has imported. @throws EngineFault */
  importFinished(origin: TaskOrigin, remote: string, successful: boolean): Promise<void>
  /** Shown as the details of the task. `isWaiting`: it runs not, until others do something. */
  tell(change: TopologyChange, message: string, isWaiting?: boolean): Promise<void>
  /** All documents are where they belong: searches use the new network, the task may end. */
  complete(change: TopologyChange): void
  /** An index as it is now, for an export; null: no index has that name. */
  open(uid: string, transfer: Transfer, signal: AbortSignal): ExportedIndex | null
  indexUids(): readonly string[]
  /** null: there is no index of that name. */
  settings(uid: string): IndexSettings | null
  /** Called when something may have changed. */
  onTopology(listener: () => void): void
}

/** Details of canceled changes that are kept. */
const DETAILS_MAX = 64

type Parts = {
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly network: NetworkDescription
  readonly stale: StaleRemotes
  readonly searching: Searching
  readonly views: () => Views
  readonly features: () => Features
  readonly contentOf: (uid: number) => Promise<QueuedContent | null>
}

export class LocalTopology implements TopologyPort {
  readonly #parts: Parts
  readonly #messages: ValueStore<ChangeMessages>
  readonly #details: ValueStore<{ readonly [member: string]: unknown }>
  #change: TopologyChange | null = null
  #isComplete = false
  /** The network of before, as instances are called now; while a change runs. */
  #between: Network = NO_NETWORK
  #serving: {
    readonly network: Network
    readonly stale: unknown
    readonly result: Network
  } | null = null
  #shardsOf: Network['shards'] | null = null
  #shardNames: readonly string[] = []
  #listener: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#messages = new ValueStore(parts.manifest, MESSAGE_SPACE)
    this.#details = new ValueStore(parts.manifest, DETAIL_SPACE)
    for (const [uid, details] of this.#details.all()) {
      parts.queue.network.details.set(Number(uid), details)
    }
  }

  /** Reads what was running when the process ended. @throws CorruptionError, StorageError */
  async load(): Promise<void> {
    const { queue, network, contentOf } = this.#parts
    const uid = queue.waitingOfKind(KIND)[0]
    const content = uid === undefined ? null : await contentOf(uid)
    if (uid === undefined || content === null) {
      this.#change = null
      queue.network.keepImportsOf(null)
    } else {
      const networks = readChange((content as unknown as { change: unknown }).change)
      const task = await queue.task(uid, null)
      this.#begin({ uid, ...networks, origin: originOf(task?.network ?? null, uid, networks) })
      queue.network.keepImportsOf(networks.after.version)
      // Its task was durable first.
      if (network.get().version < networks.after.version) {
        await network.update(() => networks.after)
      }
    }
    this.#isComplete = false
  }

  #begin(change: TopologyChange): void {
    const { before, after } = change
    this.#change = change
    this.#isComplete = false
    const remotes = new Map([...before.remotes, ...after.remotes])
    this.#between = { ...before, self: after.self ?? before.self, remotes }
  }

  get change(): TopologyChange | null {
    return this.#change
  }

  get serving(): Network {
    const network = this.#agreed
    const stale = this.#parts.stale.all()
    const known = this.#serving
    if (known?.network === network && known.stale === stale) return known.result
    const result = withoutStale(network, new Set(stale.keys()))
    this.#serving = { network, stale, result }
    return result
  }

  /** The network that says where documents are, remotes with old ones included. */
  get #agreed(): Network {
    const current = this.#parts.network.get()
    if (this.#change === null || this.#isComplete) return current
    const { before, after } = this.#change
    // Urls and keys may be new; shards are where they were.
    if (before.leader === null) return after
    return this.#between
  }

  /** Of the network that searches go by; null: documents are not divided. */
  get shardNames(): readonly string[] | null {
    const { shards } = this.serving
    if (shards.size === 0) return null
    if (this.#shardsOf !== shards) {
      this.#shardsOf = shards
      this.#shardNames = [...shards.keys()]
    }
    return this.#shardNames
  }

  async register(
    networks: ChangedNetworks,
    network: TaskNetwork,
    isRepeated = false,
  ): Promise<AcceptedTask> {
    const { queue, stale } = this.#parts
    // Until the change has succeeded they are not asked: they may have any part of their documents.
    const unmarked = networks.renewed.filter((name) => !stale.has(name))
    if (unmarked.length > 0) await stale.mark(unmarked, { reason: 'interrupted', before: 0 })
    const content = { kind: KIND, change: changeContent(networks) }
    const registration = { uid: null, isDry: false, isRepeated }
    const request = { indexUid: null, content, customMetadata: null, network, registration }
    const { nextTask } = queue
    const task = await queue.register(request)
    if (task.uid < nextTask) return task
    await this.#parts.network.update(() => networks.after)
    if (this.#change === null) {
      const origin = originOf(network, task.uid, networks)
      this.#begin({ uid: task.uid, ...networks, origin })
      queue.network.keepImportsOf(networks.after.version)
    }
    this.#listener()
    return task
  }

  hasOlderTasks(): boolean {
    const uid = this.#change?.uid ?? -1
    return this.#parts.queue.hasIndexTasksBefore(uid)
  }

  exporters(change: TopologyChange): readonly ExporterProgress[] {
    const self = change.after.self ?? ''
    const parts: readonly ImportedPart[] = this.#parts.queue.network.importsOf(change.after.version)
    const { ended } = this.messages()
    return exportersTo(change, self).map((remote) => exporterProgress(remote, parts, ended))
  }

  messages(): ChangeMessages {
    const known = this.#messages.get(KIND)
    const version = this.#change?.after.version ?? NO_MESSAGES.version
    return known?.version === version ? known : { ...NO_MESSAGES, version }
  }

  async exportEnded(origin: TaskOrigin, remote: string): Promise<void> {
    const change = this.#expected(origin)
    if (!exportersTo(change, change.after.self ?? '').includes(remote)) {
      throw unknownExporter(remote)
    }
    await this.#note(({ ended, ...rest }) => ({
      ...rest,
      ended: ended.includes(remote) ? ended : [...ended, remote],
    }))
  }

  async importFinished(origin: TaskOrigin, remote: string, successful: boolean): Promise<void> {
    const { before, after } = this.#expected(origin)
    if (!before.remotes.has(remote) && !after.remotes.has(remote)) {
      throw new EngineFault(
        'receive_import_finished_unknown_remote',
        `The finished import notification emanates from an unknown remote \`${remote}\``,
      )
    }
    await this.#note(({ finished, ...rest }) => ({
      ...rest,
      finished: { ...finished, [remote]: successful },
    }))
  }

  async #note(change: (messages: ChangeMessages) => ChangeMessages): Promise<void> {
    const before = this.messages()
    const after = change(before)
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      await this.#messages.update(() => [[KIND, change(this.messages())]])
    }
    this.#listener()
  }

  /** The change that another instance speaks of. @throws EngineFault */
  #expected({ networkVersion }: TaskOrigin): TopologyChange {
    const change = this.#change
    if (change === null) throw noChange()
    if (change.after.version !== networkVersion) throw otherVersion(change, networkVersion)
    return change
  }

  /** Whether documents of another instance are taken in. @throws EngineFault */
  admitImport(network: Extract<TaskNetwork, { kind: 'import' }>): void {
    const { source } = network
    const change = this.#expected(network.change)
    if (!exportersTo(change, change.after.self ?? '').includes(source.remoteName)) {
      throw unknownExporter(source.remoteName)
    }
    const known = this.#parts.queue.network.importsOf(change.after.version)
    if (isRenewed(change) && !this.#mayImport(change, source, known)) throw notReady()
    const isKnown = known.some(
      (part) =>
        source.key !== null &&
        part.source.key === source.key &&
        part.source.remoteName === source.remoteName &&
        part.source.indexName === source.indexName,
    )
    if (!isKnown) return
    throw new EngineFault(
      'import_task_already_received',
      `The import task with key \`${source.key}\` was already received`,
    )
  }

  /**
   * An instance that gets its shards anew loses what it has first: others hand over nothing before
   * the leader has seen to that.
   */
  #mayImport(
    { after }: TopologyChange,
    { remoteName }: ImportSource,
    known: readonly ImportedPart[],
  ): boolean {
    if (this.hasOlderTasks()) return false
    if (remoteName === after.leader || this.messages().ended.includes(after.leader ?? ''))
      return true
    return known.some(
      ({ source }) => source.remoteName === after.leader && source.indexName !== null,
    )
  }

  async tell(change: TopologyChange, message: string, isWaiting = false): Promise<void> {
    const { queue } = this.#parts
    if (isWaiting) queue.endEarly(change.uid)
    else queue.beginEarly(change.uid)
    const details = { movedDocuments: 0, message }
    const known = queue.network.details.get(change.uid)
    if (known?.['message'] === message) return
    queue.network.details.set(change.uid, details)
    const old = [...this.#details.all().keys()].slice(0, -DETAILS_MAX)
    await this.#details.update(() => [
      ...old.map((uid) => [uid, null] as const),
      [String(change.uid), details],
    ])
  }

  complete(change: TopologyChange): void {
    const { queue } = this.#parts
    this.#isComplete = true
    queue.network.ready = change.uid
    queue.wake()
  }

  open(uid: string, transfer: Transfer, signal: AbortSignal): ExportedIndex | null {
    const { views, ...parts } = this.#parts
    return exportedIndex({ ...parts, views: views() }, uid, signal, transfer)
  }

  indexUids(): readonly string[] {
    return [...this.#parts.manifest.state.indexes.values()].map(({ uid }) => uid).sort()
  }

  settings(uid: string): IndexSettings | null {
    const known = indexOfUid(this.#parts.manifest.state, uid)
    return known === undefined ? null : decodeSettings(known.settings)
  }

  onTopology(listener: () => void): void {
    this.#listener = listener
  }

  /** The shards under which a task runs. */
  shardsOf(uid: number): ShardSet | null {
    const change = this.#change
    if (change === null) return shardSetOf(this.#parts.network.get())
    if (uid >= change.uid) return shardSetOf(change.after)
    const { before, after } = change
    const isMember = after.self !== null && before.remotes.has(after.self)
    return isMember ? shardSetOf({ ...before, self: after.self }) : keepsAll(before, after)
  }

  /** Tasks have ended: the change may be one of them. @throws as `load` */
  async ended(): Promise<void> {
    const change = this.#change
    const { queue } = this.#parts
    if (change !== null && !queue.waitingOfKind(KIND).includes(change.uid)) {
      queue.network.ready = -1
      await this.#noteStale(change)
      await this.load()
    }
    this.#listener()
  }

  /** Which remotes have what they should, now that a change has ended. @throws StorageError */
  async #noteStale({ uid, before, after, absent, renewed }: TopologyChange): Promise<void> {
    const { queue, stale } = this.#parts
    const task = await queue.task(uid, null)
    if (task?.status !== 'succeeded') return giveUp(this.#parts, renewed, 'interrupted')
    const gone = [...stale.all().keys()].filter((name) => before.remotes.has(name))
    await stale.clear([...renewed, ...gone.filter((name) => !after.remotes.has(name))])
    // One that left without a word has old documents. Where it alone had a shard, they are the only
    // ones: if it comes back, it hands them over.
    const lost = absent.filter((name) => !after.remotes.has(name) && !holdsAlone(before, name))
    await giveUp(this.#parts, lost, 'absent')
  }

  /** Whether this instance may begin to get its shards anew. @throws EngineFault */
  admitRenewal({ networkVersion }: TaskOrigin): void {
    const change = this.#change
    if (change === null || change.after.version !== networkVersion) throw noChange()
    if (!isRenewed(change)) throw noChange()
    if (this.hasOlderTasks()) throw notReady()
  }
}

/** An instance that was not in the network keeps what it has; a removed one is `self` no more. */
const keepsAll = (before: Network, after: Network): ShardSet | null =>
  after.self === null && before.self !== null ? shardSetOf(before) : null

const originOf = (
  network: TaskNetwork | null,
  uid: number,
  { after }: ChangedNetworks,
): TaskOrigin =>
  network?.kind === 'origin'
    ? network.origin
    : { remoteName: after.self ?? '', taskUid: uid, networkVersion: after.version }

const isRenewed = ({ after, renewed }: TopologyChange): boolean =>
  after.self !== null && renewed.includes(after.self)
