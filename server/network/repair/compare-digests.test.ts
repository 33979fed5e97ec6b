// The comparison of replicas: which differences are found, and the verdict.
import { expect, test } from 'vitest'
import { type Network, NO_NETWORK } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { compareDigests } from './compare-digests.ts'
import type { InstanceDigest } from './digests.ts'

/** `c` leads, and holds nothing of `s1`. */
const NETWORK: Network = {
  ...NO_NETWORK,
  leader: 'c',
  version: 'v1',
  shards: new Map([
    ['s1', { remotes: ['a', 'b'] }],
    ['s2', { remotes: ['b', 'c'] }],
  ]),
}

/** Digest and number of the documents of each shard. */
type Has = { readonly [shard: string]: readonly [digest: string, documents: number] }
type Indexes = { readonly [uid: string]: readonly [settings: string, has: Has] }

const digest = (indexes: Indexes, more: Partial<InstanceDigest> = {}): InstanceDigest => ({
  version: 'v1',
  isSettled: true,
  indexes: Object.entries(indexes).map(([uid, [settings, has]]) => ({
    uid: asIndexUid(uid),
    settings,
    shards: Object.entries(has).map(([shard, [text, documents]]) => ({
      ...{ shard, next: null, documents, bytes: 1 },
      digest: text,
    })),
  })),
  ...more,
})

const films = (has: Has, settings = 'x') => digest({ films: [settings, has] })
const ALL = new Map([
  ['a', films({ s1: ['one', 3] })],
  ['b', films({ s1: ['one', 3], s2: ['two', 4] })],
  ['c', films({ s2: ['two', 4] })],
])
type Digests = Parameters<typeof compareDigests>[1]
const compared = (
  changed: Readonly<Record<string, InstanceDigest | ApiError>>,
  network = NETWORK,
) => compareDigests(network, new Map([...ALL, ...Object.entries(changed)]) as Digests)
const down = new ApiError('remote_timeout', 'down')

test('equal replicas are equal; each instance is shown', () => {
  expect(compared({})).toEqual({
    verdict: 'equal',
    instances: {
      a: { isSettled: true, version: 'v1', documents: 3, error: null },
      b: { isSettled: true, version: 'v1', documents: 7, error: null },
      c: { isSettled: true, version: 'v1', documents: 4, error: null },
    },
    differences: [],
  })
  const without = compared({ a: down })
  expect([without.verdict, without.instances['a'], without.differences]).toEqual([
    'unreachable',
    { isSettled: null, version: null, documents: null, error: 'down' },
    [],
  ])
})

test('the leader is right, and without its documents the first owner that answers', () => {
  const difference = { index: 'films', problem: 'documents' }
  // The same number, and other documents.
  expect(compared({ b: films({ s1: ['one', 3], s2: ['other', 4] }) }).differences).toEqual([
    { ...difference, shard: 's2', instance: 'b', documents: 4, expectedDocuments: 4 },
  ])
  expect(compared({ b: films({ s2: ['two', 4] }) }).differences).toEqual([
    { ...difference, shard: 's1', instance: 'b', documents: 0, expectedDocuments: 3 },
  ])
  const changed = { a: down, b: films({ s1: ['else', 9], s2: ['two', 4] }) }
  expect(compared(changed).differences).toEqual([])
  expect(compared({ c: films({ s2: ['two', 5] }) }).differences).toMatchObject([
    { instance: 'b', documents: 4, expectedDocuments: 5 },
  ])
})

test('definitions are those of the leader, or of the first instance that has the index', () => {
  const only = { index: 'films', shard: null, documents: null, expectedDocuments: null }
  const { verdict, differences } = compared({ a: films({ s1: ['one', 3] }, 'y') })
  expect([verdict, differences]).toEqual([
    'different',
    [{ ...only, instance: 'a', problem: 'settings' }],
  ])
  const empty = { b: films({ s1: ['one', 3] }), c: digest({}) }
  expect(compared(empty).differences).toContainEqual({
    ...{ ...only, instance: 'c', problem: 'missingIndex' },
  })
  const extra = { a: digest({ films: ['x', { s1: ['one', 3] }], books: ['z', {}] }) }
  expect(compared(extra).differences.map(({ index, instance }) => `${index} ${instance}`)).toEqual([
    'books b',
    'books c',
  ])
})

test('documents of foreign shards are shown, and replicas are still equal', () => {
  const { verdict, differences } = compared({ a: films({ s1: ['one', 3], s2: ['left', 2] }) })
  expect(verdict).toBe('equal')
  expect(differences).toEqual([
    {
      ...{ index: 'films', shard: 's2', instance: 'a', problem: 'foreignDocuments' },
      ...{ documents: 2, expectedDocuments: 0 },
    },
  ])
})

test.each<[string, Partial<InstanceDigest>]>([
  ['different', {}],
  ['unsettled', { isSettled: false }],
  ['unsettled', { version: 'v0' }],
])('differences are %s, also if another instance does not answer', (verdict, more) => {
  const other = digest({ films: ['y', { s1: ['one', 3] }] }, more)
  expect(compared({ a: other }).verdict).toBe(verdict)
  expect(compared({ a: other, b: down }).verdict).toBe(verdict)
  // Without differences, running tasks do not matter.
  expect(compared({ a: digest({ films: ['x', { s1: ['one', 3] }] }, more) }).verdict).toBe('equal')
})

test('instances without a leader are not compared; long lists are cut', () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`i${i}`, ['x', {}]]))
  const changed = { a: digest(many as unknown as Indexes) }
  expect(compared(changed, { ...NETWORK, leader: null }).differences).toEqual([])
  const { differences } = compared(changed)
  expect([differences.length, differences[0]!.index]).toEqual([1000, 'films'])
})
