// The port for the topology of a network: the running change, the batch that ends it, and what
// other parts of the engine ask about it.
import { asTaskUid, type IndexUid, type TaskUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { ExportedIndex } from '../../backup/export/index.ts'
import type { Features } from '../../model/index.ts'
import type { Searching } from '../../read/pool/index.ts'
import { cachedSettings, type IndexSettings } from '../../settings/index.ts'
import { documentCount, indexOfUid, type Manifest } from '../../store/catalog/index.ts'
import type { Views } from '../../store/views/index.ts'
import { exportedIndex } from '../../task-kinds/database/index.ts'
import type { ChangeWork } from '../../task-kinds/kind/index.ts'
import { type AcceptedTask, NO_FILTER, type QueuedContent } from '../../write/task-data/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import {
  type ChangedNetworks,
  type ChangeMessages,
  changeContent,
  type ExporterProgress,
  exporterProgress,
  exportersTo,
  isNeeded,
  mayBePartial,
  type Network,
  type NetworkDescription,
  placedNetwork,
  type ShardSet,
  type StaleRemotes,
  type TaskNetwork,
  type TaskOrigin,
  type TopologyChange,
  type Transfer,
} from '../records/index.ts'
import { ImportAdmission } from './import-admission.ts'
import { marksBefore, noteStale } from './note-stale.ts'
import { ServingNetwork } from './serving-network.ts'
import { KIND, originOf, TakeUp, waitingChange } from './take-up.ts'
import { TopologyMessages } from './topology-messages.ts'
import type { NewNetworks, TopologyPort } from './topology-port.ts'
import { placementChange, TopologyRecords } from './topology-records.ts'

const NONE: ReadonlySet<string> = new Set()

type Parts = {
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly network: NetworkDescription
  readonly stale: StaleRemotes
  readonly searching: Searching
  readonly views: () => Views
  readonly features: () => Features
  readonly contentOf: (uid: TaskUid) => Promise<QueuedContent | null>
}

export class LocalTopology implements TopologyPort {
  readonly #parts: Parts
  readonly #records: TopologyRecords
  readonly #messages: TopologyMessages
  readonly #imports: ImportAdmission
  readonly #serving: ServingNetwork
  #change: TopologyChange | null = null
  /** The work that the batch of the change does when it runs. */
  #work: ChangeWork = { kind: 'delete' }
  /** The next network, set as soon as the task of its change has a uid; null before. */
  #nextNetwork: Pick<ChangedNetworks, 'after' | 'renewed'> | null = null
  readonly #takeUp: TakeUp
  #isBehind = false
  #suspension: string | null = null
  #listener: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#records = new TopologyRecords(parts.manifest)
    this.#messages = new TopologyMessages(this.#records, {
      change: () => this.#change,
      changed: () => this.#listener(),
    })
    this.#imports = new ImportAdmission(this.#messages, {
      importsOf: (version) => parts.queue.network.importsOf(version),
      hasOlderTasks: () => this.hasOlderTasks(),
    })
    this.#takeUp = new TakeUp({
      record: async ({ before, after, bringing }) => {
        await this.#records.setPlacement(before, bringing)
        await parts.network.update(() => after)
      },
      recorded: (change) => {
        if (this.#change === null) this.#begin(change)
        return this.ended()
      },
    })
    this.#serving = new ServingNetwork(this.#records, this.#messages, () => parts.network.get())
    for (const [uid, details] of this.#records.details()) {
      parts.queue.network.details.set(asTaskUid(Number(uid)), details)
    }
  }

  /** Loads the change that ran when the process ended. @throws CorruptionError, StorageError */
  async load(): Promise<void> {
    const { queue, network } = this.#parts
    const change = await waitingChange(this.#parts)
    if (change === null) {
      this.#change = null
      queue.network.follow(null)
    } else {
      const { uid, before, after } = change
      this.#begin(change)
      // The task of the change became durable before this record.
      if (this.#records.placement === undefined) await this.#records.setPlacement(before)
      if (network.get().version < after.version) await network.update(() => after)
      queue.network.committed = this.isRouted ? uid : -1
    }
  }

  /** As `TopologyPort.resume`. @throws StorageError */
  async resume(): Promise<void> {
    if (this.#change !== null) return
    if (this.#nextNetwork !== null) return
    const change = this.#takeUp.unrecorded ?? (await waitingChange(this.#parts))
    if (change !== null) await this.#takeUp.record(change)
  }

  /** Ends the attempts to record a change; the next start makes its records. */
  close(): void {
    this.#takeUp.close()
  }

  #begin(change: TopologyChange): void {
    this.#change = change
    this.#parts.queue.network.follow({ uid: change.uid, version: change.after.version })
    this.#serving.begin(change)
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

  isPartial(remote: string, shard: string): boolean {
    return mayBePartial(this.#change, this.#parts.stale.all(), remote, shard)
  }

  get serving(): Network {
    return this.#serving.network
  }

  get unreached(): readonly string[] {
    return this.#serving.unreached
  }

  alsoServed(version: string): Network | null {
    return this.#serving.alsoServed(version)
  }

  get shardNames(): readonly string[] | null {
    return this.#serving.shardNames
  }

  shardsOf(uid: TaskUid): ShardSet | null {
    return this.#serving.shardsOf(uid, this.#isOver ? null : this.#change)
  }

  /** Whether the task of the change has ended: tasks behind it may run before it is forgotten. */
  get #isOver(): boolean {
    const { queue } = this.#parts
    return this.#change !== null && !queue.waitingOfKind(KIND).includes(this.#change.uid)
  }

  get hasDocuments(): boolean {
    const { indexes } = this.#parts.manifest.state
    return [...indexes.values()].some((index) => documentCount(index) > 0)
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

  async register(
    { isLacking = false, ...requested }: NewNetworks,
    network: TaskNetwork,
    isRepeated = false,
  ): Promise<AcceptedTask> {
    const { queue, stale } = this.#parts
    const { placement } = this.#records
    const before =
      placement === undefined ? requested.before : placedNetwork(placement, requested.before)
    const { self } = requested.after
    const joins = self !== null && self !== requested.after.leader && before.leader === null
    const own = joins && this.hasDocuments ? [self] : []
    const bringing = [...new Set([...requested.bringing, ...own])].sort()
    const networks = { ...requested, before, isDirty: placement !== undefined, bringing }
    // One that is sent again may have ended. Without marks, the task is registered at once.
    if (networks.after.version > this.networkOfNextTask.version) {
      const lacking = isLacking ? (self ?? before.self) : null
      for (const [name, mark] of marksBefore(stale, networks, lacking))
        await stale.mark([name], mark)
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
      if (task.uid < nextTask) {
        await this.resume()
        return task
      }
      const { uid } = task
      queue.network.follow({ uid, version: networks.after.version })
      const origin = originOf(network, uid, networks)
      await this.#takeUp.begin({ uid, ...networks, origin })
      return task
    } finally {
      this.#nextNetwork = null
    }
  }

  /** The change whose task is accepted, while its records are not durable yet. */
  get #registered(): Pick<ChangedNetworks, 'after' | 'renewed'> | null {
    return this.#nextNetwork ?? this.#takeUp.unrecorded
  }

  get networkOfNextTask(): Network {
    return this.#registered?.after ?? this.#parts.network.get()
  }

  /** Remotes that get their shards again: they receive the tasks that are accepted from now on. */
  get renewed(): readonly string[] {
    return (this.#registered ?? this.#change)?.renewed ?? []
  }

  hasOlderTasks(): boolean {
    const uid = this.#change?.uid ?? asTaskUid(-1)
    return this.#parts.queue.hasIndexTasksBefore(uid)
  }

  exporters(change: TopologyChange): readonly ExporterProgress[] {
    const self = change.after.self ?? ''
    const parts = this.#parts.queue.network.importsOf(change.after.version)
    const { ended } = this.messages()
    return exportersTo(change, self).map((remote) => exporterProgress(remote, parts, ended))
  }

  messages(): ChangeMessages {
    return this.#messages.all()
  }

  exportEnded(origin: TaskOrigin, remote: string): Promise<void> {
    return this.#messages.exportEnded(origin, remote)
  }

  importFinished(...sent: Parameters<TopologyMessages['importFinished']>): Promise<void> {
    return this.#messages.importFinished(...sent)
  }

  definitionsSent(origin: TaskOrigin): Promise<void> {
    return this.#messages.definitionsSent(origin)
  }

  /** Checks whether documents of another instance are accepted. @throws EngineFault */
  admitImport(network: Extract<TaskNetwork, { kind: 'import' }>): void {
    this.#imports.admit(network)
  }

  admitIndexes(origin: TaskOrigin, hasDefinitions: boolean): void {
    this.#imports.admitIndexes(origin, hasDefinitions)
  }

  async showProgress(change: TopologyChange, message: string, isWaiting = false): Promise<void> {
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
    return this.#messages.isClean
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
    await this.#messages.note((messages) => ({ ...messages, isClean: true }))
  }

  get isRouted(): boolean {
    return this.#messages.isRouted
  }

  async route(change: TopologyChange): Promise<void> {
    this.#parts.queue.network.committed = change.uid
    await this.#messages.setRouted(change, true)
  }

  complete(change: TopologyChange, keeps: boolean): void {
    this.#serving.beginDeletion()
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

  async cancel(change: TopologyChange): Promise<void> {
    const { queue } = this.#parts
    // The leader does not search by the new network yet, so no instance has deleted documents.
    queue.network.committed = -1
    await this.#messages.setRouted(change, false)
    const { uid } = change
    await queue.registerCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
  }

  async leave(): Promise<void> {
    const { network, stale } = this.#parts
    const change = this.#change
    if (change !== null) await this.cancel(change)
    await network.update((known) => ({ ...known, self: null, leader: null, leaderId: null }))
    await this.#records.setPlacement(null)
    await stale.clear(stale.all().keys())
  }

  isNeeded(change: TopologyChange, remote: string): boolean {
    return isNeeded(change, remote)
  }

  placementChange(): Change {
    return placementChange()
  }

  open(uid: IndexUid, transfer: Transfer, signal: AbortSignal): ExportedIndex | null {
    const { views, ...parts } = this.#parts
    return exportedIndex({ ...parts, views: views() }, uid, signal, transfer)
  }

  indexUids(): readonly IndexUid[] {
    return [...this.#parts.manifest.state.indexes.values()].map(({ uid }) => uid).sort()
  }

  settings(uid: IndexUid): IndexSettings | null {
    const known = indexOfUid(this.#parts.manifest.state, uid)
    return known === undefined ? null : cachedSettings(known.settings)
  }

  onTopology(listener: () => void): void {
    this.#listener = listener
  }

  /** Called when tasks have ended, or a change was recorded late. @throws as `load` */
  async ended(): Promise<void> {
    const change = this.#change
    const { queue } = this.#parts
    if (change !== null && this.#isOver) {
      Object.assign(queue.network, { ready: -1, committed: -1 })
      await noteStale(this.#parts, change)
      await this.load()
    }
    this.#listener()
  }
}
