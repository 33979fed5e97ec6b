// Stale remotes: which of them can get their shards again, and from whom.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import {
  lastCopy,
  mayBePartial,
  type Network,
  NO_NETWORK,
  resyncable,
  type StaleRemote,
} from './index.ts'

type Shards = { readonly [shard: string]: readonly string[] }

const networkOf = (shards: Shards): Network => ({
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(
    ['a', 'b', 'c'].map((name) => [name, { url: '', searchApiKey: null, writeApiKey: null }]),
  ),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
})

const lacking: StaleRemote = { reason: 'backlog', before: asTaskUid(1) }
const wrongIn = (...shards: string[]): StaleRemote => ({
  reason: 'different',
  before: asTaskUid(1),
  shards,
})

function resync(
  shards: Shards,
  stale: { readonly [name: string]: StaleRemote },
  { after = shards, absent = [] }: { readonly after?: Shards; readonly absent?: string[] } = {},
): object {
  const change = { before: networkOf(shards), after: networkOf(after), absent }
  const { renewed, renewedShards } = resyncable(change, new Map(Object.entries(stale)))
  return { renewed, shards: Object.fromEntries(renewedShards) }
}

describe('a stale remote gets its shards again', () => {
  const shards = { s1: ['a', 'b'], s2: ['b', 'c'] }

  it.each<readonly [string, object, readonly string[], object]>([
    ['no remote is stale', {}, [], {}],
    ['other owners are right', { b: lacking }, ['b'], {}],
    ['it has no shard of its own', { c: lacking }, ['c'], {}],
    // The leader has what it accepted.
    ['it leads', { a: lacking }, [], {}],
    ['the only other owner is stale', { b: lacking, c: lacking }, [], {}],
    ['that one is wrong elsewhere', { b: wrongIn('s1'), c: lacking }, ['b', 'c'], { b: ['s1'] }],
    ['both are wrong in the same shard', { b: wrongIn('s2'), c: wrongIn('s2') }, [], {}],
    ['it is wrong in one shard', { b: wrongIn('s2') }, ['b'], { b: ['s2'] }],
  ])('if %s: %j', (_, stale, renewed, listed) => {
    const given = stale as { readonly [name: string]: StaleRemote }
    expect(resync(shards, given)).toEqual({ renewed, shards: listed })
  })

  it('not if the only other owner is absent', () => {
    const absent = { absent: ['c'] }
    expect(resync(shards, { b: lacking }, absent)).toEqual({ renewed: [], shards: {} })
    expect(resync(shards, { b: wrongIn('s1') }, absent)).toEqual({
      renewed: ['b'],
      shards: { b: ['s1'] },
    })
  })

  it('all of them if documents change their shards', () => {
    const after = { t1: ['a', 'b', 'c'] }
    expect(resync(shards, { b: wrongIn('s1') }, { after })).toEqual({ renewed: ['b'], shards: {} })
    // Then a remote that is wrong somewhere is right nowhere.
    expect(resync(shards, { b: wrongIn('s1'), c: lacking }, { after })).toEqual({
      renewed: [],
      shards: {},
    })
  })
})

describe('the last copy of a shard leaves', () => {
  const shards = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c'] }
  const found = (
    stale: { readonly [name: string]: StaleRemote },
    staying: readonly string[] = ['a', 'c'],
  ): object | null => {
    const before = networkOf(shards)
    const remotes = new Map([...before.remotes].filter(([name]) => staying.includes(name)))
    return lastCopy({ before, after: { ...before, remotes } }, new Map(Object.entries(stale)))
  }

  it.each<readonly [string, object, readonly string[]]>([
    ['all owners are right', {}, ['a', 'c']],
    ['all stay', { c: lacking }, ['a', 'b', 'c']],
    ['the other owner is wrong elsewhere', { c: wrongIn('s3') }, ['a', 'c']],
    ['no owner has it right', { b: lacking, c: lacking }, ['a', 'c']],
  ])('not if %s', (_, stale, staying) => {
    expect(found(stale as { readonly [name: string]: StaleRemote }, staying)).toBeNull()
  })

  it('if the owner that stays lacks writes, and not if that one leaves as well', () => {
    const copy = { shard: 's2', remotes: ['b'], wrong: ['c'] }
    expect(found({ c: lacking })).toEqual(copy)
    expect(found({ c: wrongIn('s2') })).toEqual(copy)
    expect(found({ c: lacking }, ['a'])).toBeNull()
  })
})

it('an instance may have a part of a shard while it gets it, and when that was interrupted', () => {
  const change = { renewed: ['a', 'b'], renewedShards: new Map([['b', ['s1']]]) }
  const partly = (stale: readonly (readonly [string, StaleRemote])[], during = true) =>
    ['a', 'b', 'c'].flatMap((name) =>
      ['s1', 's2']
        .filter((shard) => mayBePartial(during ? change : null, new Map(stale), name, shard))
        .map((shard) => name + shard),
    )
  const before = asTaskUid(1)
  expect(partly([])).toEqual(['as1', 'as2', 'bs1'])
  expect(partly([], false)).toEqual([])
  expect(partly([['a', { reason: 'interrupted', before }]], false)).toEqual(['as1', 'as2'])
  expect(partly([['b', { reason: 'interrupted', before, shards: ['s2'] }]])).toEqual([
    'as1',
    'as2',
    'bs1',
    'bs2',
  ])
  expect(partly([['c', { reason: 'backlog', before }]], false)).toEqual([])
})
