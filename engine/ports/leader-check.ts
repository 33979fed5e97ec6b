// Which tasks the leader of a network alone takes.
import type { Features } from '../model/index.ts'
import { checkLeads, type NetworkDescription } from '../network/index.ts'
import type { TaskKindModule } from '../task-kinds/index.ts'
import type { TaskKinds } from '../write/tasks/index.ts'

/** Called with the kind of a task before it is taken. @throws EngineFault not_a_leader */
export type LeaderCheck = (kind: string) => void

/** What changes indexes is for the leader; without a network every instance is its own. */
export const leaderCheck =
  (
    kinds: TaskKinds<TaskKindModule>,
    state: { readonly features: Features; readonly network: NetworkDescription },
  ): LeaderCheck =>
  (kind) => {
    if (state.features.network && kinds.named(kind).isForLeader) checkLeads(state.network.get())
  }
