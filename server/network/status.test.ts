// The status of the network that an instance shows.
import { expect, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK } from '../../engine/index.ts'
import { Availability } from './calls/index.ts'
import { networkStatus } from './status.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })
const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  version: 'v1',
  term: 4,
  remotes: new Map(['a', 'b'].map((name) => [name, remote(name)])),
  shards: new Map([
    ['s1', { remotes: ['b'] }],
    ['s2', { remotes: ['a', 'b'] }],
  ]),
}

/** `details` are those of the task of the change, or null if it does not exist. */
function statusOf(network: Network, change: object | null = null, details: object | null = {}) {
  const engine = {
    network: { get: () => network },
    replication: {
      backlog: (name: string) =>
        name === 'b'
          ? { tasks: 3, logBytes: 100, fileBytes: 20 }
          : { tasks: 0, logBytes: 0, fileBytes: 0 },
      stale: () => new Map([['b', { reason: 'has lost tasks' }]]),
    },
    topology: { change },
    tasks: {
      get: async (uid: number) => (details === null ? null : { uid, details }),
    },
  }
  const availability = new Availability(() => 0)
  availability.failed('b')
  return networkStatus({
    engine: engine as unknown as Engine,
    availability,
    lastError: (name) => (name === 'b' ? 'timeout' : null),
    replicasEqual: false,
    problem: 'another one has this identity',
  })
}

test('shows each instance as this one knows it', async () => {
  expect(await statusOf(NETWORK)).toEqual({
    self: 'a',
    leader: 'a',
    version: 'v1',
    remotes: {
      a: {
        ...{ url: 'http://a', isSelf: true, isLeader: true, status: 'available' },
        ...{ shards: ['s2'], backlog: null, stale: null, lastError: null },
      },
      b: {
        ...{ url: 'http://b', isSelf: false, isLeader: false, status: 'unavailable' },
        ...{ shards: ['s1', 's2'], backlog: { tasks: 3, bytes: 120 } },
        ...{ stale: 'has lost tasks', lastError: 'timeout' },
      },
    },
    shards: { s1: ['b'], s2: ['a', 'b'] },
    change: null,
    term: 4,
    problem: 'another one has this identity',
    replicasEqual: false,
  })
})

test('only the leader knows what the others have not confirmed', async () => {
  for (const leader of ['b', null]) {
    const { remotes } = await statusOf({ ...NETWORK, leader })
    expect(Object.values(remotes).map(({ backlog }) => backlog)).toEqual([null, null])
    expect(Object.values(remotes).map(({ isLeader }) => isLeader)).toEqual([false, leader === 'b'])
  }
  const none = await statusOf({ ...NETWORK, self: null, leader: null })
  expect([none.remotes['a']!.isSelf, none.remotes['a']!.backlog]).toEqual([false, null])
})

test.each([
  ['a message', { message: 'exporting' }, 'exporting'],
  ['no message yet', {}, null],
  ['another kind of detail', { message: 1 }, null],
  ['no task', null, null],
])('shows the running change with %s', async (_, details, message) => {
  expect((await statusOf(NETWORK, { uid: 7 }, details)).change).toEqual({ taskUid: 7, message })
})
