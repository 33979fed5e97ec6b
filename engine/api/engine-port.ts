// The engine as its callers see it. Requests are typed and already well-formed (engine/model). What
// only the index can check (does the field exist, is it filterable) is checked inside and reported
// as an EngineFault.
import type { TaskUid } from '../../format/ids.ts'
import type { Keys } from '../admin/keys/index.ts'
import type { Webhooks } from '../admin/webhooks/index.ts'
import type { Chats } from '../ai/chats/index.ts'
import type { Templates } from '../ai/template/index.ts'
import type { FollowStatus, Publication } from '../model/index.ts'
import type { NetworkDescription, TaskNetwork } from '../network/records/index.ts'
import type { ReplicationPort, TopologyPort } from '../network/topology/index.ts'
import type { InstanceIdentity } from '../store/catalog/index.ts'
import type { AdministrationPort } from './administration.ts'
import type { DocumentsPort } from './documents.ts'
import type { SearchPort } from './search.ts'
import type { TasksPort } from './tasks.ts'

export type AskBeforeCanceling = (uids: readonly TaskUid[]) => Promise<ReadonlySet<TaskUid>>

export interface Engine {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  /** The description of the network; `topology` changes it. */
  readonly network: NetworkDescription
  /** Renders templates of clients, off the main thread. */
  readonly templates: Templates
  readonly administration: AdministrationPort
  readonly documents: DocumentsPort
  readonly tasks: TasksPort
  readonly queries: SearchPort
  /** The state of this engine as a follower, or null if it accepts writes. */
  readonly follows: FollowStatus | null
  /** Publishes this database into an object store; null if it is not published. */
  readonly publication: Publication | null
  /**
   * Returns the lists of requests that were accepted here and never published, because another
   * instance became the writer: paths in the database folder.
   */
  unpublishedWrites(): readonly string[]
  readonly identity: InstanceIdentity
  /** Changes of the topology of a network. */
  readonly topology: TopologyPort
  /** Copies of tasks for the remotes of a network. */
  readonly replication: ReplicationPort
  /**
   * Registers `replicate`, which is called for each task that remotes must receive. The client gets
   * its answer when the promise resolves.
   */
  onReplicated(replicate: (uid: TaskUid, network: TaskNetwork) => Promise<void>): void
  /**
   * Registers `ask`, which is called with the tasks that are to be canceled and that remotes may
   * have. It returns those that have already run on a remote; these are not canceled. `decided` is
   * called when the cancelation has taken effect.
   */
  onCanceling(ask: AskBeforeCanceling, decided: () => void): void
  /**
   * Finishes work that must not stay half done and closes the files. Running batches start again
   * after the next start.
   */
  close(): Promise<void>
}
