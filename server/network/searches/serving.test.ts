// Which requests of another network's version an instance accepts.
import { expect, test } from 'vitest'
import type { Engine, Network } from '../../../engine/index.ts'
import { SHARDS_HEADER_BYTES_MAX } from '../calls/limits.ts'
import { requestedShardNames, SERVING, servingHeaders } from './serving.ts'

const network = (self: string, version: string, shards: { [name: string]: string[] }): Network => ({
  self,
  leader: 'a',
  leaderId: null,
  term: 1,
  version,
  remotes: new Map(),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
})

/** Returns whether an instance accepts a request that another sends under its own network. */
function accepts(sender: Network, shards: readonly string[], serving: Network): boolean {
  const headers = servingHeaders(sender, shards)
  const engine = {
    topology: { serving, alsoServed: () => null, lacking: new Set(), isPartial: () => false },
  } as unknown as Engine
  try {
    requestedShardNames(engine, { header: (name) => headers[name] })
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'network_version_mismatch' })
    return false
  }
}

const SHARDS = { s1: ['a', 'b'], 'ö,;%': ['b'] }

test('accepts requests for its shards under any version with the same division', () => {
  const sender = network('a', '1', SHARDS)
  expect(accepts(sender, ['s1', 'ö,;%'], network('b', '1', SHARDS))).toBe(true)
  expect(accepts(sender, ['s1', 'ö,;%'], network('b', '2', SHARDS))).toBe(true)
})

test('names shards in a header up to its length', () => {
  const names = (length: number) => {
    const name = 's'.repeat(length)
    return servingHeaders(network('a', '1', { [name]: ['a'] }), [name])[SERVING]?.split(';')[2]
  }
  expect(names(SHARDS_HEADER_BYTES_MAX)).toBe('s'.repeat(SHARDS_HEADER_BYTES_MAX))
  expect(names(SHARDS_HEADER_BYTES_MAX + 1)).toBeUndefined()
})

test('refuses shards that it no longer has or that have changed', () => {
  const sender = network('a', '1', SHARDS)
  expect(accepts(sender, ['s1'], network('b', '2', { ...SHARDS, s1: ['a'] }))).toBe(false)
  expect(accepts(sender, ['s1'], network('b', '2', { ...SHARDS, s3: ['a'] }))).toBe(false)
  expect(accepts(sender, ['s1'], { ...network('b', '2', SHARDS), self: null })).toBe(false)
})

test('accepts requests under the other network as well during a change', () => {
  const sender = network('a', '1', SHARDS)
  const serving = network('b', '2', { s1: ['a'], s9: ['b'] })
  const alsoServed = (version: string): Network | null => (version === '1' ? sender : null)
  const engine = {
    topology: { serving, alsoServed, lacking: new Set(), isPartial: () => false },
  } as unknown as Engine
  const names = (version: string): readonly string[] | undefined => {
    const headers = servingHeaders({ ...sender, version }, ['s1'])
    return requestedShardNames(engine, { header: (name) => headers[name] })
  }
  expect(names('1')).toEqual(['s1', 'ö,;%'])
  expect(names('2')).toBe(undefined)
  expect(() => names('3')).toThrow(/serves another network/)
})

test('refuses shards of its network of which this instance may have a part only', () => {
  const own = network('b', '1', SHARDS)
  const [shard] = [...own.shards.entries()].find(([, { remotes }]) => remotes.includes('b'))!
  const isPartial = (remote: string, name: string): boolean => remote === 'b' && name === shard
  const topology = { serving: own, alsoServed: () => null, lacking: new Set(), isPartial }
  const engine = { topology } as unknown as Engine
  const asked = (names: readonly string[]) => {
    const headers = servingHeaders(network('a', '1', SHARDS), names)
    return requestedShardNames(engine, { header: (name) => headers[name] })
  }
  expect(() => asked([shard])).toThrow(/serves another network/)
  expect(asked([...own.shards.keys()].filter((name) => name !== shard))).toBe(undefined)
})

test('accepts requests that name no shards', () => {
  const headers = servingHeaders({ ...network('a', '1', SHARDS), leader: null }, null)
  expect(headers).toEqual({})
  expect(accepts(network('a', '1', SHARDS), [], network('b', '2', {}))).toBe(true)
})

test('refuses a malformed header', () => {
  const topology = {
    serving: network('b', '2', SHARDS),
    alsoServed: () => null,
    lacking: new Set(),
    isPartial: () => false,
  }
  const engine = { topology } as unknown as Engine
  for (const value of ['', ';;', '1', '1;x;%zz', `1;;${'s'.repeat(10_000)}`]) {
    const header = (name: string): string | undefined => (name === SERVING ? value : undefined)
    expect(() => requestedShardNames(engine, { header })).toThrow(/serves another network/)
  }
})

test('leaves out shard names that are too long for a header', () => {
  const name = 's'.repeat(9000)
  expect(servingHeaders(network('a', '1', { [name]: ['b'] }), [name])).toEqual({})
})
