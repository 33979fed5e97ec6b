// Changes of the network by clients: which are refused because of the state of their remotes.
import { expect, test } from 'vitest'
import {
  type ChangedNetworks,
  type Engine,
  type Network,
  NO_NETWORK,
  OutgoingFault,
  type Send,
  type StaleRemote,
} from '../../../engine/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { NetworkChanges } from './change-network.ts'

type Registered = ChangedNetworks & { readonly isLacking?: boolean }

const VERSION = '01980000-0000-7000-8000-00000000000'
const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  version: `${VERSION}1`,
  remotes: new Map(
    ['a', 'b', 'c'].map((name) => [
      name,
      { url: `http://${name}`, searchApiKey: null, writeApiKey: null },
    ]),
  ),
  shards: new Map([['s1', { remotes: ['b', 'c'] }]]),
}
const LACKING: StaleRemote = { reason: 'backlog', before: asTaskUid(1) }

type Given = {
  /** Remotes that do not answer, and those that lack writes. */
  readonly down?: readonly string[]
  readonly stale?: readonly string[]
  readonly network?: Network
  /** The change that runs. */
  readonly change?: object | null
  /** Answers of `b` that differ from those of the others, by path. */
  readonly answers?: { readonly [path: string]: unknown }
  readonly newVersion?: string
  /** Number of looks at which stale remotes have not canceled a task yet, which makes them stale. */
  readonly lag?: number
}

/** The changes of an instance, and the networks that they register or set. */
function changing({
  down = [],
  stale = [],
  network = NETWORK,
  change = null,
  answers = {},
  newVersion = `${VERSION}2`,
  lag = 0,
}: Given) {
  const done = { registered: null as ChangedNetworks | null, updated: null as Network | null }
  const engine = {
    identity: { id: 'a', process: 'a' },
    network: {
      get: () => network,
      update: async (next: () => Network) => (done.updated = next()),
    },
    topology: {
      change,
      hasDocuments: true,
      serving: network,
      resume: async () => undefined,
      register: async (networks: ChangedNetworks) => {
        done.registered = networks
        return { uid: asTaskUid(1) }
      },
    },
    replication: {
      stale: () => new Map((lag > 0 ? [] : stale).map((name) => [name, LACKING])),
      canceledDue: async (name: string) => (stale.includes(name) && lag-- > 0 ? [{}] : []),
    },
  }
  const send: Send = async ({ url }) => {
    const { hostname, pathname } = new URL(url)
    if (down.includes(hostname)) throw new OutgoingFault('unreachable', 'gone')
    const all: { readonly [path: string]: unknown } = {
      '/experimental-features': { network: true },
      '/tasks': { results: [] },
      '/network/identity': {},
      ...(hostname === 'b' ? answers : {}),
    }
    const answer = all[pathname]
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    return { status: 200, body: Buffer.from(text) }
  }
  const changes = new NetworkChanges({
    engine: engine as unknown as Engine,
    send,
    times: { connectMs: 1, requestMs: 1 },
    replicator: {
      replicate: async () => undefined,
      inTurn: (decision: () => unknown) => decision(),
    } as never,
    newVersion: () => newVersion,
  })
  return { changes, done }
}

/** Removes remotes; returns the networks that are registered. */
async function removed(names: readonly string[], given: Given): Promise<ChangedNetworks> {
  const { changes, done } = changing(given)
  const remotes = Object.fromEntries(names.map((name) => [name, null]))
  const shards = { s1: { removeRemotes: names, addRemotes: ['a'] } }
  await changes.change({ remotes, shards } as never)
  return done.registered!
}

test('an instance may leave without an answer while another one has all writes', async () => {
  expect(await removed(['b'], { down: ['b'] })).toMatchObject({ absent: ['b'], renewed: [] })
})

test('an instance that leaves and lacks writes counts as absent while another one has them', async () => {
  expect(await removed(['b'], { stale: ['b'] })).toMatchObject({ absent: ['b'], renewed: [] })
  expect(await removed(['b', 'c'], { stale: ['b'] })).toMatchObject({ absent: ['b'] })
  // The documents of both would be lost otherwise.
  expect(await removed(['b', 'c'], { stale: ['b', 'c'] })).toMatchObject({ absent: [] })
})

test('an instance that stays, lacks writes and does not get its shards again counts as absent', async () => {
  const shards = new Map(
    Object.entries({ s1: ['a', 'c'], s2: ['b', 'c'] }).map(([name, remotes]) => [
      name,
      { remotes },
    ]),
  )
  const added = async (stale: readonly string[]) => {
    const { changes, done } = changing({ stale, network: { ...NETWORK, shards } })
    await changes.change({ shards: { s3: { remotes: ['a'] } } } as never)
    return done.registered
  }
  // No instance has all writes of s2, and only `a` has those of s1.
  expect(await added(['b', 'c'])).toMatchObject({ absent: ['b', 'c'], renewed: [] })
  expect(await added(['c'])).toMatchObject({ absent: [], renewed: ['c'] })
  // The documents of a leader count.
  expect(await added(['a', 'b', 'c'])).toMatchObject({ absent: ['b', 'c'], renewed: [] })
})

test('a change waits until remotes have canceled tasks, and then knows which are wrong', async () => {
  expect(await removed(['b'], { stale: ['b'], lag: 1 })).toMatchObject({ absent: ['b'] })
  await expect(removed(['b'], { stale: ['b'], lag: 2 })).rejects.toMatchObject({
    code: 'remote_timeout',
    message:
      'Remote `b` has not yet canceled tasks that were canceled here.\n' +
      '  - Hint: Repeat the request, or look at `lastError` in `GET /network/status`.',
  })
  expect(await removed(['b'], { down: ['b'], stale: ['b'], lag: 2 })).toMatchObject({
    absent: ['b'],
  })
})

test('an instance may not leave while the other owner lacks writes, unless that one leaves as well', async () => {
  const given = { down: ['b'], stale: ['c'] }
  await expect(removed(['b'], given)).rejects.toMatchObject({
    code: 'remote_could_not_send_request',
    message:
      'Remote `b` does not answer. It alone has all documents of the shard `s1`, because `c` lacks ' +
      'writes.\n  - Hint: Wait until `b` answers. To lose these writes, remove `c` as well, and add ' +
      'it again later.',
  })
  // If the change were canceled, nothing would have been sent.
  await expect(removed(['b'], { stale: ['c'] })).rejects.toMatchObject({
    code: 'unprocessed_network_task',
    message:
      'Remote `b` cannot leave yet. It alone has all documents of the shard `s1`, because `c` lacks ' +
      'writes.\n  - Hint: Wait until `c` has got its shards again. To lose these writes, remove `c` ' +
      'as well, and add it again later.',
  })
  expect(await removed(['b', 'c'], given)).toMatchObject({ absent: ['b'], renewed: [] })
  // A member that stays must answer.
  await expect(removed(['b'], { down: ['c'] })).rejects.toMatchObject({
    code: 'remote_could_not_send_request',
  })
})

test.each([
  // The clock was set back.
  ['01', '00', '02'],
  ['01', '01', '02'],
  ['0f', '02', '10'],
  ['01', '03', '03'],
])('after version %s, with %s as the next, comes %s', async (last, next, wanted) => {
  const versionOf = (end: string): string => VERSION.slice(0, -1) + end
  const network = { ...NETWORK, version: versionOf(last) }
  const { after } = await removed(['b'], { network, newVersion: versionOf(next) })
  expect(after.version).toBe(versionOf(wanted))
})

test.each<[string, Given, string, string]>([
  ['a change runs', { change: { uid: 7 } }, 'unprocessed_network_task', 'task with uid 7.'],
  [
    'a remote has the feature off',
    { answers: { '/experimental-features': { network: false } } },
    'feature_not_enabled',
    'Remote `b` encountered an error',
  ],
  [
    'a change runs on a remote',
    { answers: { '/tasks': { results: [{ uid: 9 }] } } },
    'unprocessed_network_task',
    'Remote `b` encountered an error',
  ],
  [
    'a remote answers something else',
    { answers: { '/tasks': '<html>' } },
    'remote_bad_response',
    'could not parse response',
  ],
])('a change is refused while %s', async (_, given, code, words) => {
  await expect(removed(['c'], given)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  })
})

test('without a leader, the network is set at once', async () => {
  const network = { ...NETWORK, leader: null, shards: new Map() }
  const { changes, done } = changing({ network, down: ['b', 'c'] })
  const changed = await changes.change({ remotes: { c: null } } as never)
  expect([...done.updated!.remotes.keys()]).toEqual(['a', 'b'])
  expect(changed).toEqual({ network: done.updated })
  expect(done.registered).toBeNull()
})

test.each<[string, Given, readonly string[] | null]>([
  ['a remote lacks writes', { stale: ['c'] }, ['c']],
  ['no remote lacks writes', {}, null],
  ['a change runs', { stale: ['c'], change: { uid: 7 } }, null],
  ['another instance leads', { stale: ['c'], network: { ...NETWORK, leader: 'b' } }, null],
  ['no instance leads', { stale: ['c'], network: { ...NETWORK, leader: null } }, null],
])('shards are sent again only by a leader, if that is possible: %s', async (_, given, renewed) => {
  const { changes, done } = changing(given)
  const task = await changes.resync()
  expect(task).toEqual(renewed === null ? null : { uid: 1 })
  expect(done.registered?.renewed ?? null).toEqual(renewed)
})

/** Receives a copy of a change of the leader; returns the networks that are registered. */
async function received(current: Network, renewed: readonly string[] = [], self = 'b') {
  let registered: Registered | null = null
  const engine = {
    network: { get: () => current },
    topology: {
      register: async (networks: Registered) => {
        registered = networks
        return { uid: asTaskUid(1) }
      },
    },
  }
  const changes = new NetworkChanges({ engine } as never)
  const remote = (name: string) => ({
    url: `http://${name}`,
    searchApiKey: null,
    writeApiKey: null,
  })
  const named = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, remote(name)]))
  const body = {
    self,
    leader: 'a',
    remotes: named(['a', 'b', 'c']),
    shards: { s1: { remotes: ['a'] } },
    previousRemotes: named(['a', 'c']),
    previousShards: { s1: { remotes: ['c'] } },
  }
  const origin = { remoteName: 'a', taskUid: 1, networkVersion: `${VERSION}9` }
  const lists = { renewed, renewedShards: new Map(), absent: [], bringing: [], isLacking: true }
  const leadership = { leaderId: 'i', term: 3 }
  await changes.receive(body as never, origin as never, leadership, lists as never, false)
  const { before, after, isReturning, isLacking } = registered! as Registered
  return { before, after, isReturning, isLacking }
}

test('an instance compares the network of the leader with its own one, if it has one', async () => {
  const own = await received(NETWORK)
  expect([...own.before.remotes.keys()]).toEqual(['a', 'b', 'c'])
  expect([...own.before.shards.keys(), own.before.version]).toEqual(['s1', `${VERSION}1`])
  // It was no member for the leader.
  expect([own.isReturning, own.isLacking]).toEqual([true, true])
  expect(own.after).toMatchObject({ self: 'b', leaderId: 'i', term: 3, version: `${VERSION}9` })
  const joining = await received({ ...NO_NETWORK, version: `${VERSION}0` })
  expect([...joining.before.remotes.keys()]).toEqual(['a', 'c'])
  expect(joining.before).toMatchObject({ self: 'b', leader: null, version: `${VERSION}0` })
  expect(joining.isReturning).toBe(false)
  // One that gets its shards again may know an old network.
  const resynced = await received(NETWORK, ['b'])
  expect([...resynced.before.remotes.keys()]).toEqual(['a', 'c'])
  expect(resynced.before).toMatchObject({ self: 'b', leader: 'a' })
  expect(resynced.isReturning).toBe(false)
  const other = await received(NETWORK, ['c'], 'a')
  expect([...other.before.remotes.keys()]).toEqual(['a', 'b', 'c'])
  expect(other.isReturning).toBe(false)
})

test('a copy of a change without a leader is refused', async () => {
  const changes = new NetworkChanges({ engine: {} } as never)
  const receiving = changes.receive(
    { leader: null } as never,
    {} as never,
    {} as never,
    {} as never,
    false,
  )
  await expect(receiving).rejects.toThrow('Duplicated task without leader')
})
