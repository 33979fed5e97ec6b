// When the leader sends stale remotes their shards again, and when it gives way to writes.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type Engine,
  type Network,
  NO_NETWORK,
  OutgoingFault,
  type RemoteResult,
  type TopologyChange,
} from '../../../engine/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { ResyncScheduler } from './resync-scheduler.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })
const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(['a', 'b'].map((name) => [name, remote(name)])),
  shards: new Map([['s', { remotes: ['a', 'b'] }]]),
}

type Begin = { readonly isDown?: boolean; readonly stale?: readonly string[] }

function scheduler(network: Network = NETWORK, { isDown = false, stale = ['b'] }: Begin = {}) {
  const state = {
    stale,
    change: null as TopologyChange | null,
    isDown,
    resyncs: 0,
    canceled: 0,
    /** Answers to the task of the change, and the oldest task that a member lacks. */
    results: {} as { readonly [remote: string]: RemoteResult },
    oldestDue: null as number | null,
  }
  const engine = {
    network: { get: () => network },
    replication: {
      stale: () => new Map([...state.stale].map((name) => [name, {}])),
      results: () => state.results,
      oldestDue: () => state.oldestDue,
    },
    topology: {
      get change() {
        return state.change
      },
      isNeeded: (_: TopologyChange, name: string) => name !== 'left',
    },
    tasks: {
      enqueueCancelation: async () => {
        state.canceled++
        state.change = null
      },
    },
  }
  const begin = (): void => {
    state.resyncs++
    state.oldestDue = state.resyncs
    state.change = {
      uid: state.resyncs,
      before: network,
      after: { ...network, version: String(state.resyncs) },
      absent: [],
      renewed: ['b'],
    } as unknown as TopologyChange
  }
  const parts = {
    engine: engine as unknown as Engine,
    send: async () => {
      if (state.isDown) throw new OutgoingFault('unreachable', 'down')
      return { status: 200, headers: {}, body: Buffer.from('{}') } as never
    },
    times: { connectMs: 1000, requestMs: 1000 },
    now: () => performance.now(),
    notifyStale: async () => {
      if (state.isDown) throw new ApiError('remote_timeout', 'late')
    },
    resync: async () => {
      begin()
      return null
    },
    report: () => undefined,
  }
  const resyncs = new ResyncScheduler(parts)
  resyncs.start()
  return { state, begin, stop: () => resyncs.stop() }
}

const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1000)

test('the leader begins when a member is stale and all answer', async () => {
  const { state, stop } = scheduler(NETWORK, { isDown: true })
  await seconds(10)
  expect(state.resyncs).toBe(0)
  state.isDown = false
  await seconds(3)
  expect(state.resyncs).toBe(1)
  await stop()
})

test.each([
  ['another instance leads', { ...NETWORK, leader: 'b' }],
  ['there is no leader', { ...NETWORK, leader: null }],
  ['the stale instance has left', { ...NETWORK, remotes: new Map([['a', remote('a')]]) }],
])('nothing begins if %s', async (_, network) => {
  const { state, stop } = scheduler(network)
  await seconds(10)
  expect(state.resyncs).toBe(0)
  await stop()
})

test('pauses double while resyncs do not help', async () => {
  const { state, stop } = scheduler()
  const begun: number[] = []
  for (let second = 0; second < 40; second++) {
    await seconds(1)
    if (state.change === null) continue
    begun.push(second)
    await seconds(1)
    second++
    state.change = null
  }
  const pauses = begun.slice(1).map((at, i) => at - begun[i]!)
  for (const [i, pause] of pauses.slice(1).entries()) {
    expect(pause, String(pauses)).toBeGreaterThan(pauses[i]! * 1.4)
  }
  expect(pauses.length).toBeGreaterThan(1)
  await stop()
})

test('a member that stops answering ends the resync, because writes wait for it', async () => {
  const { state, stop } = scheduler()
  await seconds(2)
  expect(state.change).not.toBeNull()
  state.isDown = true
  await seconds(15)
  expect(state.canceled).toBe(0)
  await seconds(10)
  expect(state.canceled).toBe(1)
  await stop()
})

test('a change of a client is left to the client', async () => {
  const { state, begin, stop } = scheduler(NETWORK, { stale: [] })
  begin()
  const { after } = state.change!
  const remotes = new Map([...after.remotes, ['c', remote('c')] as const])
  state.change = { ...state.change!, after: { ...after, remotes } }
  state.isDown = true
  await seconds(60)
  expect(state.canceled).toBe(0)
  await stop()
})

/** Starts a change of a client that `joining` takes part in. Returns the number of cancelations. */
async function canceled(answer: RemoteResult | null, given: Given = {}): Promise<number> {
  const { joining = 'c', absent = [], oldestDue = null } = given
  const { state, begin, stop } = scheduler(NETWORK, { stale: [] })
  begin()
  const { after } = state.change!
  const remotes = new Map([...after.remotes, [joining, remote(joining)] as const])
  state.change = { ...state.change!, after: { ...after, remotes }, absent, renewed: [] }
  state.results = { b: ACCEPTED, ...(answer === null ? {} : { [joining]: answer }) }
  state.oldestDue = oldestDue
  await seconds(5)
  await stop()
  return state.canceled
}

type Given = {
  readonly joining?: string
  readonly absent?: readonly string[]
  readonly oldestDue?: number | null
}
const ACCEPTED = { taskUid: asTaskUid(7), error: null }
const REFUSED = { error: new ApiError('remote_bad_request', 'x').toBody(), isFinal: true }

test('a change is canceled that waits for an instance which will not get its task', async () => {
  expect(await canceled(ACCEPTED)).toBe(0)
  expect(await canceled(REFUSED)).toBe(1)
  // Its tasks were dropped.
  expect(await canceled(null)).toBe(1)
  expect(await canceled(null, { oldestDue: 2 })).toBe(1)
  // It is still to be sent, behind an older task.
  expect(await canceled(null, { oldestDue: 1 })).toBe(0)
  expect(await canceled({ ...REFUSED, isFinal: false }, { oldestDue: 0 })).toBe(0)
  // The change waits for neither.
  expect(await canceled(null, { absent: ['c'] })).toBe(0)
  expect(await canceled(REFUSED, { joining: 'left' })).toBe(0)
})
