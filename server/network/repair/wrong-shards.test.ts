// Which instance is wrong where digests differ.
import { expect, test } from 'vitest'
import type { Network } from '../../../engine/index.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import type { AllDigests } from './digests.ts'
import { wrongShards } from './wrong-shards.ts'

const VERSION = '01980000-0000-7000-8000-000000000001'
const remote = { url: 'http://127.0.0.1:1', searchApiKey: null, writeApiKey: null }

const networkOf = (shards: { readonly [shard: string]: readonly string[] }): Network => ({
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  version: VERSION,
  remotes: new Map(['a', 'b', 'c', 'd'].map((name) => [name, remote])),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
})

/** By instance: the digest of each of its shards, by shard. */
type Copies = { readonly [instance: string]: { readonly [shard: string]: string } }

const digestsOf = (copies: Copies, settings = ''): AllDigests =>
  new Map(
    Object.entries(copies).map(([name, shards]) => {
      const found = Object.entries(shards).map(([shard, digest]) => {
        return { shard, next: null, documents: 1, bytes: 1, digest }
      })
      const index = { uid: asIndexUid('films'), settings, shards: found }
      return [name, { version: VERSION, isSettled: true, indexes: [index] }]
    }),
  )

const NONE = new Map()

test('the leader is right, unless most owners disagree with it', () => {
  const two = networkOf({ s: ['a', 'b'] })
  const found = wrongShards(two, digestsOf({ a: { s: '1' }, b: { s: '2' } }), NONE, [])
  expect(found).toEqual({ wrong: new Map([['b', ['s']]]), unclear: [] })
  const three = networkOf({ s: ['a', 'b', 'c'] })
  const against = digestsOf({ a: { s: '1' }, b: { s: '2' }, c: { s: '2' } })
  expect(wrongShards(three, against, NONE, [])).toEqual({
    wrong: NONE,
    unclear: [{ index: 'films', shard: 's', instances: ['a', 'b', 'c'] }],
  })
  expect([...wrongShards(three, against, NONE, ['b', 'c']).wrong.keys()]).toEqual(['b', 'c'])
})

test('without the leader the majority of all owners is right, else an operator decides', () => {
  const network = networkOf({ s: ['b', 'c', 'd'] })
  const all = digestsOf({ a: {}, b: { s: '1' }, c: { s: '1' }, d: { s: '2' } })
  expect(wrongShards(network, all, NONE, []).wrong).toEqual(new Map([['d', ['s']]]))
  // One of three owners does not answer.
  const few = digestsOf({ a: {}, b: { s: '1' }, d: { s: '2' } })
  expect(wrongShards(network, few, NONE, [])).toMatchObject({
    wrong: NONE,
    unclear: [{ instances: ['b', 'd'] }],
  })
  expect(wrongShards(network, few, NONE, ['b']).wrong).toEqual(new Map([['b', ['s']]]))
  // Half of the owners are no majority.
  const half = digestsOf({ a: {}, b: { s: '1' }, c: { s: '2' } })
  expect(wrongShards(networkOf({ s: ['b', 'c'] }), half, NONE, []).wrong).toEqual(NONE)
  // A shard of which an instance has no document.
  const empty = digestsOf({ a: {}, b: { s: '1' }, c: {}, d: { s: '1' } })
  expect(wrongShards(network, empty, NONE, []).wrong).toEqual(new Map([['c', ['s']]]))
})

test('each shard needs another owner that has it right', () => {
  const network = networkOf({ s: ['a', 'b'], t: ['a', 'c'], u: ['b', 'c'] })
  const all = digestsOf({
    a: { s: '1', t: '1' },
    b: { s: '2', u: '1' },
    c: { t: '2', u: '1' },
  })
  const both = new Map([
    ['b', ['s']],
    ['c', ['t']],
  ])
  // Both have the shard that they share right.
  expect(wrongShards(network, all, NONE, [])).toEqual({ wrong: both, unclear: [] })
  // An instance that gets all its shards again is left to that.
  const stale = new Map([['b', { reason: 'backlog', before: asTaskUid(9) } as const]])
  expect(wrongShards(network, all, stale, []).wrong).toEqual(new Map([['c', ['t']]]))
  const differing = digestsOf({
    a: { s: '1', t: '1' },
    b: { s: '1', u: '1' },
    c: { t: '1', u: '2' },
  })
  // The only other owner is not up to date.
  const found = wrongShards(network, differing, stale, ['c'])
  expect(found).toEqual({
    wrong: NONE,
    unclear: [{ index: 'films', shard: 'u', instances: ['b', 'c'] }],
  })
})

test('the definitions of the leader are right', () => {
  const network = networkOf({ s: ['a', 'b'] })
  const all = new Map([
    ...digestsOf({ a: { s: '1' }, c: {} }, 'x'),
    ...digestsOf({ b: { s: '1' } }, 'y'),
  ])
  expect(wrongShards(network, all, NONE, [])).toEqual({ wrong: new Map([['b', []]]), unclear: [] })
})

test('names of more shards than fit into a header wait for the next time', () => {
  const names = Array.from({ length: 200 }, (_, i) => `${'long'.repeat(10)} ${1000 + i}`)
  const network = networkOf(Object.fromEntries(names.map((name) => [name, ['a', 'b']])))
  const copy = (digest: string) => Object.fromEntries(names.map((name) => [name, digest]))
  const { wrong } = wrongShards(network, digestsOf({ a: copy('1'), b: copy('2') }), NONE, [])
  const sent = wrong.get('b') ?? []
  expect(sent.length).toBeGreaterThan(50)
  expect(sent).toEqual(names.slice(0, sent.length))
  expect(encodeURIComponent(JSON.stringify(sent)).length).toBeLessThanOrEqual(4096)
})
