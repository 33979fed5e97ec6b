// The comparisons that a leader makes by itself: when, and what follows from a difference.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Engine, type Network, NO_NETWORK, OutgoingFault } from '../../../engine/index.ts'
import { ReplicaWatch } from './replica-watch.ts'

/** As in `replica-watch.ts`. */
const CHECK_MS = 10_000
const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })
const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  version: 'v1',
  remotes: new Map(['a', 'b'].map((name) => [name, remote(name)])),
  shards: new Map([['s', { remotes: ['a', 'b'] }]]),
}
const indexesOf = (digest: string) => [
  {
    uid: 'films',
    settings: 'x',
    shards: [{ shard: 's', next: null, documents: 3, bytes: 9, digest }],
  },
]

/** `serving`: the network by which documents are placed. */
function watching(network = NETWORK, serving = network) {
  const state = {
    isIdle: true,
    due: [] as string[],
    stale: new Map<string, object>(),
    lastUpdate: 1,
    /** The digest of the other instance; null if it is away. */
    other: 'same' as string | null,
    failure: null as Error | null,
    now: 0,
    asked: 0,
    marked: [] as string[],
    reported: [] as string[],
  }
  const engine = {
    network: { get: () => network },
    topology: { serving },
    administration: { stats: () => ({ lastUpdate: state.lastUpdate }) },
    replication: {
      get isIdle() {
        return state.isIdle
      },
      remotesDue: () => state.due,
      stale: () => state.stale,
      digests: async () => {
        if (state.failure !== null) throw state.failure
        return indexesOf('same')
      },
      markSuspect: async (name: string, shards: readonly string[]) =>
        void state.marked.push(`${name} ${shards}`),
    },
  }
  const watch = new ReplicaWatch({
    engine: engine as unknown as Engine,
    send: async () => {
      state.asked++
      if (state.other === null) throw new OutgoingFault('unreachable', 'refused')
      const answer = { version: 'v1', isSettled: true, indexes: indexesOf(state.other) }
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) } as never
    },
    times: { connectMs: 1000, requestMs: 1000 } as never,
    now: () => state.now,
    report: (message) => void state.reported.push(message),
    pauseMs: 0,
  })
  watch.start()
  /** Lets the time of some checks pass; returns the number of comparisons. */
  const checks = async (count: number): Promise<number> => {
    const before = state.asked
    for (let i = 0; i < count; i++) {
      vi.advanceTimersByTime(CHECK_MS)
      // Longer than the pause of a comparison that reads both instances twice: they differ.
      for (let turn = 0; turn < 3; turn++) await sleep(2)
    }
    return state.asked - before
  }
  return { watch, state, checks }
}

describe('a leader', () => {
  test('compares once after each period of writes', async () => {
    const { watch, state, checks } = watching()
    expect([await checks(1), watch.areEqual]).toEqual([0, null])
    expect([await checks(1), watch.areEqual]).toEqual([1, true])
    expect(await checks(3)).toBe(0)
    state.lastUpdate++
    expect([await checks(1), watch.areEqual]).toEqual([0, null])
    expect([await checks(1), watch.areEqual]).toEqual([1, true])
    await watch.stop()
    state.lastUpdate++
    expect(await checks(3)).toBe(0)
  })

  test('does not compare while tasks run or are due', async () => {
    const { watch, state, checks } = watching()
    state.isIdle = false
    expect(await checks(4)).toBe(0)
    Object.assign(state, { isIdle: true, due: ['b'] })
    expect(await checks(4)).toBe(0)
    state.due = []
    expect(await checks(1)).toBe(0)
    expect(await checks(1)).toBe(1)
    await watch.stop()
  })

  test('repairs what differs, once in an hour', async () => {
    const { watch, state, checks } = watching()
    state.other = 'other'
    await checks(2)
    const words = 'Replicas differ: index `films`, shard `s`, instance `b`, 1 differences.'
    expect(state).toMatchObject({ reported: [words], marked: ['b s'] })
    expect(watch.areEqual).toBe(false)
    const again = async (passedMs: number): Promise<void> => {
      state.now += passedMs
      state.lastUpdate++
      await checks(2)
    }
    await again(HOUR_MS - 1)
    expect(state).toMatchObject({ reported: [words, words], marked: ['b s'] })
    await again(1)
    expect(state.marked).toEqual(['b s', 'b s'])
    state.other = 'same'
    await again(0)
    expect([watch.areEqual, state.reported.length]).toEqual([true, 3])
    state.stale = new Map([['b', {}]])
    expect(watch.areEqual).toBe(false)
    await watch.stop()
  })

  test('knows nothing if another instance is away, and looks again after a failure', async () => {
    const { watch, state, checks } = watching()
    state.other = null
    await checks(2)
    expect([watch.areEqual, state.reported]).toEqual([null, []])
    state.lastUpdate++
    state.failure = new Error('broken')
    await checks(2)
    expect(state.reported).toEqual(['Replicas could not be compared.'])
    Object.assign(state, { other: 'same', failure: null })
    await checks(2)
    expect(watch.areEqual).toBe(true)
    await watch.stop()
  })

  test('repairs on request what differs, and nothing else', async () => {
    const { watch, state } = watching()
    expect(await watch.repair([])).toEqual({ verdict: 'equal', repaired: {}, unclear: [] })
    state.other = 'other'
    expect(await watch.repair([])).toEqual({
      verdict: 'different',
      repaired: { b: ['s'] },
      unclear: [],
    })
    expect(state.marked).toEqual(['b s'])
    await watch.stop()
  })
})

test('after a canceled change, documents are compared where they still are', async () => {
  const shards = new Map([['s', { remotes: ['a'] }]])
  const { watch, state, checks } = watching({ ...NETWORK, version: 'v2', shards }, NETWORK)
  await checks(2)
  expect([watch.areEqual, state.reported]).toEqual([true, []])
  state.other = 'other'
  expect(await watch.repair([])).toMatchObject({ repaired: { b: ['s'] } })
  await watch.stop()
})

test.each([{ leader: 'b' }, { leader: null }])(
  'without leading, nothing is compared: %j',
  async (more) => {
    const { watch, checks } = watching({ ...NETWORK, ...more })
    expect(await checks(4)).toBe(0)
    await watch.stop()
  },
)
