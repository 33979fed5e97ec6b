// Which instances are up to date after a change of the network has ended.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import {
  type Network,
  NO_NETWORK,
  type StaleReason,
  type StaleRemote,
  type StaleRemotes,
  type TopologyChange,
} from '../records/index.ts'
import { marksBefore, noteStale } from './note-stale.ts'

type Shards = { readonly [shard: string]: readonly string[] }

const networkOf = (
  names: readonly string[],
  shards: Shards = { s: names },
  more: Partial<Network> = {},
): Network => ({
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(names.map((name) => [name, { url: '', searchApiKey: null, writeApiKey: null }])),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
  ...more,
})

const changeOf = (
  before: Network,
  after: Network,
  more: Partial<TopologyChange> = {},
): TopologyChange => ({
  uid: asTaskUid(3),
  before,
  after,
  absent: [],
  renewed: [],
  renewedShards: new Map(),
  isDirty: false,
  isReturning: false,
  bringing: [],
  origin: { remoteName: 'a', taskUid: asTaskUid(3), networkVersion: '2' },
  ...more,
})

/** Returns the remotes that are marked and cleared when a change ends with this status. */
async function noted(
  status: string | null,
  change: TopologyChange,
  known: { readonly [name: string]: StaleReason } = {},
  before: { readonly [name: string]: number } = {},
) {
  const marked: { [name: string]: string } = {}
  const dropped: string[] = []
  const cleared: string[] = []
  const parts = {
    queue: {
      nextTask: asTaskUid(9),
      lists: { task: async (uid: number) => (status === null ? null : { uid, status }) },
      backlogs: {
        drop: async (remote: string, before: number) => void dropped.push(`${remote} ${before}`),
      },
    },
    stale: {
      all: () =>
        new Map(
          Object.entries(known).map(([name, reason]) => [
            name,
            { reason, before: before[name] ?? 0 },
          ]),
        ),
      mark: async (names: Iterable<string>, { reason }: { reason: string }) => {
        for (const name of names) marked[name] = reason
      },
      clear: async (names: Iterable<string>) => void cleared.push(...names),
    },
  }
  await noteStale(parts as unknown as Parameters<typeof noteStale>[0], change)
  // Those that get some shards only receive all writes.
  const given = Object.keys(marked).filter((name) => !change.renewedShards.has(name))
  expect(dropped).toEqual(given.map((name) => `${name} 9`))
  return { marked, cleared: cleared.sort() }
}

const ALL = networkOf(['a', 'b', 'c'])

describe('a change that begins', () => {
  /** Returns the marks after it, from those before it. */
  function marksAfter(
    known: { readonly [name: string]: StaleRemote },
    renewedShards: { readonly [name: string]: readonly string[] },
    lacking: string | null,
  ) {
    const all = new Map(Object.entries(known))
    const stale = { all: () => all, has: (name: string) => all.has(name) }
    const lists = { renewed: ['b', 'c'], renewedShards: new Map(Object.entries(renewedShards)) }
    const marks = marksBefore(stale as unknown as StaleRemotes, lists, lacking)
    return { ...known, ...Object.fromEntries(marks) }
  }
  const before = asTaskUid(0)
  const interrupted = { reason: 'interrupted', before } as const
  const lacks = { reason: 'backlog', before } as const

  it('marks remotes that get shards again, if they have no mark', () => {
    const known = { c: { reason: 'refused', before: asTaskUid(7) } } as const
    expect(marksAfter(known, { b: ['s'], c: ['t'] }, null)).toEqual({
      ...known,
      b: { ...interrupted, shards: ['s'] },
    })
    expect(marksAfter({}, {}, null)).toEqual({ b: interrupted, c: interrupted })
  })

  it('marks this instance if it lacks writes, so that all its shards may be wrong', () => {
    const marks = marksAfter({ d: { reason: 'absent', before: asTaskUid(7) } }, {}, 'd')
    expect(marks).toMatchObject({ d: lacks })
    expect(marksAfter({}, { b: ['s'] }, 'b')['b']).toEqual(interrupted)
    const some = { reason: 'different', before, shards: ['s'] } as const
    expect(marksAfter({ d: some }, {}, 'd')['d']).toEqual(lacks)
    expect(marksAfter({ d: interrupted }, {}, 'd')['d']).toEqual(interrupted)
  })
})

describe.each(['failed', 'canceled', null])('a change that has ended as %s', (status) => {
  it('leaves remotes behind that should get all their shards again', async () => {
    const change = changeOf(ALL, ALL, {
      renewed: ['b', 'c'],
      renewedShards: new Map([['c', ['s']]]),
    })
    expect(await noted(status, change)).toEqual({ marked: { b: 'interrupted' }, cleared: [] })
    const marked = { b: 'interrupted', c: 'interrupted' }
    expect(await noted(status, change, { c: 'different' })).toEqual({ marked, cleared: [] })
  })

  it('leaves remotes that it removed without their writes, unless they alone had a shard', async () => {
    const before = networkOf(['a', 'b', 'c'], { s: ['a', 'b'], t: ['c'] })
    const change = changeOf(before, networkOf(['a']))
    expect(await noted(status, change)).toEqual({ marked: { b: 'absent' }, cleared: [] })
  })
})

describe('a change that has succeeded', () => {
  it('clears the leader and the remotes that got their shards again', async () => {
    const change = changeOf(ALL, ALL, { renewed: ['b'] })
    expect(await noted('succeeded', change, { b: 'backlog', c: 'refused' })).toEqual({
      marked: {},
      cleared: ['a', 'b'],
    })
    const free = changeOf(ALL, networkOf(['a', 'b', 'c'], {}, { leader: null }))
    expect(await noted('succeeded', free)).toEqual({ marked: {}, cleared: [] })
  })

  it('keeps the mark of a remote whose tasks were dropped meanwhile', async () => {
    const change = changeOf(ALL, ALL, { renewed: ['b', 'c'] })
    const known = { b: 'backlog', c: 'backlog' } as const
    const dropped = { b: change.uid, c: change.uid + 1 }
    expect((await noted('succeeded', change, known, dropped)).cleared).toEqual(['a', 'b'])
  })

  it('clears this instance if it was away', async () => {
    const follower = networkOf(['a', 'b'], { s: ['a', 'b'] }, { self: 'b' })
    const change = changeOf(follower, follower)
    expect((await noted('succeeded', change, { b: 'absent' })).cleared).toEqual(['a', 'b'])
    expect((await noted('succeeded', change, { b: 'different' })).cleared).toEqual(['a'])
    expect((await noted('succeeded', change)).cleared).toEqual(['a'])
    const stranger = { ...follower, self: null }
    expect(
      (await noted('succeeded', changeOf(stranger, stranger), { b: 'absent' })).cleared,
    ).toEqual(['a'])
  })

  it('forgets remotes that it removed, and no remote that was none before', async () => {
    const change = changeOf(ALL, networkOf(['a', 'b']))
    const known = { b: 'backlog', c: 'backlog', d: 'absent' } as const
    expect(await noted('succeeded', change, known)).toEqual({ marked: {}, cleared: ['a', 'c'] })
  })

  it('notes that a remote left without an answer, unless it alone had a shard', async () => {
    const before = networkOf(['a', 'b', 'c', 'd'], { s: ['a', 'b', 'd'], t: ['c'] })
    const change = changeOf(before, networkOf(['a', 'd']), { absent: ['b', 'c', 'd'] })
    expect((await noted('succeeded', change)).marked).toEqual({ b: 'absent' })
  })
})
