// Repairs on request: only instances that differ while no task runs are sent their shards again.
import { expect, test } from 'vitest'
import { type Network, NO_NETWORK } from '../../../engine/index.ts'
import type { DigestParts } from './digests.ts'
import { ReplicaWatch } from './replica-watch.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: 's', writeApiKey: 'w' })
const NETWORK: Network = {
  ...NO_NETWORK,
  version: 'v7',
  self: 'a',
  leader: 'a',
  remotes: new Map(['a', 'b'].map((name) => [name, remote(name)])),
  shards: new Map([['s1', { remotes: ['a', 'b'] }]]),
}
const digestOf = (digest: string) => {
  const shard = { shard: 's1', next: null, documents: 1, bytes: 2, digest }
  return [{ uid: 'films', settings: 'x', shards: [shard] }]
}

type World = { readonly digest?: string; readonly isSettled?: boolean; readonly due?: boolean }

async function repaired({ digest = 'other', isSettled = true, due = false }: World) {
  const marked: unknown[] = []
  const replication = {
    isIdle: true,
    digests: async () => digestOf('own'),
    remotesDue: () => (due ? ['b'] : []),
    stale: () => new Map(),
    markSuspect: async (...named: unknown[]) => void marked.push(named),
  }
  const engine = { topology: { serving: NETWORK }, replication }
  const answer = { version: 'v7', isSettled, indexes: digestOf(digest) }
  const send = async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) })
  const parts = { engine, send, times: { connectMs: 1, requestMs: 1 } } as unknown as DigestParts
  const watch = new ReplicaWatch({ ...parts, now: () => 0, report: () => undefined, pauseMs: 0 })
  return { ...(await watch.repair([])), marked }
}

test.each<[World, string, readonly string[]]>([
  [{}, 'different', ['s1']],
  [{ digest: 'own' }, 'equal', []],
  [{ isSettled: false }, 'unsettled', []],
  [{ due: true }, 'unsettled', []],
])('replicas in the state %j are %s, and are sent %j', async (world, verdict, shards) => {
  expect(await repaired(world)).toEqual({
    verdict,
    repaired: shards.length === 0 ? {} : { b: shards },
    unclear: [],
    marked: shards.length === 0 ? [] : [['b', shards]],
  })
})
