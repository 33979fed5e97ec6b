// The engine as its callers see it. Requests are typed and already well-formed (engine/model); what
// only the index can know (does the field exist, is it filterable) is checked inside and comes back
// as an EngineFault.

import type { TaskUid } from '../../format/ids.ts'
import type { FollowStatus, TaskNetwork } from '../model/index.ts'
import type { AdministrationPort } from './administration.ts'
import type { DocumentsPort } from './documents.ts'
import type { ReplicationPort } from './replication.ts'
import type { SearchPort } from './search.ts'
import type { TasksPort } from './tasks.ts'
import type { TopologyPort } from './topology.ts'

export type AskBeforeCanceling = (uids: readonly TaskUid[]) => Promise<ReadonlySet<TaskUid>>

export interface Engine extends AdministrationPort, DocumentsPort, TasksPort, SearchPort {
  /** How well this engine follows another database; null: it takes writes. */
  readonly follows: FollowStatus | null
  /** Changes of who holds what in a network. */
  readonly topology: TopologyPort
  /** Copies of tasks for the remotes of a network. */
  readonly replication: ReplicationPort
  /**
   * Called for each task that remotes are to have; it is answered to its client when the promise
   * resolves.
   */
  onReplicated(replicate: (uid: TaskUid, network: TaskNetwork) => Promise<void>): void
  /**
   * `ask` is called with tasks that remotes may have and that are to be canceled: those that have
   * run on a remote, which are not canceled then. `decided` is called when it has taken effect.
   */
  onCanceling(ask: AskBeforeCanceling, decided: () => void): void
  /**
   * Finishes what must not be left half done, closes the files. Running batches start again next
   * time.
   */
  close(): Promise<void>
}
