// Where documents are after a change that did not succeed, and which owner exports a shard.
import { expect, test } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import {
  formerNetwork,
  isNeeded,
  type Network,
  placedNetwork,
  type TopologyChange,
  transferTo,
} from './index.ts'

const network = (
  version: string,
  names: readonly string[],
  shards: { readonly [shard: string]: readonly string[] },
): Network => ({
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  version,
  remotes: new Map(
    names.map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
})

const before = network('1', ['a', 'b'], { s1: ['a'], s2: ['b'] })

const ownersOf = ({ shards }: Network): object =>
  Object.fromEntries([...shards].map(([name, { remotes }]) => [name, remotes]))

test('keeps documents in their old places, under the version of that network', () => {
  const after = network('2', ['a', 'b', 'c'], { s1: ['c'], s2: ['b'], s3: ['c'] })
  const placed = placedNetwork(before, after)
  expect(placed.version).toBe('1')
  expect(ownersOf(placed)).toEqual({ s1: ['a'], s2: ['b'] })
  // An instance that has not joined yet gets no writes.
  expect([...placed.remotes.keys()]).toEqual(['a', 'b'])
})

test('assigns a shard without a remaining owner to its new owners', () => {
  const placed = placedNetwork(before, network('2', ['a'], { s1: ['a'], s2: ['a'] }))
  expect(ownersOf(placed)).toEqual({ s1: ['a'], s2: ['a'] })
  expect(placed.version).toBe('2')
  const divided = network('2', ['a'], { s1: ['a'], s3: ['a'] })
  expect(placedNetwork(before, divided)).toBe(divided)
})

const UUID = '01980000-0000-7000-8000-000000000001'

test('documents that were not divided are with the leader until they have moved', () => {
  const after = network(UUID, ['a', 'b'], { s1: ['a'], s2: ['b'] })
  for (const shards of [new Map(), before.shards]) {
    const alone = { ...before, leader: null, shards }
    const former = formerNetwork(alone, after)
    expect(ownersOf(former)).toEqual({ all: ['a'] })
    expect(former).toMatchObject({ leader: 'a', version: UUID.replace('-7', '-8') })
    expect(placedNetwork(alone, after)).toEqual(former)
  }
})

test('an instance that joins knows the shards of the network, and no leader', () => {
  const after = { ...network(UUID, ['a', 'b', 'c'], { s1: ['c'], s2: ['b'] }), self: 'c' }
  const told = { ...before, self: 'c', leader: null }
  expect(formerNetwork(told, after)).toEqual({ ...told, leader: 'a' })
  expect(ownersOf(placedNetwork(told, after))).toEqual({ s1: ['a'], s2: ['b'] })
  const formed = { ...told, shards: new Map() }
  expect(ownersOf(formerNetwork(formed, after))).toEqual({ all: ['a'] })
})

test('uses the current network if documents are no longer divided', () => {
  const after = network('2', ['a', 'b'], { s1: ['a', 'b'] })
  const free = { ...after, leader: null }
  expect(placedNetwork(before, free)).toBe(free)
})

test('exports from staying owners; from a leaving owner only if no other owner stays', () => {
  const held = network('1', ['a', 'b', 'c'], { s1: ['a', 'c'], s2: ['c'] })
  const change: TopologyChange = {
    uid: asTaskUid(1),
    before: held,
    after: network('2', ['a', 'b'], { s1: ['a', 'b'], s2: ['b'] }),
    absent: [],
    renewed: [],
    renewedShards: new Map(),
    isDirty: false,
    isReturning: false,
    bringing: [],
    origin: { remoteName: 'a', taskUid: asTaskUid(1), networkVersion: '2' },
  }
  const sent = (self: string): readonly boolean[] | undefined =>
    transferTo(change, self, 'b')?.from?.held
  // By shard: s1, s2.
  expect(sent('a')?.[0]).toBe(true)
  expect(sent('c')).toEqual([false, true])
  expect(isNeeded(change, 'c')).toBe(true)
  const replicated = network('1', ['a', 'b', 'c'], { s1: ['a', 'c'], s2: ['b', 'c'] })
  expect(isNeeded({ ...change, before: replicated }, 'c')).toBe(false)
  expect(isNeeded(change, 'b')).toBe(true)
})
