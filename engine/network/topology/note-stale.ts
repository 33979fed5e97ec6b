// Which instances are up to date while the network changes, and after it.
import { asTaskUid } from '../../../format/ids.ts'
import {
  holdsAlone,
  type Network,
  type ResyncLists,
  type StaleRemote,
  type StaleRemotes,
  type TopologyChange,
} from '../records/index.ts'
import { giveUp } from './replication.ts'

type Parts = Parameters<typeof giveUp>[0]

/**
 * Returns the marks before a change begins: of the remotes that get their shards again, which are
 * not queried until it has succeeded, because they may have a part of their documents; and of
 * `lacking`, this instance if it lacks writes, or null. Once the change has arrived, it would count
 * the writes before it as its own.
 */
export function marksBefore(
  stale: StaleRemotes,
  { renewed, renewedShards }: ResyncLists,
  lacking: string | null,
): readonly (readonly [remote: string, StaleRemote])[] {
  const before = asTaskUid(0)
  const marks: [string, StaleRemote][] = []
  for (const name of renewed.filter((one) => !stale.has(one))) {
    const shards = renewedShards.get(name)
    const limit = shards === undefined ? {} : { shards }
    marks.push([name, { reason: 'interrupted', before, ...limit }])
  }
  if (lacking !== null) {
    const isPartial =
      renewed.includes(lacking) || stale.all().get(lacking)?.reason === 'interrupted'
    marks.push([lacking, { reason: isPartial ? 'interrupted' : 'backlog', before }])
  }
  return marks
}

/** Records which remotes are up to date, now that a change has ended. @throws StorageError */
export async function noteStale(parts: Parts, change: TopologyChange): Promise<void> {
  const { uid, before, after, absent, renewed, renewedShards } = change
  const { queue, stale } = parts
  const task = await queue.lists.task(uid, null)
  if (task?.status !== 'succeeded') {
    // Those that only get some shards again receive all writes, and stay marked.
    const lacking = renewed.filter((name) => !renewedShards.has(name))
    await giveUp(parts, lacking, 'interrupted')
    for (const name of renewedShards.keys()) {
      const known = stale.all().get(name)
      if (known !== undefined) await stale.mark([name], { ...known, reason: 'interrupted' })
    }
    // No writes are sent to a remote whose removal was canceled, and no later change clears it.
    const left = [...before.remotes.keys()].filter((name) => !after.remotes.has(name))
    await giveUp(
      parts,
      left.filter((name) => !holdsAlone(before, name)),
      'absent',
    )
    return
  }
  // A remote whose tasks were dropped during the change lacks those that are newer than it.
  const isBroughtUpToDate = (name: string): boolean => (stale.all().get(name)?.before ?? 0) <= uid
  const gone = [...stale.all().keys()].filter((name) => before.remotes.has(name))
  await stale.clear([
    ...renewed.filter(isBroughtUpToDate),
    ...upToDate(parts, after),
    ...gone.filter((name) => !after.remotes.has(name)),
  ])
  // A remote that left without an answer has old documents. If it alone had a shard, no other
  // copy exists: when the remote comes back, it exports them.
  const lost = absent.filter((name) => !after.remotes.has(name) && !holdsAlone(before, name))
  await giveUp(parts, lost, 'absent')
}

/**
 * Returns instances that a change has brought up to date: its leader, whose documents count, and
 * this instance if it was away and takes part now.
 */
function upToDate({ stale }: Parts, { self, leader }: Network): readonly string[] {
  const wasAway = self !== null && stale.all().get(self)?.reason === 'absent'
  return [...(leader === null ? [] : [leader]), ...(wasAway ? [self] : [])]
}
