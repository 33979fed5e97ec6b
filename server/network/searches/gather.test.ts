// Instances that fail, are slow or whose answers are refused, and the owners queried instead.
import { expect, test } from 'vitest'
import type { Network } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { Availability } from '../calls/availability.ts'
import { Latencies } from '../calls/latencies.ts'
import { FIRST_COLD_MS, FIRST_MS } from '../calls/limits.ts'
import { type Call, type CallInstance, Gathering } from './gather.ts'
import { searchPlan } from './search-plan.ts'

const NAMES = ['a', 'b', 'c']
const SHARDS = new Map([
  ['s1', { remotes: ['b', 'c'] }],
  ['s2', { remotes: ['b', 'c'] }],
  ['s3', { remotes: ['c'] }],
])

const network: Network = {
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  version: '0',
  remotes: new Map(
    NAMES.map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
  shards: SHARDS,
}

type Given = {
  readonly hedges?: boolean
  readonly signal?: AbortSignal
  readonly pausesFailed?: boolean
}

function gathering(
  callInstance: CallInstance,
  { hedges = false, signal, pausesFailed = true }: Given = {},
) {
  const now = (): number => performance.now()
  const availability = new Availability(now)
  const topology = { serving: network, unreached: [], isPartial: () => false }
  // The plan chooses the first available owner.
  const plan = searchPlan(topology, availability, () => 0)
  const latencies = new Latencies()
  const parts = { availability, searchMs: 10_000, now, pausesFailed, latencies, hedges }
  const all = { ...parts, signal: signal ?? null, minTaskUid: null }
  return { gathering: new Gathering(plan, callInstance, all), availability, latencies }
}

const answerOf = (text: string): Promise<Uint8Array> => Promise.resolve(Buffer.from(text))
const down = (): Promise<never> =>
  Promise.reject(new ApiError('remote_could_not_send_request', 'error sending request'))

/** Returns `name:shard,shard` for each answer. */
const shown = ({ answers }: Gathering): readonly string[] =>
  answers.map(({ remote, shards }) => `${remote}:${shards?.join(',')}`)

test('queries another owner when an instance fails, and names the instance', async () => {
  const queried: string[] = []
  const { gathering: one, availability } = gathering((_, call) => {
    queried.push(call.remote)
    return call.remote === 'b' ? down() : answerOf('c')
  })
  await one.begin()
  expect(queried).toEqual(['b', 'c', 'c'])
  expect(shown(one)).toEqual(['c:s3', 'c:s1,s2'])
  expect(Object.keys(one.errors)).toEqual(['b'])
  expect(availability.status('b')).toBe('unavailable')
})

test('an instance has more time for its first search, and again after a failure', async () => {
  const limits: number[] = []
  let isDown = false
  const { gathering: one, availability } = gathering((_, { remote }, ms) => {
    if (remote === 'b') limits.push(Math.round(ms))
    return isDown && remote === 'b' ? down() : answerOf(remote)
  })
  await one.begin()
  await one.begin()
  isDown = true
  await one.begin()
  availability.recovered('b')
  isDown = false
  await one.begin()
  expect(limits).toEqual([FIRST_COLD_MS, FIRST_MS, FIRST_MS, FIRST_COLD_MS])
})

test('names a shard when all its owners fail', async () => {
  const { gathering: one } = gathering((_, { remote }) => (remote === 'c' ? down() : answerOf('b')))
  await one.begin()
  expect(shown(one)).toEqual(['b:s1,s2'])
  expect(one.errors).toMatchObject({ c: { code: 'remote_could_not_send_request' } })
})

test('does not repeat a faulty request of a client on other owners', async () => {
  const queried: string[] = []
  const { gathering: one, availability } = gathering((_, { remote }) => {
    queried.push(remote)
    return Promise.reject(new ApiError('remote_bad_request', 'no such index'))
  })
  await one.begin()
  expect(queried.sort()).toEqual(['b', 'c'])
  expect(availability.status('b')).toBe('available')
})

test('queries another owner when an answer is refused', async () => {
  const { gathering: one, availability } = gathering((_, { remote }) => answerOf(remote))
  await one.begin()
  expect(shown(one)).toEqual(['b:s1,s2', 'c:s3'])
  await one.refuse(one.answers[0]!, new ApiError('remote_bad_response', 'nonsense'))
  expect(shown(one)).toEqual(['c:s3', 'c:s1,s2'])
  expect(one.errors).toMatchObject({ b: { code: 'remote_bad_response' } })
  expect(availability.status('b')).toBe('unavailable')
  // The answer of the last owner is refused: its shard is missing, and no request is repeated.
  await one.refuse(one.answers[0]!, new ApiError('remote_bad_response', 'nonsense'))
  expect(shown(one)).toEqual(['c:s1,s2'])
})

test('marks calls that replace others', async () => {
  const calls: Call[] = []
  const { gathering: one } = gathering((_, call) => {
    calls.push(call)
    return call.remote === 'b' ? down() : answerOf('c')
  })
  await one.begin()
  expect(calls.map(({ remote, isFirst }) => [remote, isFirst])).toEqual([
    ['b', true],
    ['c', true],
    ['c', false],
  ])
})

/** Returns a call that settles when the test calls its function, or fails when it is aborted. */
function slow(signal: AbortSignal | null): {
  answer: Promise<Uint8Array>
  wasStopped: () => boolean
} {
  let stopped = false
  const answer = new Promise<Uint8Array>((_, reject) => {
    signal?.addEventListener('abort', () => {
      stopped = true
      reject(new ApiError('remote_could_not_send_request', 'aborted'))
    })
  })
  return { answer, wasStopped: () => stopped }
}

test('uses the faster of two hedged calls and aborts the other', async () => {
  let first: ReturnType<typeof slow> | null = null
  const { gathering: one, availability } = gathering(
    (_, { remote, isFirst }, _ms, signal) => {
      if (remote !== 'b') return answerOf(`c${isFirst}`)
      first = slow(signal)
      return first.answer
    },
    { hedges: true },
  )
  await one.begin()
  expect(shown(one)).toEqual(['c:s3', 'c:s1,s2'])
  expect(first!.wasStopped()).toBe(true)
  // A slow owner is not an error.
  expect(one.errors).toEqual({})
  expect(availability.status('b')).toBe('available')
})

test('uses the answer of the first owner when the hedged call fails', async () => {
  let answer: (bytes: Uint8Array) => void = () => undefined
  const { gathering: one } = gathering(
    (_, { remote, isFirst }) => {
      if (remote === 'c' && isFirst) return answerOf('c')
      if (remote === 'b') {
        return new Promise((resolve) => {
          answer = resolve
        })
      }
      setImmediate(() => answer(Buffer.from('b')))
      return down()
    },
    { hedges: true },
  )
  await one.begin()
  expect(shown(one)).toEqual(['b:s1,s2', 'c:s3'])
})

test('keeps instances available when a client disconnects', async () => {
  const client = new AbortController()
  const { gathering: one, availability } = gathering(
    (_, _call, _ms, signal) => slow(signal).answer,
    {
      signal: client.signal,
    },
  )
  const begun = one.begin()
  client.abort()
  await expect(begun).rejects.toThrow()
  expect(availability.status('b')).toBe('available')
})

test('hedges after the 95th percentile of the latencies of the first owner', () => {
  const latencies = new Latencies()
  const before = latencies.hedgeDelay('b')
  for (let ms = 1; ms <= 100; ms++) latencies.add('b', ms)
  expect(latencies.hedgeDelay('b')).toBe(96)
  // Only the latest durations count.
  for (let i = 0; i < 100; i++) latencies.add('b', 10)
  expect(latencies.hedgeDelay('b')).toBe(10)
  expect(latencies.hedgeDelay('c')).toBe(before)
})
