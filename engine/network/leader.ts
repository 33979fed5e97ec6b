// Who may write: where somebody leads a network, nobody else.
import { notLeader } from './merge.ts'
import type { Network } from './network.ts'

/** Kinds of tasks that are for the leader: those that change what indexes hold. */
export const LEADER_KINDS: ReadonlySet<string> = new Set([
  ...['documentAdditionOrUpdate', 'documentDeletion', 'documentEdition', 'settingsUpdate'],
  ...['indexCreation', 'indexUpdate', 'indexDeletion', 'indexSwap'],
])

/** @throws EngineFault not_a_leader */
export function checkLeads({ self, leader }: Network): void {
  if (leader !== null && leader !== self) throw notLeader(leader)
}
