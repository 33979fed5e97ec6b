// The port for the topology of a network: the change that runs, what this instance sends for it,
// and what others have said. What calls other instances is the server's.
import {
  anything,
  decodedJson,
  flag,
  mapOf,
  object,
  text,
  texts,
} from '../../format/schema/index.ts'
import type { ExportedIndex } from '../backup/export/index.ts'
import {
  EngineFault,
  type Features,
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
  type Network,
  type NetworkDescription,
  readChange,
  shardSetOf,
  type TopologyChange,
} from '../network/index.ts'
import type { Searching } from '../read/search/index.ts'
import { decodeSettings, type IndexSettings } from '../settings/index.ts'
import { indexOfUid, type Manifest } from '../store/catalog/index.ts'
import { type ValueSpace, ValueStore } from '../store/values/index.ts'
import type { Views } from '../store/views/index.ts'
import { exportedIndex } from '../task-kinds/index.ts'
import type { AcceptedTask, ImportedPart, QueuedContent, TaskQueue } from '../write/tasks/index.ts'

const KIND = 'networkTopologyChange'
const NIL = '00000000-0000-0000-0000-000000000000'

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

const NO_MESSAGES: ChangeMessages = { version: NIL, ended: [], finished: {} }

const MESSAGES = object<ChangeMessages>({ version: text, ended: texts, finished: mapOf(flag) })
const encoder = new TextEncoder()
const jsonSpace = <T>(name: string, decode: (record: Uint8Array) => T): ValueSpace<T> => ({
  name,
  encode: (value) => encoder.encode(JSON.stringify(value)),
  decode,
  limit: null,
})
const MESSAGE_SPACE = jsonSpace('topology-messages', (bytes) =>
  decodedJson(MESSAGES, bytes, 'topology messages'),
)
const DETAIL_SPACE = jsonSpace('topology-details', (bytes) => {
  return decodedJson(mapOf(anything), bytes, 'topology details') as { [member: string]: unknown }
})
/** Details of canceled changes that are kept. */
const DETAILS_MAX = 64

type Parts = {
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly network: NetworkDescription
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
      this.#change = { uid, ...networks, origin: originOf(task?.network ?? null, uid, networks) }
      queue.network.keepImportsOf(networks.after.version)
      // Its task was durable first.
      if (network.get().version < networks.after.version) {
        await network.update(() => networks.after)
      }
    }
    this.#isComplete = false
  }

  get change(): TopologyChange | null {
    return this.#change
  }

  get serving(): Network {
    const current = this.#parts.network.get()
    if (this.#change === null || this.#isComplete) return current
    const { before, after } = this.#change
    // Urls and keys may be new; shards are where they were.
    if (before.leader === null) return after
    const remotes = new Map([...before.remotes, ...after.remotes])
    return { ...before, self: after.self ?? before.self, remotes }
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
    const { queue } = this.#parts
    const content = { kind: KIND, change: changeContent(networks) }
    const registration = { uid: null, isDry: false, isRepeated }
    const request = { indexUid: null, content, customMetadata: null, network, registration }
    const { nextTask } = queue
    const task = await queue.register(request)
    if (task.uid < nextTask) return task
    await this.#parts.network.update(() => networks.after)
    if (this.#change === null) {
      const origin = originOf(network, task.uid, networks)
      this.#change = { uid: task.uid, ...networks, origin }
      this.#isComplete = false
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
    const version = this.#change?.after.version ?? NIL
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
      await this.load()
    }
    this.#listener()
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

const noChange = (): EngineFault =>
  new EngineFault(
    'import_task_without_network_task',
    'No network topology change task is currently enqueued or processing',
  )

const otherVersion = ({ after }: TopologyChange, version: string): EngineFault =>
  new EngineFault(
    'network_version_mismatch',
    `The network task version (\`${after.version}\`) does not match the import task version ` +
      `(\`${version}\`)`,
  )

const unknownExporter = (remote: string): EngineFault =>
  new EngineFault(
    'import_task_unknown_remote',
    `The import task emanates from an unknown remote \`${remote}\``,
  )
