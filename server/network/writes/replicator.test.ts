// A leader that is replaced while it sends a task: what the members answer concerns it no more.
import { expect, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK } from '../../../engine/index.ts'
import { Replicator } from './replicator.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })

/** Refuses a task of `a`; meanwhile `leader` becomes the leader. Returns who counts as stale. */
async function refusedUnder(leader: string): Promise<readonly string[]> {
  let network: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: new Map(['a', 'b', 'c'].map((name) => [name, remote(name)])),
    shards: new Map([['s', { remotes: ['a', 'b'] }]]),
  }
  const due = [0]
  const stale: string[] = []
  const replication = {
    remotesDue: () => (due.length > 0 ? ['b'] : []),
    oldestDue: () => due[0] ?? null,
    canceledDue: async () => [],
    sentTask: async () => ({
      uid: 0,
      content: { kind: 'indexDeletion' },
      indexUid: 'x',
      version: '',
    }),
    results: () => ({}),
    answered: async () => void due.pop(),
    stale: () => new Map(),
    giveUp: async (name: string) => void stale.push(name),
  }
  const engine = { network: { get: () => network }, replication, topology: { change: null } }
  const replicator = new Replicator({
    engine: engine as unknown as Engine,
    send: async () => {
      network = { ...network, leader }
      return { status: 400, headers: {}, body: Buffer.from('{"code":"bad_request"}') } as never
    },
    times: { connectMs: 1000, requestMs: 1000, backoffMs: 1000 },
    now: () => performance.now(),
    report: () => undefined,
    deposed: async () => undefined,
    backlogBytesMax: Number.POSITIVE_INFINITY,
    behind: () => undefined,
    unreachable: () => undefined,
    reachable: () => undefined,
  })
  await replicator.replicate(0, { kind: 'leader', version: '', remotes: ['b'] })
  await replicator.stop()
  return stale
}

test('a member that refuses a task is stale only for the leader', async () => {
  expect(await refusedUnder('a')).toEqual(['b'])
  expect(await refusedUnder('b')).toEqual([])
  expect(await refusedUnder('c')).toEqual([])
})
