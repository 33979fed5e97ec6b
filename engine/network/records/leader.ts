// Checks that this instance may accept writes: if a network has a leader, only the leader may.
import { notLeader } from './merge.ts'
import type { Network } from './network.ts'

/** @throws EngineFault not_a_leader */
export function checkLeads({ self, leader }: Network): void {
  if (leader !== null && leader !== self) throw notLeader(leader)
}
