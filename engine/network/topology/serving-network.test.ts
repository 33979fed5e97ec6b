// The network that searches use, before, during and after a change.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { type Network, NO_NETWORK, type TopologyChange } from '../records/index.ts'
import { ServingNetwork } from './serving-network.ts'
import type { TopologyMessages } from './topology-messages.ts'
import type { TopologyRecords } from './topology-records.ts'

const remote = (url: string) => ({ url, searchApiKey: null, writeApiKey: null })
const VERSION = '01980000-0000-7000-8000-00000000000'

function networkOf(
  version: number,
  shards: { readonly [name: string]: readonly string[] },
): Network {
  const names = [...new Set(Object.values(shards).flat())].sort()
  return {
    self: 'a',
    leader: 'a',
    leaderId: null,
    term: 1,
    version: `${VERSION}${version}`,
    remotes: new Map(names.map((name) => [name, remote(`http://${name}${version}`)])),
    shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
  }
}

const BEFORE = networkOf(1, { s1: ['a', 'b'], s2: ['b'] })
const AFTER = networkOf(2, { s1: ['a'], s2: ['a', 'c'], s3: ['b'] })
const CHANGE = {
  uid: asTaskUid(10),
  before: BEFORE,
  after: AFTER,
  bringing: ['c', 'gone'],
} as unknown as TopologyChange

/** A change runs if `change` is given; otherwise `placement` is what an earlier one left behind. */
function serving(given: {
  readonly current?: Network
  readonly change?: TopologyChange
  readonly isRouted?: boolean
  readonly finished?: { readonly [name: string]: boolean }
  readonly placement?: Network
  readonly bringing?: readonly string[]
}) {
  const {
    current = AFTER,
    change,
    isRouted = false,
    finished = {},
    placement,
    bringing = [],
  } = given
  const messages = { change: change ?? null, isRouted, all: () => ({ finished }) }
  const records = { placement, bringing }
  const network = new ServingNetwork(
    records as unknown as TopologyRecords,
    messages as unknown as TopologyMessages,
    () => current,
  )
  if (change !== undefined) network.begin(change)
  return network
}

describe('searches use', () => {
  it('the present network while no change runs', () => {
    const network = serving({ current: BEFORE })
    expect(network.network).toBe(BEFORE)
    expect([network.shardNames, network.unreached]).toEqual([['s1', 's2'], []])
    expect(network.shardsOf(asTaskUid(1), null)).toEqual({
      names: ['s1', 's2'],
      held: [true, false],
    })
    expect(network.alsoServed(BEFORE.version)).toBeNull()
    expect(serving({ current: NO_NETWORK }).shardNames).toBeNull()
    // The same list while the shards are the same.
    expect(network.shardNames).toBe(network.shardNames)
  })

  it('the former shards at the new addresses during a change', () => {
    const network = serving({ change: CHANGE })
    expect(network.network).toMatchObject({ version: BEFORE.version, shards: BEFORE.shards })
    expect([...network.network.remotes].map(([name, { url }]) => `${name} ${url}`)).toEqual([
      'a http://a2',
      'b http://b2',
      'c http://c2',
    ])
    expect(network.unreached).toEqual(['c'])
  })

  it('the new network as soon as documents have moved', () => {
    const network = serving({ change: CHANGE, isRouted: true })
    expect(network.network).toBe(AFTER)
    expect([network.shardNames, network.unreached]).toEqual([['s1', 's2', 's3'], []])
  })

  it('the former placement after a change that failed', () => {
    const network = serving({ placement: BEFORE, bringing: ['c', 'a'] })
    expect([...network.network.shards.keys()]).toEqual(['s1', 's2'])
    expect(network.network).toBe(network.network)
    expect(network.unreached).toEqual(['c'])
    expect(serving({ current: NO_NETWORK, placement: BEFORE, bringing: ['c'] }).unreached).toEqual(
      [],
    )
  })

  it('the leader alone while documents are divided for the first time', () => {
    const before = { ...NO_NETWORK, self: 'a', remotes: BEFORE.remotes }
    const network = serving({ change: { ...CHANGE, before, bringing: [] } })
    expect([...network.network.shards.values()]).toEqual([{ remotes: ['a'] }])
    expect(network.unreached).toEqual(['b'])
  })
})

describe('requests of other instances are served', () => {
  it('by the former network until its documents are deleted', () => {
    const network = serving({ change: CHANGE, isRouted: true })
    expect(network.alsoServed(BEFORE.version)?.shards).toBe(BEFORE.shards)
    network.beginDeletion()
    expect(network.alsoServed(BEFORE.version)).toBeNull()
    network.begin(CHANGE)
    expect(network.alsoServed(BEFORE.version)).not.toBeNull()
  })

  it.each([
    ['has its documents', { a: true }, true],
    ['waits for documents', {}, false],
    ['has failed to import them', { a: false }, false],
    ['only knows that another has them', { b: true }, false],
  ])('by the new network if this instance %s', (_, finished, isServed) => {
    const network = serving({ change: CHANGE, finished })
    expect(network.alsoServed(AFTER.version)).toBe(isServed ? AFTER : null)
    expect(network.alsoServed(`${VERSION}9`)).toBeNull()
  })

  it('not by the new one if this instance leaves', () => {
    const after = { ...AFTER, self: null }
    const network = serving({ change: { ...CHANGE, after }, finished: { a: true } })
    expect(network.alsoServed(AFTER.version)).toBeNull()
  })
})

describe('a task runs under', () => {
  const names = (network: ServingNetwork, uid: number, change = CHANGE): readonly string[] | null =>
    network.shardsOf(asTaskUid(uid), change)?.names ?? null

  it('the network of its time', () => {
    const network = serving({ change: CHANGE })
    expect([9, 10, 11].map((uid) => names(network, uid)?.length)).toEqual([2, 3, 3])
    expect(network.shardsOf(asTaskUid(9), CHANGE)!.held).toEqual([true, false])
  })

  it('no shards on an instance that joins, and the former ones on one that leaves', () => {
    const joins = {
      ...CHANGE,
      before: { ...BEFORE, remotes: new Map([['b', remote('http://b')]]) },
    }
    expect(names(serving({ change: joins }), 9, joins)).toBeNull()
    const leaves = { ...CHANGE, after: { ...AFTER, self: null } }
    expect(names(serving({ change: leaves }), 9, leaves)).toEqual(['s1', 's2'])
  })
})
