// Which owners of shards receive a search.
import { expect, test } from 'vitest'
import { DEFAULT_FEDERATION, type Network } from '../../../engine/index.ts'
import { Availability } from '../calls/availability.ts'
import { searchPlan } from './search-plan.ts'
import { wireFederation } from './wire-search.ts'

const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null }
const owners = (...remotes: readonly string[]) => ({ remotes })
const network = {
  self: 'a',
  leader: 'a',
  remotes: new Map(['a', 'b', 'c'].map((name) => [name, remote])),
  shards: new Map([
    ['s1', owners('a', 'b')],
    ['s2', owners('b', 'c')],
    ['s3', owners('c')],
  ]),
  version: '01980000-0000-7000-8000-000000000001',
} as unknown as Network

type Partly = { readonly [remote: string]: readonly string[] }

const planned = (availability: Availability, partly: Partly = {}) => {
  const isPartial = (remote: string, shard: string): boolean =>
    partly[remote]?.includes(shard) === true
  const topology = { serving: network, unreached: [], isPartial }
  const { own, remotes, unowned } = searchPlan(topology, availability, () => 0)
  return { own, remotes: Object.fromEntries(remotes), unowned: Object.fromEntries(unowned) }
}

test('queries each shard once, on this instance if it has the shard', () => {
  expect(planned(new Availability(() => 0))).toEqual({
    own: ['s1'],
    remotes: { b: ['s2'], c: ['s3'] },
    unowned: {},
  })
})

test('queries unavailable instances only if a shard has no other owner', () => {
  const instances = new Availability(() => 0)
  instances.failed('b')
  instances.failed('c')
  expect(planned(instances).remotes).toEqual({ b: ['s2'], c: ['s3'] })
  instances.answered('c')
  expect(planned(instances).remotes).toEqual({ c: ['s2', 's3'] })
})

test('never queries an instance for a shard of which it may have a part only', () => {
  const lacking = new Set(['a', 'b', 'c'])
  const instances = new Availability(
    () => 0,
    () => lacking,
  )
  expect(planned(instances, { a: ['s1', 's3'], c: ['s1', 's3'] })).toEqual({
    own: [],
    remotes: { b: ['s1', 's2'] },
    unowned: { s3: 'c' },
  })
  const partly = { b: ['s1', 's2'] }
  expect(planned(instances, partly)).toMatchObject({ own: ['s1'], remotes: { c: ['s2', 's3'] } })
})

test('never queries an instance that an operator has taken out', () => {
  const instances = new Availability(() => 0)
  instances.set('c', 'unavailable')
  expect(planned(instances)).toMatchObject({ remotes: { b: ['s2'] }, unowned: { s3: 'c' } })
})

test('queries an instance that lacks writes, also this one, if a shard has no other owner', () => {
  const lacking = new Set(['a', 'b'])
  const instances = new Availability(
    () => 0,
    () => lacking,
  )
  expect(planned(instances)).toEqual({ own: ['s1'], remotes: { c: ['s2', 's3'] }, unowned: {} })
  lacking.delete('b')
  expect(planned(instances)).toMatchObject({ own: [], remotes: { b: ['s1', 's2'], c: ['s3'] } })
  instances.failed('b')
  expect(planned(instances)).toMatchObject({ own: [], remotes: { b: ['s1'], c: ['s2', 's3'] } })
  lacking.add('b')
  expect(planned(instances)).toMatchObject({ own: ['s1'], remotes: { c: ['s2', 's3'] } })
  instances.behind('c', 10)
  expect(instances.status('c')).toBe('available')
  expect(instances.isAvailable('c')).toBe(false)
})

test('numbers of hits that are sent stay counts', () => {
  const most = Number.MAX_SAFE_INTEGER
  const some = { ...DEFAULT_FEDERATION, offset: most, limit: most }
  expect(wireFederation(some)).toMatchObject({ offset: 0, limit: most })
  const paged = { ...DEFAULT_FEDERATION, page: most, hitsPerPage: most }
  expect(wireFederation(paged)).toMatchObject({ page: 1, hitsPerPage: most })
  expect(wireFederation({ ...paged, page: 3, hitsPerPage: 5 })).toMatchObject({ hitsPerPage: 15 })
})
