// Decides which tasks an instance of a network accepts: tasks of clients on the leader alone,
// copies of the leader's tasks under the newest network, documents of a topology change while one
// runs.
import { EngineFault } from '../../model/index.ts'
import type { TaskKind } from '../../task-kinds/kind/index.ts'
import type { Registration, TaskKinds } from '../../write/task-data/index.ts'
import {
  checkLeads,
  type Network,
  type StaleRemotes,
  type TaskNetwork,
  type TaskOrigin,
} from '../records/index.ts'
import type { LocalTopology } from './topology.ts'

/**
 * Returns the network part of a task of this kind, from its request.
 * @throws EngineFault not_a_leader and others
 */
export type AdmitTask = (kind: string, registration: Registration | undefined) => TaskNetwork | null

export const admission =
  (kinds: TaskKinds<TaskKind>, topology: LocalTopology, stale: StaleRemotes): AdmitTask =>
  (kind, registration) => {
    if (!kinds.named(kind).isForLeader) return null
    const sent = registration?.network
    const current = topology.networkOfNextTask
    if (sent === undefined) {
      checkLeads(current)
      if (topology.suspension !== null) throw new EngineFault('not_a_leader', topology.suspension)
      if (current.leader === null) return null
      // A remote that will get its shards again receives only tasks after the start of that change.
      // If tasks were dropped since, a later one would prove to it that it has all.
      const start = topology.change?.uid ?? Number.POSITIVE_INFINITY
      const isLeftOut = (name: string): boolean =>
        stale.isLacking(name) &&
        (!topology.renewed.includes(name) || stale.all().get(name)!.before > start)
      const remotes = [...current.remotes.keys()].filter(
        (name) => name !== current.self && !isLeftOut(name),
      )
      return { kind: 'leader', version: current.version, remotes }
    }
    if (sent.kind === 'leader') return sent
    const origin = sent.kind === 'origin' ? sent.origin : sent.change
    if (sent.kind === 'origin') checkLeader(origin, current)
    checkVersion(origin.networkVersion, current.version)
    if (sent.kind === 'import') topology.admitImport(sent)
    return sent
  }

/**
 * A task of the former leader, which does not know yet that another instance leads. @throws
 * EngineFault network_leader_mismatch
 */
function checkLeader(
  { remoteName, networkVersion }: TaskOrigin,
  { leader, version }: Network,
): void {
  if (leader === null || remoteName === leader || networkVersion >= version) return
  throw new EngineFault(
    'network_leader_mismatch',
    `The network of this instance is led by \`${leader}\`, not by \`${remoteName}\`.`,
  )
}

/** @throws EngineFault network_version_too_old */
function checkVersion(received: string, expected: string): void {
  if (received >= expected) return
  throw new EngineFault(
    'network_version_too_old',
    'The network version in request is too old.\n' +
      `  - Received: ${received}\n  - Expected at least: ${expected}`,
  )
}
