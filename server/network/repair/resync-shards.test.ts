// A resync sends what differs, and nothing else.
import { expect, test } from 'vitest'
import {
  type Engine,
  type IndexDigest,
  type Network,
  NO_NETWORK,
  type TopologyChange,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { differentShards, type ResyncCalls, sendDifferentDefinitions } from './resync-shards.ts'

type Copies = { readonly [uid: string]: { readonly [shard: string]: string } }

const digestsOf = (copies: Copies, settings: { readonly [uid: string]: string } = {}) =>
  Object.entries(copies).map(([uid, shards]): IndexDigest => {
    const found = Object.entries(shards).map(([shard, digest]) => {
      return { shard, next: null, documents: 1, bytes: 1, digest }
    })
    return { uid: asIndexUid(uid), settings: settings[uid] ?? '', shards: found }
  })

/**
 * Calls between two instances with these digests; `sent` are the requests that change the other, and
 * `asked` the others with the time that each may take.
 */
function between(own: readonly IndexDigest[], theirs: readonly IndexDigest[]) {
  const sent: string[] = []
  const asked: unknown[] = []
  const engine = {
    replication: { digests: async () => own },
  }
  const calls = {
    engine: engine as unknown as Engine,
    signal: new AbortController().signal,
    request: async (path: string, ms?: number) => {
      asked.push([path, ms])
      return Buffer.from(JSON.stringify({ version: '', isSettled: true, indexes: theirs }))
    },
    sendMessage: async ({ type }: { readonly type?: unknown }) => sent.push(String(type)),
    send: async (method: string, path: string, value: unknown) => {
      sent.push(`${method} ${path}${method === 'POST' ? ` ${JSON.stringify(value)}` : ''}`)
    },
  } as unknown as ResyncCalls
  return { calls, sent, asked }
}

const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(),
  shards: new Map(['s1', 's2', 's3'].map((name) => [name, { remotes: ['a', 'b'] }])),
}
const CHANGE = {
  before: NETWORK,
  after: {
    ...NETWORK,
    remotes: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  },
  absent: [],
  renewed: ['b'],
  renewedShards: new Map(),
} as unknown as TopologyChange
const NAMES = ['s1', 's2', 's3']
const TRANSFER = {
  from: { names: NAMES, held: [true, true, false] },
  to: { names: NAMES, held: [true, true, true] },
}

test('equal shards are not sent; those that differ are deleted there first', async () => {
  const own = digestsOf({ films: { s1: 'x', s2: 'y', s3: 'z' }, books: { s1: 'x' } })
  const theirs = digestsOf({ films: { s1: 'x', s2: 'old', s3: 'old' }, books: { s1: 'x' } })
  const { calls, sent, asked } = between(own, theirs)
  const transfers = await differentShards(calls, CHANGE, 'a', TRANSFER)
  expect([...transfers]).toEqual([
    ['films', { ...TRANSFER, from: { names: NAMES, held: [false, true, false] } }],
  ])
  expect(sent).toEqual([
    'renewForRemote',
    'POST /indexes/films/documents/delete {"filter":"_shard = \\"s2\\""}',
  ])
  // An answer that is lost costs as long: only digests of documents may take long.
  expect(asked).toEqual([['/network/digests', 120_000]])
})

test('missing documents are sent, superfluous ones deleted, each shard by its sender alone', async () => {
  const own = digestsOf({ films: { s1: 'x' } })
  const theirs = digestsOf({ films: { s2: 'old' } })
  const { calls, sent } = between(own, theirs)
  const transfers = await differentShards(calls, CHANGE, 'a', TRANSFER)
  expect([...transfers].map(([uid, { from }]) => [uid, from?.held])).toEqual([
    ['films', [true, false, false]],
  ])
  expect(sent).toEqual([
    'renewForRemote',
    'POST /indexes/films/documents/delete {"filter":"_shard = \\"s2\\""}',
  ])
  // Another owner, which has them right, is not the sender.
  const others = between(own, theirs)
  await differentShards(others.calls, { ...CHANGE, renewed: ['a', 'b'] }, 'a', TRANSFER)
  expect(others.sent).toEqual(['renewForRemote'])
})

test('indexes that the leader lacks are deleted, equal definitions are left alone', async () => {
  const { calls, sent, asked } = between(
    digestsOf({ same: {} }, { same: '1' }),
    digestsOf({ same: {}, 'old one': {} }, { same: '1' }),
  )
  await sendDifferentDefinitions(calls)
  expect(sent).toEqual(['DELETE /indexes/old%20one'])
  expect(asked).toEqual([['/network/digests?documents=false', undefined]])
})
