// The last round of a change: whom an instance waits for before it deletes documents, with a clock
// and with other instances that the test plays.
import { expect, test } from 'vitest'
import {
  type Network,
  NO_NETWORK,
  STATE_TEXTS,
  type TopologyChange,
} from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { ChangeFollower, type FollowerParts } from './change-follower.ts'

const TICK_MS = 250

const networkOf = (self: string | null, names: readonly string[]): Network => ({
  ...NO_NETWORK,
  self,
  leader: 'a',
  remotes: new Map(
    names.map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
})

type Scene = {
  readonly self: string
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  readonly absent?: readonly string[]
  /** Members whose message arrives, and when. */
  readonly routed?: { readonly [name: string]: number }
  /** The error of each message to a remote, at a time in milliseconds. */
  readonly failure?: (name: string, ms: number) => ApiError | null
  readonly status?: (ms: number) => string | null
}

/** Plays the round; returns how it ended, when, and how many messages each remote got. */
async function played({ self, before, after, absent = [], ...others }: Scene) {
  const [old, next] = [before ?? ['a', 'b', 'c'], after ?? ['a', 'b', 'c']]
  const { routed = {}, failure = () => null, status = () => null } = others
  let [ms, end] = [0, 'none']
  const sent: Record<string, number> = {}
  const ended = (how: string) => {
    end = how
    state.change = null
  }
  const change = {
    uid: 1,
    before: networkOf(old.includes(self) ? self : null, old),
    after: networkOf(next.includes(self) ? self : null, next),
    absent,
    origin: { remoteName: 'a', taskUid: 1, networkVersion: '' },
  } as unknown as TopologyChange
  const state = { change: change as TopologyChange | null }
  const abort = new AbortController()
  const topology = {
    isRouted: true,
    get change() {
      return state.change
    },
    messages: () => ({
      finished: {},
      routed: Object.keys(routed).filter((name) => routed[name]! <= ms),
    }),
    showProgress: async () => undefined,
    isNeeded: () => true,
    complete: (_: unknown, isMissed: boolean) => ended(isMissed ? 'missed' : 'completed'),
    cancel: async () => {
      ended('canceled')
      abort.abort()
    },
  }
  const parts = {
    engine: { topology },
    calls: {
      sendMessage: async (_: unknown, { url }: { readonly url: string }) => {
        const name = url.slice('http://'.length)
        sent[name] = (sent[name] ?? 0) + 1
        return failure(name, ms)
      },
      statusOnLeader: async () => status(ms),
    },
    now: () => ms,
    pause: async () => {
      ms += TICK_MS
      if (ms > 120_000) abort.abort()
    },
  } as unknown as FollowerParts
  await new ChangeFollower(parts, change, abort.signal).run().catch(() => undefined)
  return { end, ms, sent }
}

const unreachable = new ApiError('remote_could_not_send_request', 'down')
const refused = new ApiError('remote_bad_request', 'I have no such change.')

test('an instance waits for the messages of all members', async () => {
  const routed = { a: 0, c: 3000 }
  expect(await played({ self: 'b', routed })).toEqual({
    end: 'completed',
    ms: 3000,
    sent: { a: 1, c: 1 },
  })
})

test('an instance repeats its message until each member has it, a refusal included', async () => {
  const failure = (name: string, ms: number) => {
    if (name === 'a') return refused
    return ms < 2500 ? unreachable : null
  }
  const { end, ms, sent } = await played({ self: 'b', routed: { a: 0, c: 0 }, failure })
  expect([end, ms, sent]).toEqual(['completed', 3000, { a: 1, c: 4 }])
})

test('the wait for a remote that leaves and is silent is limited, for a member it is not', async () => {
  const failure = (name: string) => (name === 'c' ? unreachable : null)
  const leaving = await played({ self: 'b', after: ['a', 'b'], routed: { a: 0 }, failure })
  expect([leaving.end, leaving.ms]).toEqual(['completed', 30_000])
  const absent = await played({
    self: 'b',
    after: ['a', 'b'],
    absent: ['c'],
    routed: { a: 0 },
    failure,
  })
  expect([absent.end, absent.ms]).toEqual(['completed', 0])
  for (const others of [[], ['c']]) {
    const member = await played({ self: 'b', absent: others, routed: { a: 0, c: 0 }, failure })
    expect(member.end).toBe('none')
  }
})

test('an instance that leaves ends with the leader, whose messages may be lost', async () => {
  const scene = { self: 'c', after: ['a', 'b'], failure: () => unreachable }
  const left = await played({ ...scene, status: (ms) => (ms < 9000 ? 'processing' : 'succeeded') })
  expect([left.end, left.ms]).toEqual(['completed', 10_250])
  const missed = await played({ ...scene, absent: ['c'], status: () => 'succeeded' })
  expect(missed.end).toBe('missed')
  expect((await played({ ...scene, status: () => 'canceled' })).end).toBe('canceled')
})

test('an instance prepares its searches before it sends its documents', async () => {
  const steps: string[] = []
  const abort = new AbortController()
  const network = { ...networkOf('b', ['a', 'b']), shards: new Map([['s', { remotes: ['b'] }]]) }
  const change = { uid: 1, before: network, after: network, absent: [], origin: {} }
  const topology = {
    isRouted: false,
    isClean: true,
    change,
    hasOlderTasks: () => false,
    clean: () => void steps.push('clean'),
    showProgress: async (_: unknown, text: string) => void steps.push(text),
    get serving() {
      steps.push('searches')
      return network
    },
    indexUids: () => {
      steps.push('indexes')
      return []
    },
    exporters: () => abort.abort(),
  }
  const engine = { topology, administration: { features: {} } }
  const calls = { statusOnLeader: async () => null }
  const parts = { engine, calls, now: () => 0, pause: async () => undefined }
  const follower = new ChangeFollower(
    parts as unknown as FollowerParts,
    change as unknown as TopologyChange,
    abort.signal,
  )
  await follower.run().catch(() => undefined)
  expect(steps).toEqual(['clean', STATE_TEXTS.exportingDocuments, 'searches', 'indexes'])
})
