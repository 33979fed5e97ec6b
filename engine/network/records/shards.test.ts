// The documents that move when the owners of shards change: who sends a shard, and who may not.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import {
  elected,
  exportersTo,
  holdsAlone,
  isNeeded,
  keepsAll,
  mayBeAway,
  type Network,
  NO_NETWORK,
  senderOf,
  shardSetOf,
  type TopologyChange,
  transferTo,
} from './index.ts'

type Shards = { readonly [shard: string]: readonly string[] }

const networkOf = (shards: Shards, more: Partial<Network> = {}): Network => ({
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(
    [...new Set(Object.values(shards).flat())]
      .sort()
      .map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
  ...more,
})

const changeOf = (
  before: Network,
  after: Network,
  more: Partial<TopologyChange> = {},
): TopologyChange => ({
  uid: asTaskUid(1),
  before,
  after,
  absent: [],
  renewed: [],
  renewedShards: new Map(),
  isDirty: false,
  isReturning: false,
  bringing: [],
  origin: { remoteName: 'a', taskUid: asTaskUid(1), networkVersion: '2' },
  ...more,
})

/** Returns the shards of the network before from which `self` sends documents; null: from all. */
function sent(change: TopologyChange, self: string, remote: string): unknown {
  const transfer = transferTo(change, self, remote)
  if (transfer === null) return 'nothing'
  const { from } = transfer
  return from === null ? null : from.names.filter((_, i) => from.held[i])
}

describe('an instance sends', () => {
  const before = networkOf({ s1: ['a'], s2: ['a', 'b'], s3: ['b'] })

  it('nothing to an instance without shards', () => {
    expect(sent(changeOf(before, networkOf({ s1: ['a'] })), 'a', 'b')).toBe('nothing')
  })

  it('everything, of the shards that the other gets, while documents are not divided', () => {
    const after = networkOf({ s1: ['a'], s2: ['b'], s3: ['a', 'b'] })
    for (const alone of [
      networkOf({ s1: ['a'] }, { leader: null }),
      networkOf({}, { leader: 'a' }),
    ]) {
      const change = changeOf(alone, after)
      expect(transferTo(change, 'a', 'b')).toEqual({
        from: null,
        to: { names: ['s1', 's2', 's3'], held: [false, true, true] },
      })
      expect(sent({ ...change, renewed: ['a'] }, 'a', 'b')).toBe('nothing')
      expect(sent({ ...change, renewed: ['b'] }, 'a', 'b')).toBeNull()
    }
  })

  it('its shards to a new owner, if shards stay', () => {
    const change = changeOf(before, networkOf({ s1: ['b'], s2: ['a', 'b'], s3: ['b'] }))
    // Of s3, a may have documents that an earlier change left behind.
    expect(sent(change, 'a', 'b')).toEqual(['s1', 's3'])
    expect(sent(change, 'b', 'a')).toBe('nothing')
  })

  it('documents that an earlier change left behind, of shards of others', () => {
    const change = changeOf(before, networkOf({ s1: ['a'], s2: ['a', 'b'], s3: ['b', 'c'] }))
    expect(sent(change, 'a', 'c')).toEqual(['s3'])
    expect(sent(change, 'b', 'c')).toEqual(['s3'])
  })

  it('what it alone has, even if it did not answer when the change began', () => {
    const change = changeOf(before, networkOf({ s1: ['c'], s2: ['c'], s3: ['c'] }), {
      absent: ['a'],
    })
    expect(sent(change, 'a', 'c')).toEqual(['s1', 's3'])
    expect(sent(change, 'b', 'c')).toEqual(['s1', 's2', 's3'])
  })

  it('of all its shards if documents change their shards, but not what the other has', () => {
    const change = changeOf(before, networkOf({ t1: ['a'], t2: ['b'] }))
    // Of s2, b has all documents already.
    expect(sent(change, 'a', 'b')).toEqual(['s1', 's3'])
    expect(sent(change, 'b', 'a')).toEqual(['s1', 's3'])
  })

  it('no shard that it gets again itself, because it may have it wrong', () => {
    const after = networkOf({ s1: ['a', 'b'], s2: ['a', 'b', 'c'], s3: ['b', 'c'] })
    const both = networkOf({ s1: ['a', 'b'], s2: ['a', 'b'], s3: ['b'] })
    const again = { renewed: ['b'], renewedShards: new Map([['b', ['s2']]]) }
    const change = changeOf(both, after, again)
    expect(sent(change, 'b', 'c')).toEqual(['s3'])
    expect(sent(change, 'a', 'c')).toEqual(['s2', 's3'])
    // Without a list, it gets all its shards again.
    expect(sent({ ...change, renewedShards: new Map() }, 'b', 'c')).toBe('nothing')
  })

  it('a shard to an owner that gets it again', () => {
    const both = networkOf({ s1: ['a', 'b'], s2: ['a', 'b'] })
    const again = { renewed: ['b'], renewedShards: new Map([['b', ['s2']]]) }
    expect(sent(changeOf(both, both, again), 'a', 'b')).toEqual(['s2'])
    expect(sent(changeOf(both, both), 'a', 'b')).toBe('nothing')
  })

  it('each shard once: one of its owners is elected', () => {
    const shards = ['s1', 's2', 's3', 's4', 's5', 's6']
    const owned = (owners: readonly string[]) =>
      networkOf(Object.fromEntries(shards.map((name) => [name, owners])))
    const change = changeOf(owned(['a', 'b']), owned(['a', 'b', 'c']))
    const [ofA, ofB] = [sent(change, 'a', 'c'), sent(change, 'b', 'c')]
    expect(ofA).toEqual(shards.filter((name) => elected(['a', 'b'], name) === 'a'))
    expect(ofB).toEqual(shards.filter((name) => elected(['a', 'b'], name) === 'b'))
  })
})

describe('the sender of a shard', () => {
  const before = networkOf({ s1: ['a', 'b', 'c'] })

  it('is an owner that stays, if one can send', () => {
    const after = networkOf({ s1: ['c'] })
    const sender = (more: Partial<TopologyChange>) =>
      senderOf(changeOf(before, after, more), 's1', ['a', 'b', 'c'])
    expect(sender({})).toBe('c')
    expect(sender({ absent: ['c'] })).toBe(elected(['a', 'b'], 's1'))
    expect(sender({ renewed: ['c'] })).toBe(elected(['a', 'b'], 's1'))
    expect(sender({ renewed: ['c'], renewedShards: new Map([['c', ['s2']]]) })).toBe('c')
    expect(sender({ absent: ['a'], renewed: ['c'] })).toBe('b')
    // They may come back.
    expect(sender({ absent: ['a', 'b', 'c'] })).toBe('c')
    expect(sender({ renewed: ['a', 'b', 'c'] })).toBeNull()
  })
})

describe('an instance that leaves', () => {
  const before = networkOf({ s1: ['a', 'b'], s2: ['b', 'c'], s3: ['d'] })
  const after = networkOf({ s1: ['a'], s2: ['c'], s3: ['a'] })

  it('is needed while it has to send a shard', () => {
    const needed = (more: Partial<TopologyChange>) =>
      ['a', 'b', 'c', 'd'].map((name) => isNeeded(changeOf(before, after, more), name))
    expect(needed({})).toEqual([true, false, true, true])
    expect(needed({ renewed: ['a'] })).toEqual([true, true, true, true])
    expect(needed({ absent: ['b', 'd'] })).toEqual([true, false, true, true])
    // Both may come back: one of them sends the second shard.
    const sends = elected(['b', 'c'], 's2') === 'c'
    expect(needed({ absent: ['b', 'c'], renewed: ['a'] })).toEqual([true, true, sends, true])
  })

  it('may be away; an instance that stays may not', () => {
    const change = changeOf(before, after, { absent: ['a', 'b'] })
    expect(['a', 'b', 'd'].map((name) => mayBeAway(change, name))).toEqual([false, true, false])
  })

  it('is the only owner of a shard, or not', () => {
    expect(['a', 'b', 'd'].map((name) => holdsAlone(before, name))).toEqual([false, false, true])
    expect(holdsAlone(networkOf({ s: [] }), 'a')).toBe(false)
  })
})

it('the exporters to an instance are all others, before and after, if it stays', () => {
  const change = changeOf(networkOf({ s: ['d', 'a'] }), networkOf({ s: ['a', 'b', 'c'] }))
  expect(exportersTo(change, 'b')).toEqual(['a', 'c', 'd'])
  expect(exportersTo(change, 'd')).toEqual([])
})

describe('the shards of this instance', () => {
  const shards = { s1: ['a'], s2: ['b'] }

  it('are all documents without a leader, and none without a name', () => {
    expect(shardSetOf(networkOf(shards))).toEqual({ names: ['s1', 's2'], held: [true, false] })
    expect(shardSetOf(networkOf(shards, { leader: null }))).toBeNull()
    expect(shardSetOf(networkOf(shards, { self: null }))!.held).toEqual([false, false])
  })

  it('stay its own when it leaves; a member that joins keeps everything', () => {
    const [member, stranger] = [networkOf(shards), networkOf(shards, { self: null })]
    expect(keepsAll(member, stranger)).toEqual({ names: ['s1', 's2'], held: [true, false] })
    expect(keepsAll(stranger, member)).toBeNull()
    expect(keepsAll(member, member)).toBeNull()
    expect(keepsAll(stranger, stranger)).toBeNull()
  })
})
