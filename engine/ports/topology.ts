// Implements the port for the topology of a network. This is one file because all of it is the
// state of the running change.
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
  formerNetwork,
  holdsAlone,
  isNeeded,
  keepsAll,
  type Network,
  type NetworkDescription,
  NO_NETWORK,
  placedNetwork,
  readChange,
  type StaleRemotes,
  shardSetOf,
  type TopologyChange,
  wasDivided,
} from '../network/index.ts'
import type { Searching } from '../read/pool/index.ts'
import { cachedSettings, type IndexSettings } from '../settings/index.ts'
import { documentCount, indexOfUid, type Manifest } from '../store/catalog/index.ts'
import type { Views } from '../store/views/index.ts'
import { exportedIndex } from '../task-kinds/database/index.ts'
import type { ChangeWork } from '../task-kinds/kind/index.ts'
import type { AcceptedTask, ImportedPart, QueuedContent } from '../write/task-data/index.ts'
import { NO_FILTER } from '../write/task-lists/index.ts'
import type { TaskQueue } from '../write/tasks/index.ts'
import { giveUp } from './replication.ts'
import { noChange, notClean, notReady, otherVersion, unknownExporter } from './topology-faults.ts'
import type { NewNetworks, TopologyPort } from './topology-port.ts'
import { settledChange, TopologyRecords } from './topology-records.ts'

const KIND = 'networkTopologyChange'
const NONE: ReadonlySet<string> = new Set()
const NIL = '00000000-0000-0000-0000-000000000000'

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
  /** The work that the batch of the change does when it runs. */
  #work: ChangeWork = { kind: 'delete' }
  #isDeleting = false
  /** While a change runs: the previous shards, with the current addresses of instances. */
  #former: Network = NO_NETWORK
  /** The next network, set as soon as the task of its change has a uid; null before. */
  #nextNetwork: Pick<ChangedNetworks, 'after' | 'renewed'> | null = null
  #placed: {
    readonly settled: Network
    readonly current: Network
    readonly network: Network
  } | null = null
  #isBehind = false
  #suspension: string | null = null
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

  /** Loads the change that ran when the process ended. @throws CorruptionError, StorageError */
  async load(): Promise<void> {
    const { queue, network, contentOf } = this.#parts
    const uid = queue.waitingOfKind(KIND)[0]
    const content = uid === undefined ? null : await contentOf(uid)
    if (uid === undefined || content === null) {
      this.#change = null
      queue.network.follow(null)
    } else {
      const networks = readChange((content as unknown as { change: unknown }).change)
      const task = await queue.lists.task(uid, null)
      this.#begin({ uid, ...networks, origin: originOf(task?.network ?? null, uid, networks) })
      // The task of the change became durable before this record.
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
    const former = formerNetwork(before, after)
    this.#former = { ...former, self: after.self ?? before.self, remotes }
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
    // Urls and keys may be new; shards are still in their old places.
    return this.isRouted ? this.#parts.network.get() : this.#former
  }

  get unreached(): readonly string[] {
    const before = this.#change?.before ?? this.#records.settled
    const current = this.#parts.network.get()
    const { leader, remotes } = current
    if (before === undefined || leader === null || this.isRouted) return []
    const isNew = before.leader === null && !wasDivided(before, current)
    const others = isNew ? before.remotes.keys() : []
    const bringing = this.#change?.bringing ?? this.#records.bringing
    const names = new Set([...others, ...bringing])
    return [...names].filter((name) => name !== leader && remotes.has(name))
  }

  get hasDocuments(): boolean {
    const { indexes } = this.#parts.manifest.state
    return [...indexes.values()].some((index) => documentCount(index) > 0)
  }

  alsoServed(version: string): Network | null {
    const { change } = this
    if (change === null) return null
    const { after } = change
    if (version === this.#former.version) return this.#isDeleting ? null : this.#former
    const { self } = after
    const hasImported = self !== null && this.messages().finished[self] === true
    return version === after.version && hasImported ? after : null
  }

  /** The network by which documents are placed while no change runs. */
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

  suspend(reason: string | null): void {
    this.#suspension = reason
  }

  /** Why writes of clients are refused, or null if they are accepted. */
  get suspension(): string | null {
    return this.#suspension
  }

  /** Shard names of the network that searches use, or null if documents are not divided. */
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
    requested: NewNetworks,
    network: TaskNetwork,
    isRepeated = false,
  ): Promise<AcceptedTask> {
    const { queue, stale } = this.#parts
    const { settled } = this.#records
    const before =
      settled === undefined ? requested.before : placedNetwork(settled, requested.before)
    const { self } = requested.after
    const joins = self !== null && self !== requested.after.leader && before.leader === null
    const own = joins && this.hasDocuments ? [self] : []
    const bringing = [...new Set([...requested.bringing, ...own])].sort()
    const networks = { ...requested, before, isDirty: settled !== undefined, bringing }
    // Until the change has succeeded these remotes are not queried: they may have a part of their
    // documents.
    for (const name of networks.renewed.filter((one) => !stale.has(one))) {
      const shards = networks.renewedShards.get(name)
      const limit = shards === undefined ? {} : { shards }
      await stale.mark([name], { reason: 'interrupted', before: 0, ...limit })
    }
    const content = { kind: KIND, change: changeContent(networks) }
    const registration = { uid: null, isDry: false, isRepeated }
    const request = { indexUid: null, content, customMetadata: null, network, registration }
    const { nextTask } = queue
    const registering = queue.register(request)
    // Tasks with greater uids belong to the new network, also while this one becomes durable.
    if (queue.nextTask > nextTask) this.#nextNetwork = networks
    try {
      const task = await registering
      if (task.uid < nextTask) return task
      await this.#records.setSettled(before, bringing)
      await this.#parts.network.update(() => networks.after)
      this.#registered(task, networks, network)
      return task
    } finally {
      this.#nextNetwork = null
    }
  }

  #registered({ uid }: AcceptedTask, networks: ChangedNetworks, network: TaskNetwork): void {
    if (this.#change === null) {
      this.#begin({ uid, ...networks, origin: originOf(network, uid, networks) })
    }
    this.#listener()
  }

  get networkOfNextTask(): Network {
    return this.#nextNetwork?.after ?? this.#parts.network.get()
  }

  /** Remotes that get their shards again: they receive the tasks that are accepted from now on. */
  get renewed(): readonly string[] {
    return (this.#nextNetwork ?? this.#change)?.renewed ?? []
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

  /** Returns the change that a message refers to. @throws EngineFault */
  #expected({ networkVersion }: TaskOrigin): TopologyChange {
    const change = this.#change
    if (change === null) throw noChange()
    if (change.after.version !== networkVersion) throw otherVersion(change, networkVersion)
    return change
  }

  /** Checks whether documents of another instance are accepted. @throws EngineFault */
  admitImport(network: Extract<TaskNetwork, { kind: 'import' }>): void {
    const { source } = network
    const change = this.#expected(network.change)
    if (!exportersTo(change, change.after.self ?? '').includes(source.remoteName)) {
      throw unknownExporter(source.remoteName)
    }
    if (!this.isClean) throw notClean()
    const known = this.#parts.queue.network.importsOf(change.after.version)
    if (isSelfRenewed(change) && !this.#mayImport(change, source)) throw notReady()
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
   * Returns whether documents may arrive. An instance that gets its shards again first gets its
   * definitions from the leader, which may delete indexes: other exporters wait for that.
   */
  #mayImport({ after }: TopologyChange, { remoteName }: ImportSource): boolean {
    if (this.hasOlderTasks()) return false
    const { isDefined, ended } = this.messages()
    return isDefined || remoteName === after.leader || ended.includes(after.leader ?? '')
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
    const { change } = this
    const isDirty = change !== null && (change.isDirty || change.isReturning)
    return !isDirty || this.messages().isClean
  }

  clean(change: TopologyChange): void {
    if (!this.isClean) this.#runBatch(change, { kind: 'clean' })
  }

  /** The work that the batch of the change does. */
  get work(): ChangeWork {
    return this.#work
  }

  /** Records that documents and indexes left behind here are deleted. @throws StorageError */
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

  complete(change: TopologyChange, keeps: boolean): void {
    this.#isDeleting = true
    this.#runBatch(change, { kind: keeps ? 'keep' : 'delete' })
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
    // The leader does not search by the new network yet, so no instance has deleted documents.
    queue.network.committed = -1
    await this.#note(({ routed, ...rest }) => ({
      ...rest,
      routed: routed.filter((name) => name !== self),
    }))
    await queue.registerCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
  }

  async leave(): Promise<void> {
    const { network, stale } = this.#parts
    const change = this.#change
    if (change !== null) await this.cancel(change)
    await network.update((known) => ({ ...known, self: null, leader: null, leaderId: null }))
    await this.#records.setSettled(null)
    await stale.clear(stale.all().keys())
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
    return known === undefined ? null : cachedSettings(known.settings)
  }

  onTopology(listener: () => void): void {
    this.#listener = listener
  }

  /** Returns the shards under which a task runs. */
  shardsOf(uid: number): ShardSet | null {
    const change = this.#change
    if (change === null) return shardSetOf(this.#whereDocumentsAre)
    if (uid >= change.uid) return shardSetOf(change.after)
    const { before, after } = change
    const isMember = after.self !== null && before.remotes.has(after.self)
    return isMember ? shardSetOf({ ...before, self: after.self }) : keepsAll(before, after)
  }

  /** Called when tasks have ended: the change may be one of them. @throws as `load` */
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

  /** Records which remotes are up to date, now that a change has ended. @throws StorageError */
  async #noteStale(change: TopologyChange): Promise<void> {
    const { uid, before, after, absent, renewed, renewedShards } = change
    const { queue, stale } = this.#parts
    const task = await queue.lists.task(uid, null)
    if (task?.status !== 'succeeded') {
      // Those that only get some shards again receive all writes, and stay marked.
      const lacking = renewed.filter((name) => !renewedShards.has(name))
      await giveUp(this.#parts, lacking, 'interrupted')
      // No writes are sent to a remote whose removal was canceled, and no later change clears it.
      const left = [...before.remotes.keys()].filter((name) => !after.remotes.has(name))
      await giveUp(
        this.#parts,
        left.filter((name) => !holdsAlone(before, name)),
        'absent',
      )
      return
    }
    const gone = [...stale.all().keys()].filter((name) => before.remotes.has(name))
    await stale.clear([
      ...renewed,
      ...this.#upToDate(after),
      ...gone.filter((name) => !after.remotes.has(name)),
    ])
    // A remote that left without an answer has old documents. If it alone had a shard, no other
    // copy exists: when the remote comes back, it exports them.
    const lost = absent.filter((name) => !after.remotes.has(name) && !holdsAlone(before, name))
    await giveUp(this.#parts, lost, 'absent')
  }

  /**
   * Returns instances that a change has brought up to date: its leader, whose documents count, and
   * this instance if it was away and takes part now.
   */
  #upToDate({ self, leader }: Network): readonly string[] {
    const wasAway = self !== null && this.#parts.stale.all().get(self)?.reason === 'absent'
    return [...(leader === null ? [] : [leader]), ...(wasAway ? [self] : [])]
  }

  admitIndexes(origin: TaskOrigin, hasDefinitions: boolean): void {
    const change = this.#change
    if (change?.after.version !== origin.networkVersion) throw noChange()
    if (!this.isClean) throw notClean()
    if (isSelfRenewed(change) && this.hasOlderTasks()) throw notReady()
    if (!hasDefinitions) return
    const parts = this.#parts.queue.network.importsOf(this.#renewing(origin).after.version)
    const isDone = parts.every(({ source, hasEnded }) => source.indexName !== null || hasEnded)
    if (!this.messages().isDefined || !isDone) throw notReady()
  }

  async definitionsSent(origin: TaskOrigin): Promise<void> {
    this.#renewing(origin)
    await this.#note((messages) => ({ ...messages, isDefined: true }))
  }

  /** Returns the change in which this instance gets its shards again. @throws EngineFault */
  #renewing({ networkVersion }: TaskOrigin): TopologyChange {
    const change = this.#change
    if (change?.after.version !== networkVersion || !isSelfRenewed(change)) throw noChange()
    return change
  }
}

const originOf = (
  network: TaskNetwork | null,
  uid: number,
  { after }: ChangedNetworks,
): TaskOrigin =>
  network?.kind === 'origin'
    ? network.origin
    : { remoteName: after.self ?? '', taskUid: uid, networkVersion: after.version }

const isSelfRenewed = ({ after, renewed }: TopologyChange): boolean =>
  after.self !== null && renewed.includes(after.self)
