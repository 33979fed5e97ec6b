// The plan of a change: who sends which documents to whom, and who deletes them.
import { expect, test } from 'vitest'
import { elected, type Network, NO_NETWORK } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { InstanceDigest } from './digests.ts'
import { planChange } from './plan-change.ts'

type Shards = { readonly [name: string]: readonly string[] }

function networkOf(names: string, shards: Shards, leader: string | null = 'a'): Network {
  const remote = (name: string) => ({
    url: `http://${name}`,
    searchApiKey: null,
    writeApiKey: null,
  })
  return {
    ...NO_NETWORK,
    leader,
    remotes: new Map([...names].map((name) => [name, remote(name)])),
    shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
  }
}

type Group = readonly [shard: string | null, next: string | null, documents: number]

/** Each list of groups is an index; a document has 10 bytes. */
const digest = (...indexes: readonly (readonly Group[])[]): InstanceDigest => ({
  version: '',
  isSettled: true,
  indexes: indexes.map((groups, i) => ({
    uid: asIndexUid(`i${i}`),
    settings: '',
    shards: groups.map(([shard, next, documents]) => ({
      ...{ shard, next, documents, digest: '' },
      bytes: documents * 10,
    })),
  })),
})

const down = new ApiError('remote_timeout', 'down')
const amount = (documents: number) => ({ documents, bytes: documents * 10 })
const none = amount(0)

test('a shard moves from one instance to another', () => {
  const before = networkOf('ab', { s1: ['a'], s2: ['b'] })
  const after = networkOf('bc', { s1: ['c'], s2: ['b'] })
  const all = new Map([
    ['a', digest([['s1', 's1', 10]], [['s1', 's1', 3]])],
    ['b', digest([['s2', 's2', 5]])],
  ])
  const moved = amount(13)
  expect(planChange(before, after, all)).toEqual({
    instances: {
      a: {
        ...{ shardsBefore: ['s1'], shardsAfter: [], holds: moved },
        ...{ receives: none, sends: moved, deletes: moved },
      },
      b: {
        ...{ shardsBefore: ['s2'], shardsAfter: ['s2'], holds: amount(5) },
        ...{ receives: none, sends: none, deletes: none },
      },
      c: {
        ...{ shardsBefore: [], shardsAfter: ['s1'], holds: none },
        ...{ receives: moved, sends: none, deletes: none },
      },
    },
    moves: [{ from: 'a', to: 'c', ...moved }],
    unreachable: [],
  })
})

test('one of several owners sends, and only to new ones', () => {
  const before = networkOf('abcd', { s1: ['a', 'b'] })
  const after = networkOf('abcd', { s1: ['a', 'b', 'c', 'd'] })
  const has = digest([['s1', 's1', 4]])
  const sender = elected(['a', 'b'], 's1')!
  const other = sender === 'a' ? 'b' : 'a'
  const moves = (all: ReadonlyMap<string, InstanceDigest | ApiError>) =>
    planChange(before, after, all).moves
  const all = new Map([...'ab'].map((name) => [name, has] as const))
  const to = ['c', 'd']
  expect(moves(all)).toEqual(to.map((name) => ({ from: sender, to: name, ...amount(4) })))
  // The other owner sends instead of one that does not answer.
  const without = new Map<string, InstanceDigest | ApiError>([...all, [sender, down]])
  expect(moves(without)).toEqual(to.map((name) => ({ from: other, to: name, ...amount(4) })))
  expect(planChange(before, after, without).unreachable).toEqual([sender])
})

test.each([
  ['have no leader', networkOf('abc', { s1: ['a'] }, null)],
  ['have no shards', networkOf('abc', {})],
])('instances that %s send what they have to all owners', (_, before) => {
  const after = networkOf('abc', { s1: ['b', 'c'] })
  const all = new Map([
    ['a', digest([[null, 's1', 2]])],
    ['b', digest([[null, 's1', 7]])],
  ])
  const { moves, instances } = planChange(before, after, all)
  expect(moves).toEqual([
    { from: 'a', to: 'b', ...amount(2) },
    { from: 'a', to: 'c', ...amount(2) },
    { from: 'b', to: 'c', ...amount(7) },
  ])
  expect([instances['a']!.sends, instances['c']!.receives]).toEqual([amount(4), amount(9)])
  expect([instances['a']!.deletes, instances['b']!.deletes]).toEqual([amount(2), none])
})

test('documents that do not belong to an instance go to the owners', () => {
  const before = networkOf('abc', { s1: ['b'], s2: ['a'] })
  const after = networkOf('abc', { s1: ['b', 'c'], s2: ['a'] })
  const { moves } = planChange(before, after, new Map([['a', digest([['s1', 's1', 1]])]]))
  expect(moves).toEqual(['b', 'c'].map((to) => ({ from: 'a', to, ...amount(1) })))
})

test('nothing moves and nothing is deleted when documents are not divided any more', () => {
  const before = networkOf('ab', { s1: ['a'], s2: ['b'] })
  const after = networkOf('ab', {}, null)
  const { moves, instances } = planChange(
    before,
    after,
    new Map([['a', digest([['s1', null, 1]])]]),
  )
  expect([moves, instances['a']!.deletes, instances['a']!.holds]).toEqual([[], none, amount(1)])
})
