// The port for the topology of a network: the change that runs, what this instance sends for it,
// and what others have said. What calls other instances is the server's. This is one file:
// all of it is the state of the change that runs.
import type { Change } from '../../format/manifest/index.ts'
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
  isNeeded,
  type Network,
  type NetworkDescription,
  NO_NETWORK,
  placedNetwork,
  readChange,
  type StaleRemotes,
  shardSetOf,
  type TopologyChange,
} from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import { decodeSettings, type IndexSettings } from '../settings/index.ts'
import { indexOfUid, type Manifest } from '../store/catalog/index.ts'
import type { Views } from '../store/views/index.ts'
import { type ChangeWork, exportedIndex } from '../task-kinds/index.ts'
import {
  type AcceptedTask,
  type ImportedPart,
  NO_FILTER,
  type QueuedContent,
  type TaskQueue,
} from '../write/tasks/index.ts'
import { giveUp } from './replication.ts'
import { noChange, notClean, notReady, otherVersion, unknownExporter } from './topology-faults.ts'
import { settledChange, TopologyRecords } from './topology-records.ts'

const KIND = 'networkTopologyChange'
const NONE: ReadonlySet<string> = new Set()
const NIL = '00000000-0000-0000-0000-000000000000'

/** A change that another instance may still be asked about. */
export interface TopologyPort {
  /** The change that has not ended; null: no change runs. */
  readonly change: TopologyChange | null
  /** The network that searches go by: the old one until all documents are where they belong. */
  readonly serving: Network
  /**
   * Instances that lack writes, or have old documents: others are asked for their shards, and they
   * are only where no other owner answers.
   */
  readonly lacking: ReadonlySet<string>
  /**
   * Another network whose documents this instance has as well: while a change runs, the new one as
   * soon as it has imported, the old one until it deletes. null: the version is of neither.
   */
  alsoServed(version: string): Network | null
  /** Whether this instance lacks writes. */
  setBehind(isBehind: boolean): void
  /**
   * Registers a change and makes its network the one in force. Durable when it resolves.
   * @throws EngineFault, StorageError
   */
  register(networks: NewNetworks, network: TaskNetwork, isRepeated?: boolean): Promise<AcceptedTask>
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
  /**
   * A remote has imported. `isRouted`: it searches by the new network; null: it does not know that
   * others wait for it. @throws EngineFault
   */
  importFinished(
    origin: TaskOrigin,
    remote: string,
    successful: boolean,
    isRouted: boolean | null,
  ): Promise<void>
  /** Shown as the details of the task. `isWaiting`: it runs not, until others do something. */
  tell(change: TopologyChange, message: string, isWaiting?: boolean): Promise<void>
  /** Deletes what an earlier change has left behind here: `isClean` tells when that is done. */
  clean(change: TopologyChange): void
  readonly isClean: boolean
  /** All documents are where they belong: searches use the new network. @throws StorageError */
  route(change: TopologyChange): Promise<void>
  /** Whether they do, while a change runs. */
  readonly isRouted: boolean
  /** All instances search by the new network: what this one gives up goes, the task may end. */
  complete(change: TopologyChange): void
  /** Some instances could not take in their documents: the task fails. */
  fail(change: TopologyChange, failed: readonly string[]): void
  /** The leader has canceled the change. @throws StorageError */
  cancel(change: TopologyChange): Promise<void>
  /** Whether a remote that leaves has documents that no other one hands over. */
  isNeeded(change: TopologyChange, remote: string): boolean
  /** An index as it is now, for an export; null: no index has that name. */
  open(uid: string, transfer: Transfer, signal: AbortSignal): ExportedIndex | null
  indexUids(): readonly string[]
  /** null: there is no index of that name. */
  settings(uid: string): IndexSettings | null
  /** Called when something may have changed. */
  onTopology(listener: () => void): void
}

/** A change that is asked for: where documents are before it is known here. */
type NewNetworks = Omit<ChangedNetworks, 'isDirty'>

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
  readonly #records: TopologyRecords
  #change: TopologyChange | null = null
  /** What the batch of the change does when it runs. */
  #work: ChangeWork = { kind: 'delete' }
  #isDeleting = false
  /** The network of before, as instances are called now; while a change runs. */
  #between: Network = NO_NETWORK
  /** In force as soon as the task of its change has a uid. */
  #coming: Pick<ChangedNetworks, 'after' | 'renewed'> | null = null
  #placed: {
    readonly settled: Network
    readonly current: Network
    readonly network: Network
  } | null = null
  #isBehind = false
  #shardsOf: Network['shards'] | null = null
  #shardNames: readonly string[] = []
  #listener: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#records = new TopologyRecords(parts.manifest)
    for (const [uid, details] of this.#records.details()) {
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
      queue.network.follow(null)
    } else {
      const networks = readChange((content as unknown as { change: unknown }).change)
      const task = await queue.task(uid, null)
      this.#begin({ uid, ...networks, origin: originOf(task?.network ?? null, uid, networks) })
      // Its task was durable first.
      if (this.#records.settled === undefined) await this.#records.setSettled(networks.before)
      if (network.get().version < networks.after.version) {
        await network.update(() => networks.after)
      }
      queue.network.committed = this.isRouted ? uid : -1
    }
  }

  #begin(change: TopologyChange): void {
    const { uid, before, after } = change
    this.#change = change
    this.#parts.queue.network.follow({ uid, version: after.version })
    this.#isDeleting = false
    const remotes = new Map([...before.remotes, ...after.remotes])
    this.#between = { ...before, self: after.self ?? before.self, remotes }
  }

  get change(): TopologyChange | null {
    return this.#change
  }

  get lacking(): ReadonlySet<string> {
    const stale = this.#parts.stale.all()
    const { self } = this.#parts.network.get()
    if (stale.size === 0 && !this.#isBehind) return NONE
    const own = this.#isBehind && self !== null ? [self] : []
    return new Set([...stale.keys(), ...own])
  }

  get serving(): Network {
    if (this.#change === null) return this.#whereDocumentsAre
    const { before, after } = this.#change
    if (this.isRouted) return this.#parts.network.get()
    // Urls and keys may be new; shards are where they were.
    if (before.leader === null) return after
    return this.#between
  }

  alsoServed(version: string): Network | null {
    const { change } = this
    if (change === null || change.before.leader === null) return null
    const { before, after } = change
    if (version === before.version) return this.#isDeleting ? null : before
    const { self } = after
    const hasImported = self !== null && this.messages().finished[self] === true
    return version === after.version && hasImported ? after : null
  }

  /** While no change runs. */
  get #whereDocumentsAre(): Network {
    const current = this.#parts.network.get()
    const { settled } = this.#records
    if (settled === undefined) return current
    const known = this.#placed
    if (known?.settled === settled && known.current === current) return known.network
    const network = placedNetwork(settled, current)
    this.#placed = { settled, current, network }
    return network
  }

  setBehind(isBehind: boolean): void {
    this.#isBehind = isBehind
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
    asked: NewNetworks,
    network: TaskNetwork,
    isRepeated = false,
  ): Promise<AcceptedTask> {
    const { queue, stale } = this.#parts
    const { settled } = this.#records
    const before = settled === undefined ? asked.before : placedNetwork(settled, asked.before)
    const networks = { ...asked, before, isDirty: settled !== undefined }
    // Until the change has succeeded they are not asked: they may have any part of their documents.
    const unmarked = networks.renewed.filter((name) => !stale.has(name))
    if (unmarked.length > 0) await stale.mark(unmarked, { reason: 'interrupted', before: 0 })
    const content = { kind: KIND, change: changeContent(networks) }
    const registration = { uid: null, isDry: false, isRepeated }
    const request = { indexUid: null, content, customMetadata: null, network, registration }
    const { nextTask } = queue
    const registering = queue.register(request)
    // Tasks with greater uids are for the new network, also while this one becomes durable.
    if (queue.nextTask > nextTask) this.#coming = networks
    try {
      const task = await registering
      if (task.uid < nextTask) return task
      await this.#records.setSettled(before)
      await this.#parts.network.update(() => networks.after)
      this.#registered(task, networks, network)
      return task
    } finally {
      this.#coming = null
    }
  }

  #registered({ uid }: AcceptedTask, networks: ChangedNetworks, network: TaskNetwork): void {
    if (this.#change === null) {
      this.#begin({ uid, ...networks, origin: originOf(network, uid, networks) })
    }
    this.#listener()
  }

  /** The network under which the next task is taken in. */
  get inForce(): Network {
    return this.#coming?.after ?? this.#parts.network.get()
  }

  /** Remotes that get their shards anew: they are sent the tasks that are taken in from now on. */
  get renewed(): readonly string[] {
    return (this.#coming ?? this.#change)?.renewed ?? []
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
    return this.#records.messages(this.#change?.after.version ?? NIL)
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

  async importFinished(
    origin: TaskOrigin,
    remote: string,
    successful: boolean,
    isRouted: boolean | null,
  ): Promise<void> {
    const { before, after } = this.#expected(origin)
    if (!before.remotes.has(remote) && !after.remotes.has(remote)) {
      throw new EngineFault(
        'receive_import_finished_unknown_remote',
        `The finished import notification emanates from an unknown remote \`${remote}\``,
      )
    }
    await this.#note(({ finished, routed, ...rest }) => ({
      ...rest,
      finished: { ...finished, [remote]: successful },
      routed: isRouted === false || routed.includes(remote) ? routed : [...routed, remote],
    }))
  }

  async #note(change: (messages: ChangeMessages) => ChangeMessages): Promise<void> {
    await this.#records.note(this.#change?.after.version ?? NIL, change)
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
    if (!this.isClean) throw notClean()
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
    await this.#records.setDetails(change.uid, details)
  }

  get isClean(): boolean {
    return this.#change?.isDirty !== true || this.messages().isClean
  }

  clean(change: TopologyChange): void {
    if (!this.isClean) this.#runBatch(change, { kind: 'clean' })
  }

  /** What the batch of the change does now. */
  get work(): ChangeWork {
    return this.#work
  }

  /** Documents that were left behind here are deleted. @throws StorageError */
  async cleaned(): Promise<void> {
    this.#parts.queue.network.ready = -1
    await this.#note((messages) => ({ ...messages, isClean: true }))
  }

  get isRouted(): boolean {
    const { change } = this
    if (change === null) return false
    const self = change.after.self ?? change.before.self ?? ''
    return this.messages().routed.includes(self)
  }

  async route({ uid, after, before }: TopologyChange): Promise<void> {
    const self = after.self ?? before.self ?? ''
    this.#parts.queue.network.committed = uid
    await this.#note(({ routed, ...rest }) => ({
      ...rest,
      routed: routed.includes(self) ? routed : [...routed, self],
    }))
  }

  complete(change: TopologyChange): void {
    this.#isDeleting = true
    this.#runBatch(change, { kind: 'delete' })
  }

  fail(change: TopologyChange, failed: readonly string[]): void {
    this.#runBatch(change, { kind: 'fail', failed })
  }

  #runBatch({ uid }: TopologyChange, work: ChangeWork): void {
    const { queue } = this.#parts
    this.#work = work
    queue.network.ready = uid
    queue.wake()
  }

  async cancel({ uid, after, before }: TopologyChange): Promise<void> {
    const { queue } = this.#parts
    const self = after.self ?? before.self ?? ''
    // The leader has not begun to search by the new network, so no instance has deleted anything.
    queue.network.committed = -1
    await this.#note(({ routed, ...rest }) => ({
      ...rest,
      routed: routed.filter((name) => name !== self),
    }))
    await queue.registerCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
  }

  isNeeded(change: TopologyChange, remote: string): boolean {
    return isNeeded(change, remote)
  }

  settledChange(): Change {
    return settledChange()
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
    if (change === null) return shardSetOf(this.#whereDocumentsAre)
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
      queue.network.committed = -1
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
