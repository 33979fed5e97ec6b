// The network of a database: how changes are merged, which fault of a change is reported first, and
// that an accepted change survives a restart.
import { expect, test } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine } from '../../testing/test-engine.ts'
import {
  decodeNetwork,
  encodeNetwork,
  mergeNetwork,
  type Network,
  type NetworkPatch,
  NO_NETWORK,
} from './index.ts'

const VERSION = '0193a7f0-0000-7000-8000-000000000000'
const options = {
  version: VERSION,
  urlProblem: (url: string): string | null => (url.startsWith('http') ? null : 'no address'),
}

/** Returns the network after several changes, applied in order. */
const after = (...patches: readonly NetworkPatch[]): Network =>
  patches.reduce((network, patch) => mergeNetwork(network, patch, options), NO_NETWORK)

const url = 'http://a'
const keyed = (searchApiKey: string | null) => ({ url, searchApiKey, writeApiKey: null })

test('keeps absent members, clears members that are null, merges values by name', () => {
  const remotes = { b: { url }, a: { url, searchApiKey: 'k' } }
  const network = after({ self: 'a', remotes, shards: { s: { remotes: ['b', 'a', 'b'] } } })
  expect([...network.remotes]).toEqual([
    ['a', keyed('k')],
    ['b', keyed(null)],
  ])
  expect([...network.shards]).toEqual([['s', { remotes: ['a', 'b'] }]])
  const merge = (patch: NetworkPatch): Network => mergeNetwork(network, patch, options)
  expect(merge({})).toEqual({ ...network, version: VERSION })
  expect(merge({ remotes: { a: { searchApiKey: null } } }).remotes.get('a')).toEqual(keyed(null))
  expect(merge({ remotes: { a: { url: 'http://z' } } }).remotes.get('a')?.searchApiKey).toBe('k')
  expect(merge({ remotes: null }).remotes.size).toBe(0)
  expect(merge({ remotes: null }).shards.size).toBe(0)
  expect(merge({ shards: null }).shards.size).toBe(0)
  expect(merge({ self: null }).self).toBe(null)
})

test('removes a deleted remote from its shards, and shards without remotes', () => {
  const remotes = { a: { url }, b: { url } }
  const network = after({
    remotes,
    shards: { one: { remotes: ['a'] }, both: { addRemotes: ['a', 'b'] } },
  })
  const merge = (patch: NetworkPatch): Network => mergeNetwork(network, patch, options)
  for (const patch of [{ remotes: { a: null } }, { removeRemotes: ['a'] }]) {
    const { shards, remotes: left } = merge(patch)
    expect([...left.keys()]).toEqual(['b'])
    expect([...shards]).toEqual([['both', { remotes: ['b'] }]])
  }
  expect([...merge({ shards: { both: { removeRemotes: ['a'] } } }).shards.values()]).toEqual([
    { remotes: ['b'] },
    { remotes: ['a'] },
  ])
  const moved = merge({
    addRemotes: { c: { url } },
    removeRemotes: ['a'],
    shards: { one: { remotes: ['c'] }, both: null },
  })
  expect([...moved.remotes.keys()]).toEqual(['b', 'c'])
  expect([...moved.shards]).toEqual([['one', { remotes: ['c'] }]])
})

test('accepts any text as a name and keeps the order of names', () => {
  const network = after({
    remotes: { 10: { url }, 9: { url }, '': { url }, ['__proto__']: { url } },
  })
  expect([...network.remotes.keys()]).toEqual(['', '10', '9', '__proto__'])
  expect(decodeNetwork(encodeNetwork(network))).toEqual(network)
})

test('reports faults in a fixed order', () => {
  const base = after({ self: 'me', remotes: { me: { url } } })
  const refused = (patch: NetworkPatch, from: Network = base): unknown => {
    try {
      return mergeNetwork(from, patch, options)
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  const shards = { s: { remotes: ['me'] } }
  expect(refused({ leader: 'x', remotes: { n: { url: '' } } })).toBe('not_a_leader')
  expect(refused({ leader: 'you', self: 'you' })).toBe('invalid_network_self')
  expect(refused({ leader: 'me', remotes: { n: { url: '' } } })).toBe('invalid_network_url')
  expect(refused({ remotes: { n: {} } })).toBe('missing_network_url')
  expect(refused({ remotes: { n: { url: null } } })).toBe('missing_network_url')
  expect(refused({ remotes: { me: { url: null } } })).toBe('invalid_network_url')
  expect(refused({ leader: 'me', remotes: null })).toBe('invalid_network_remotes')
  expect(refused({ leader: 'me' })).toBe('invalid_network_shards')
  const empty = { s: { remotes: [] } }
  expect(refused({ leader: 'me', shards: empty })).toBe('invalid_network_shards')
  expect(refused({ leader: 'me', shards: { s: { remotes: ['ghost'] } } })).toBe(
    'invalid_network_shards',
  )
  const led = mergeNetwork(base, { leader: 'me', shards }, options)
  expect(led.leader).toBe('me')
  expect(refused({ self: 'you' }, led)).toBe('not_a_leader')
  expect(refused({ self: 'you', leader: 'you' }, led)).toBe('invalid_network_self')
  expect(refused({ self: 'you', leader: null }, led)).toMatchObject({ self: 'you', leader: null })
  const follower = { ...led, self: 'you' }
  expect(refused({ remotes: {} }, follower)).toBe('not_a_leader')
  expect(refused({ leader: null }, follower)).toMatchObject({ leader: null })
})

test('a remote keeps its shards when it changes, and leaves them when it is replaced', () => {
  const network = after({
    remotes: { a: { url }, b: { url } },
    shards: { one: { remotes: ['a', 'b'] } },
  })
  const ownersAfter = (patch: NetworkPatch) =>
    mergeNetwork(network, patch, options).shards.get('one')?.remotes
  const other = { url: 'http://other' }
  expect(ownersAfter({ remotes: { a: other } })).toEqual(['a', 'b'])
  expect(ownersAfter({ remotes: { a: null }, addRemotes: { a: other } })).toEqual(['b'])
})

test('keeps the identity of the leader until another one leads', () => {
  const shards = { s: { remotes: ['me'] } }
  const led = after({ self: 'me', leader: 'me', remotes: { me: { url } }, shards })
  const known = { ...led, leaderId: 'i', term: 4 }
  expect(led.leaderId).toBeNull()
  expect(mergeNetwork(known, { addRemotes: { b: { url } } }, options)).toMatchObject({
    leaderId: 'i',
    term: 4,
  })
  expect(mergeNetwork(known, { leader: null }, options).leaderId).toBeNull()
  const free = { ...known, leader: null }
  expect(mergeNetwork(free, { leader: 'me' }, options).leaderId).toBeNull()
})

test('applies a change to the newest network and loads it after a restart', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  expect(engine.network.get()).toEqual(NO_NETWORK)
  const changes = ['a', 'b', 'c'].map((name) =>
    engine.network.update((network) =>
      mergeNetwork(network, { remotes: { [name]: { url } } }, options),
    ),
  )
  await Promise.all(changes)
  const network = engine.network.get()
  expect([...network.remotes.keys()]).toEqual(['a', 'b', 'c'])
  const refused = engine.network.update((present) =>
    mergeNetwork(present, { remotes: { d: {} } }, options),
  )
  await expect(refused).rejects.toMatchObject({ code: 'missing_network_url' })
  await engine.close()
  const again = await openTestEngine(disk.mount())
  expect(again.network.get()).toEqual(network)
  const key = 'k'.repeat(MiB)
  const large = again.network.update((present) =>
    mergeNetwork(present, { remotes: { d: { url, searchApiKey: key } } }, options),
  )
  await expect(large).rejects.toMatchObject({ code: 'database_size_limit_reached' })
  expect(again.network.get()).toEqual(network)
  await again.close()
})

test('encodes a record as this text', () => {
  const text =
    `{"version":"${VERSION}","self":"me","leader":null,"leaderId":null,"term":2,` +
    '"remotes":[["me","http://a","k",null],["you","http://b",null,"w"]],' +
    '"shards":[["s",["me","you"]]]}'
  const network = decodeNetwork(Buffer.from(text))
  expect(network.remotes.get('you')).toEqual({
    url: 'http://b',
    searchApiKey: null,
    writeApiKey: 'w',
  })
  expect(Buffer.from(encodeNetwork(network)).toString()).toBe(text)
  // A record of a release without terms.
  const older = text.replace('"leaderId":null,"term":2,', '')
  expect(decodeNetwork(Buffer.from(older))).toEqual({ ...network, term: 0 })
})

test('refuses malformed records', () => {
  const network = after({
    self: 'me',
    remotes: { me: { url } },
    shards: { s: { remotes: ['me'] } },
  })
  const text = Buffer.from(encodeNetwork(network)).toString()
  const bad = [
    '',
    'null',
    '1',
    '[]',
    '{}',
    '\xff',
    text.slice(0, -1),
    text.replace('0193', 'x'),
    text.replace('"me"', '1'),
    text.replace('"http://a"', 'null'),
    text.replace('["me"]', '["me",1]'),
    text.replace('null,null', 'null,null,1'),
    text.replace('["me"]]', '["me"],1]'),
    text.replace('{', '{"more":1,'),
  ]
  for (const one of bad) {
    expect(() => decodeNetwork(Buffer.from(one, 'latin1')), one).toThrow(CorruptionError)
  }
})

test('accepts writes on the leader only', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  const refused = { code: 'not_a_leader' }
  const writes = () => [
    enqueue(engine, 'a', { kind: 'indexCreation', primaryKey: null }),
    enqueue(engine, 'a', { kind: 'documentDeletion', by: 'all' }),
    addDocuments(engine, 'a', [{ id: 1, text: 'x'.repeat(20_000) }]),
  ]
  const led = (self: string): Network => ({ ...NO_NETWORK, self, leader: 'me' })
  await engine.network.update(() => led('you'))
  for (const write of writes()) await expect(write).rejects.toMatchObject(refused)
  await enqueue(engine, null, { kind: 'taskDeletion', query: '', targets: IdSet.empty })
  await engine.network.update(() => led('me'))
  for (const write of writes()) await write
  await engine.idle()
  expect(disk.mount().list('tasks/bodies')).toEqual([])
  await engine.close()
})
