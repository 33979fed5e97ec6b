// The port for the topology of a network: the running change, what this instance exports for it,
// and messages of other instances. The server sends requests to other instances.
import type { IndexUid } from '../../../format/ids.ts'
import type { ExportedIndex } from '../../backup/export/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { AcceptedTask } from '../../write/task-data/index.ts'
import type {
  ChangedNetworks,
  ChangeMessages,
  ExporterProgress,
  Network,
  TaskNetwork,
  TaskOrigin,
  TopologyChange,
  Transfer,
} from '../records/index.ts'

/** The running topology change, and requests of other instances about it. */
export interface TopologyPort {
  /** The change that has not ended, or null. */
  readonly change: TopologyChange | null
  /** The network that searches use: the old one until all documents are in their new places. */
  readonly serving: Network
  /**
   * Instances that lack writes or have old documents: other owners are queried for their shards,
   * and these instances only where no other owner answers.
   */
  readonly lacking: ReadonlySet<string>
  /**
   * Returns whether an instance may have a part of the shard only: it gets the shard again, or that
   * was interrupted.
   */
  isPartial(remote: string, shard: string): boolean
  /**
   * Returns another network whose documents this instance also has: during a change, the new one
   * after the import and the old one until the deletion. Returns null for any other version.
   */
  alsoServed(version: string): Network | null
  /**
   * Instances whose documents no search finds yet: they had documents before they joined, and the
   * change that moves them has not succeeded.
   */
  readonly unreached: readonly string[]
  readonly hasDocuments: boolean
  /**
   * The network under which the next task is accepted: that of a change as soon as its task has a
   * uid, before the change is durable.
   */
  readonly networkOfNextTask: Network
  /** Sets whether this instance lacks writes. */
  setBehind(isBehind: boolean): void
  /** Refuses writes of clients for this reason; null accepts them again. */
  suspend(reason: string | null): void
  /**
   * Registers a change and makes its network the current one. Durable when it resolves.
   * @throws EngineFault, StorageError
   */
  register(networks: NewNetworks, network: TaskNetwork, isRepeated?: boolean): Promise<AcceptedTask>
  /**
   * Begins the change whose task is durable if the records after it could not be written then.
   * @throws StorageError
   */
  resume(): Promise<void>
  /** Returns whether index tasks before the change have not ended. */
  hasOlderTasks(): boolean
  /** Returns the progress of each exporter. */
  exporters(change: TopologyChange): readonly ExporterProgress[]
  /** Returns what other members have reported about the change. */
  messages(): ChangeMessages
  /**
   * Returns if this instance accepts indexes of a change; `hasDefinitions`: if it gets its shards
   * again and its indexes and settings are those of the leader, so that documents may be compared.
   * @throws EngineFault if not, or not yet
   */
  admitIndexes(origin: TaskOrigin, hasDefinitions: boolean): void
  /** Records that the leader has sent all definitions of indexes. @throws EngineFault */
  definitionsSent(origin: TaskOrigin): Promise<void>
  /** Records that an exporter has sent all its documents. @throws EngineFault */
  exportEnded(origin: TaskOrigin, remote: string): Promise<void>
  /**
   * Records that a remote has imported. `isRouted`: whether it searches by the new network, or null
   * if it does not know that others wait for it. @throws EngineFault
   */
  importFinished(
    origin: TaskOrigin,
    remote: string,
    successful: boolean,
    isRouted: boolean | null,
  ): Promise<void>
  /**
   * Sets the details that the task shows. `isWaiting`: it cannot go on before others have acted.
   */
  showProgress(change: TopologyChange, message: string, isWaiting?: boolean): Promise<void>
  /**
   * Deletes what is left here of an earlier change or an earlier membership: then `isClean` becomes
   * true.
   */
  clean(change: TopologyChange): void
  readonly isClean: boolean
  /** Lets searches use the new network, as all documents are in place. @throws StorageError */
  route(change: TopologyChange): Promise<void>
  /** Whether searches already use the new network of the running change. */
  readonly isRouted: boolean
  /**
   * All instances search by the new network: deletes documents of other shards unless `keeps`, and
   * ends the task.
   */
  complete(change: TopologyChange, keeps: boolean): void
  /** Fails the task, because some instances could not import their documents. */
  fail(change: TopologyChange, failed: readonly string[]): void
  /** Cancels the change, as the leader has done. @throws StorageError */
  cancel(change: TopologyChange): Promise<void>
  /**
   * Ends the membership without calling other instances: documents and the list of remotes stay.
   * Durable when it resolves. @throws StorageError
   */
  leave(): Promise<void>
  /** Returns whether a leaving remote has documents that no other instance can export. */
  isNeeded(change: TopologyChange, remote: string): boolean
  /** Returns the current state of an index for an export, or null if it does not exist. */
  open(uid: IndexUid, transfer: Transfer, signal: AbortSignal): ExportedIndex | null
  indexUids(): readonly IndexUid[]
  /** Returns null if no index has that name. */
  settings(uid: IndexUid): IndexSettings | null
  /** Sets the listener, which is called when something may have changed. */
  onTopology(listener: () => void): void
}

/** A requested change; `before` is the network before the request. */
export type NewNetworks = Omit<ChangedNetworks, 'isDirty'> & {
  /** The leader has said that this instance lacks writes. */
  readonly isLacking?: boolean
}
