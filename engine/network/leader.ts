// Who may write: where somebody leads a network, nobody else.
import { notLeader } from './merge.ts'
import type { Network } from './network.ts'

/** @throws EngineFault not_a_leader */
export function checkLeads({ self, leader }: Network): void {
  if (leader !== null && leader !== self) throw notLeader(leader)
}
