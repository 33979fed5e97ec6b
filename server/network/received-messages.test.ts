// Messages of other instances: who may send which, and what each of them does.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { encodeNetwork, type Network, NO_NETWORK } from '../../engine/index.ts'
import type { RequestContext } from '../http/messages/index.ts'
import type { NetworkMessage } from '../parse/index.ts'
import { SENDER } from './calls/headers.ts'
import { BEHIND_MS } from './calls/index.ts'
import { ReceivedMessages } from './received-messages.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const LEADER = '01980000-0000-7000-8000-00000000000a'
const MEMBER = '01980000-0000-7000-8000-00000000000b'
const version = (n: number): string => `01980000-0000-7000-8000-00000000000${n}`
const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })
const networkOf = (more: Partial<Network>, names = ['a', 'b', 'c']): Network => ({
  ...NO_NETWORK,
  remotes: new Map(names.map((name) => [name, remote(name)])),
  version: version(2),
  ...more,
})
/** This instance is `b`; `a` leads. */
const NETWORK = networkOf({ self: 'b', leader: 'a', leaderId: LEADER, term: 3 })

type Given = {
  readonly network?: Network
  readonly change?: object | null
  readonly isRouted?: boolean
  readonly isOpen?: boolean
}

function receiving(given: Given = {}) {
  const { network = NETWORK, change = null, isRouted = false, isOpen = false } = given
  const done: unknown[] = []
  /** Notes each call by its name and arguments. */
  const noting = (...names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        (...of: unknown[]) => {
          done.push([name, ...of])
          return Promise.resolve(3)
        },
      ]),
    )
  let current = network
  const engine = {
    network: {
      get: () => current,
      update: async (next: (known: Network) => Network) => {
        current = next(current)
      },
    },
    topology: {
      change,
      isRouted,
      ...noting('cancel', 'admitIndexes', 'definitionsSent', 'exportEnded', 'importFinished'),
      ...noting('setBehind'),
    },
    replication: noting('holdCopies', 'cancelCopies', 'releaseCopies'),
  }
  const replicator = {
    wake: (name: string) => done.push(['wake', name]),
    lacks: (name: string) => name === 'c',
  }
  const parts = { engine, availability: noting('set', 'behind'), replicator, isOpen }
  const messages = new ReceivedMessages(parts as never)
  const receive = (
    message: object,
    from: { readonly name?: string; readonly sender?: string | null; readonly of?: string } = {},
  ) => {
    const { name: remoteName = 'a', sender = `${LEADER};3`, of = version(2) } = from
    const header = (asked: string) => (asked === SENDER && sender !== null ? sender : undefined)
    const origin = { remoteName, taskUid: 5, networkVersion: of }
    const received = { origin, message: { remote: 'c', ...message } }
    return messages.receive(
      received as unknown as NetworkMessage,
      { header } as unknown as RequestContext,
    )
  }
  return {
    messages,
    receive,
    done,
    origin: (of = version(2)) => originOf(of),
    current: () => current,
  }
}
const originOf = (networkVersion: string) => ({ remoteName: 'a', taskUid: 5, networkVersion })

const group = { version: version(2), uids: [7, 8] }
test.each<[string, object, unknown, readonly unknown[]]>([
  ['statusChangeForRemote', { status: 'unavailable' }, null, ['set', 'c', 'unavailable']],
  ['tasksHeldForRemote', { tasks: [7, 8] }, { ran: 3 }, ['holdCopies', 'a', group]],
  ['tasksCanceledForRemote', { tasks: [7, 8] }, { ran: 3 }, ['cancelCopies', 'a', group]],
  ['tasksReleasedForRemote', { tasks: [7, 8] }, { ran: [] }, ['releaseCopies', 'a', group]],
  ['behindForRemote', {}, null, ['behind', 'c', BEHIND_MS]],
  ['renewForRemote', { documents: true }, null, ['admitIndexes', originOf(version(2)), true]],
  ['definitionsSentForRemote', {}, null, ['definitionsSent', originOf(version(2))]],
  ['exportNoIndexForRemote', {}, null, ['exportEnded', originOf(version(2)), 'c']],
  [
    'importFinishedForRemote',
    { successful: true, routed: false },
    null,
    ['importFinished', originOf(version(2)), 'c', true, false],
  ],
])('%s', async (type, members, answer, effect) => {
  const { receive, done } = receiving()
  expect(await receive({ type, ...members })).toEqual(answer)
  expect(done).toEqual([effect])
})

test('an instance that lacks writes itself gets them at once', async () => {
  const { receive, done } = receiving()
  expect(await receive({ type: 'behindForRemote' }, { name: 'c' })).toEqual({ lacks: true })
  expect(await receive({ type: 'behindForRemote', remote: 'a' })).toEqual({ lacks: false })
  expect(done).toEqual([
    ['wake', 'c'],
    ['wake', 'a'],
  ])
})

const OF_LEADERS = ['changeCanceledForRemote', 'definitionsSentForRemote', 'tasksHeldForRemote']
const OF_MEMBERS = [
  'exportNoIndexForRemote',
  'importFinishedForRemote',
  'behindForRemote',
  'renewForRemote',
]

test('messages about tasks come from the leader, those about documents from any member', async () => {
  const { receive } = receiving()
  const refusal = { code: 'network_leader_mismatch' }
  for (const type of OF_LEADERS) {
    await expect(receive({ type, tasks: [] }, { sender: `${MEMBER};3` })).rejects.toMatchObject(
      refusal,
    )
  }
  for (const type of OF_MEMBERS) {
    await receive({ type }, { sender: `${MEMBER};3` })
    await expect(receive({ type }, { sender: `${MEMBER};2` })).rejects.toMatchObject(refusal)
  }
  for (const type of [...OF_LEADERS, ...OF_MEMBERS]) {
    await expect(receive({ type, tasks: [] }, { sender: null })).rejects.toMatchObject(refusal)
    await expect(receive({ type, tasks: [] }, { name: 'x' })).rejects.toMatchObject({
      code: 'invalid_api_key',
    })
  }
  // An operator sets the status of an instance, with a key.
  await receive({ type: 'statusChangeForRemote', status: 'available' }, { sender: null, name: 'x' })
  const { receive: open } = receiving({ isOpen: true })
  for (const type of OF_LEADERS) await open({ type, tasks: [] }, { sender: null, name: 'x' })
})

test('a known origin is in a network of this instance or of its change', () => {
  const change = { before: networkOf({}, ['old']), after: networkOf({}, ['new']) }
  const { messages } = receiving({ change })
  for (const name of ['a', 'old', 'new']) messages.checkOrigin(name, null)
  const body = (name: string, value: object | null = remote(name)) => ({
    remotes: { [name]: value },
  })
  expect(() => messages.checkOrigin('x', null)).toThrow('not a remote')
  // A leader adds instances by itself; an instance without a leader joins the named network.
  expect(() => messages.checkOrigin('x', body('x') as never)).toThrow('not a remote')
  const { messages: free } = receiving({ network: networkOf({ self: 'b' }) })
  free.checkOrigin('x', body('x') as never)
  for (const named of [body('x', null), body('y'), {}]) {
    expect(() => free.checkOrigin('x', named as never)).toThrow('not a remote')
  }
})

test('this instance lacks writes for a time after the last notice', async () => {
  const { messages, receive, done } = receiving()
  await receive({ type: 'behindForRemote', remote: 'b' })
  vi.advanceTimersByTime(BEHIND_MS - 1)
  messages.behind('b')
  vi.advanceTimersByTime(BEHIND_MS - 1)
  expect(done).toEqual([
    ['setBehind', true],
    ['setBehind', true],
  ])
  vi.advanceTimersByTime(1)
  expect(done.slice(2)).toEqual([['setBehind', false]])
  messages.behind('b')
  messages.stop()
  vi.advanceTimersByTime(BEHIND_MS)
  expect(done.slice(3)).toEqual([['setBehind', true]])
})

test('the leader cancels the change of the same version', async () => {
  const change = { after: networkOf({ version: version(4) }), before: NETWORK, origin: {} }
  const { receive, done } = receiving({ change })
  await receive({ type: 'changeCanceledForRemote' }, { of: version(3) })
  expect(done).toEqual([])
  await receive({ type: 'changeCanceledForRemote' }, { of: version(4) })
  expect(done).toEqual([['cancel', change]])
  const idle = receiving()
  await idle.receive({ type: 'changeCanceledForRemote' })
  expect(idle.done).toEqual([])
})

test('an instance that missed a change adopts the newer network', async () => {
  const sent = (of: string) => ({
    type: 'networkForRemote',
    network: Buffer.from(
      encodeNetwork(networkOf({ version: of, self: 'b', leader: 'c' })),
    ).toString(),
  })
  const adopted = async (of: string, given: Given = {}) => {
    const { receive, done, current } = receiving(given)
    // A new leader has a later term, also where another instance leads.
    await receive(sent(of), { sender: `${MEMBER};4` })
    return [current().version, done]
  }
  expect(await adopted(version(3))).toEqual([version(3), []])
  expect(await adopted(version(1))).toEqual([version(2), []])
  expect(await adopted(version(3), { network: { ...NETWORK, leader: 'b' } })).toEqual([
    version(3),
    [],
  ])
  // A running change to an even newer network goes on; another one is canceled.
  const changeTo = (of: string) => ({
    after: networkOf({ version: of }),
    before: NETWORK,
    origin: {},
  })
  expect(await adopted(version(3), { change: changeTo(version(4)) })).toEqual([version(2), []])
  const older = changeTo(version(3))
  expect(await adopted(version(3), { change: older })).toEqual([version(3), [['cancel', older]]])
  // One by which this instance searches already has succeeded on the leader.
  const routed = { change: older, isRouted: true }
  expect(await adopted(version(3), routed)).toEqual([version(2), []])
  expect(await adopted(version(4), routed)).toEqual([version(4), [['cancel', older]]])
  await expect(receiving().receive({ ...sent(''), network: 'x' })).rejects.toMatchObject({
    code: 'bad_request',
  })
})
