// Waiting for a task: which instances are asked, how often, and for how long.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AnswerState, IndexScope, Network } from '../../../engine/index.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { newestOf, noting, requirement } from './answer-state.ts'
import { Contained } from './contained.ts'
import type { RemoteSearch } from './network-calls.ts'
import { NETWORK } from './test-searches.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Given = {
  readonly network?: Network
  /** The network that searches use, if a change runs. */
  readonly serving?: Network
  /** Shards that this instance does not search itself, by the instance that would be asked. */
  readonly missing?: { readonly [remote: string]: readonly string[] }
  readonly isSharded?: boolean
  /** Milliseconds after which an instance contains the task; absent: never. */
  readonly after?: { readonly [remote: string]: number }
  readonly visibility?: object
  readonly lacking?: readonly string[]
}

const AT = 1_000_000
const since = (): number => Date.now() - AT

/** `asked` are the questions to owners and to the leader, with their times. */
function containedWith(given: Given) {
  vi.setSystemTime(AT)
  const { network = NETWORK, missing = {}, isSharded = true, after = {}, lacking = [] } = given
  const asked: { to: string; at: number; path: string; ms: number }[] = []
  let held = 0
  const remotes = new Map(Object.entries(missing))
  const searches = {
    parts: { now: () => Date.now(), connectMs: 100 },
    plan: () => ({ network, remotes, unowned: new Map(), isSharded }),
    room: () => {
      held++
      return { take: () => true, release: () => held-- }
    },
    call: async (remote: { url: string }, { path, ms, signal }: RemoteSearch) => {
      const to = new URL(remote.url).hostname
      asked.push({ to, at: since(), path, ms })
      if (since() >= (after[to] ?? Number.POSITIVE_INFINITY)) return Buffer.from('{}')
      if (to === 'silent') await new Promise((end) => signal!.addEventListener('abort', end))
      throw new ApiError('remote_remote_error', 'not yet')
    },
  }
  const arrived: unknown[] = []
  const visibility = {
    newest: () => asTaskUid(1),
    newestKnown: asTaskUid(9),
    confirmed: asTaskUid(-1),
    until: () => new Promise((end) => setTimeout(() => end(false), 2000)),
    arrived: (...of: unknown[]) => arrived.push(of),
    ...given.visibility,
  }
  const contained = new Contained({
    engine: {
      network: { get: () => network },
      topology: { lacking: new Set(lacking), serving: given.serving ?? network },
      visibility,
    } as never,
    send: async ({ url, headers }) => {
      const { hostname: to, pathname, search } = new URL(url)
      asked.push({ to, at: since(), path: pathname + search, ms: Object.keys(headers).length })
      return { status: 200, body: Buffer.from('{"upTo":7}') }
    },
    times: { connectMs: 1, requestMs: 1 },
    searches: searches as never,
  })
  return { contained, asked, arrived, held: () => held }
}

const wanted = (indexes: IndexScope = null) => ({ uid: asTaskUid(5), indexes: () => indexes })
const wait = (ms: number, signal = new AbortController().signal) => ({ ms, signal })

async function settled<T>(work: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(10_000)
  return work
}

describe('owners of other shards', () => {
  it('are not asked without such shards, or if documents are not divided', async () => {
    const whole = containedWith({})
    expect(await settled(whole.contained.others(wanted(), wait(100)))).toBe(true)
    const apart = containedWith({ missing: { b: ['s2'] }, isSharded: false })
    expect(await settled(apart.contained.others(wanted(), wait(100)))).toBe(true)
    expect([...whole.asked, ...apart.asked]).toEqual([])
  })

  it('are asked until one of each shard contains the task; the others are left', async () => {
    const remotes = new Map([...NETWORK.remotes, ['silent', { ...NETWORK.remotes.get('b')! }]])
    const silent = { ...NETWORK.remotes.get('b')!, url: 'http://silent' }
    const network = {
      ...NETWORK,
      remotes: remotes.set('silent', silent),
      shards: new Map([['s2', { remotes: ['b', 'silent', 'gone', 'a'] }]]),
    }
    const { contained, asked, held } = containedWith({
      network,
      missing: { b: ['s2'] },
      after: { b: 60 },
    })
    expect(await settled(contained.others(wanted(), wait(1000)))).toBe(true)
    expect(asked.map(({ to, at }) => `${to} ${at}`)).toEqual(['b 0', 'silent 0', 'b 20', 'b 60'])
    expect(held()).toBe(0)
  })

  it('are asked in longer and longer pauses, and not at the end of the time', async () => {
    const { contained, asked, held } = containedWith({ missing: { b: ['s2'] } })
    expect(await settled(contained.others(wanted(), wait(2120)))).toBe(false)
    const times = [0, 20, 60, 140, 300, 620, 1120, 1620]
    expect(asked.filter(({ to }) => to === 'b').map(({ at }) => at)).toEqual(times)
    // The instance answers at the end of the time that is left.
    expect([asked[0]!.ms, asked.at(-1)!.ms]).toEqual([2220, 600])
    expect(held()).toBe(0)
    const late = containedWith({ missing: { b: ['s2'] } })
    expect(await settled(late.contained.others(wanted(), wait(0)))).toBe(false)
    expect(late.asked).toEqual([])
  })

  it('are not asked any more for a caller that is gone', async () => {
    const gone = new AbortController()
    const { contained, asked } = containedWith({ missing: { b: ['s2'] } })
    const waiting = contained.others(wanted(), wait(1000, gone.signal))
    const refused = expect(waiting).rejects.toMatchObject({ name: 'Canceled' })
    setTimeout(() => gone.abort(), 30)
    await vi.advanceTimersByTimeAsync(1000)
    await refused
    expect(asked.filter(({ to }) => to === 'b').map(({ at }) => at)).toEqual([0, 20])
  })

  it.each<[string, IndexScope, string | null]>([
    ['all indexes', null, null],
    ['those that a key may see', () => true, null],
    ['named ones', [asIndexUid('films'), asIndexUid('books')], 'films,books'],
    ['too many to be named', [asIndexUid('i'.repeat(4097))], null],
    ['as many as fit', [asIndexUid('i'.repeat(4096))], 'i'.repeat(4096)],
  ])('are asked about %s', async (_, indexes, names) => {
    const { contained, asked } = containedWith({ missing: { b: ['s2'] }, after: { b: 0 } })
    expect(await settled(contained.others(wanted(indexes), wait(100)))).toBe(true)
    const query = new URL(asked[0]!.path, 'http://x').searchParams
    expect(query.get('indexUids')).toBe(names)
    expect([query.get('minTaskUid'), query.get('minTaskTimeout')]).toEqual(['5', '100'])
  })
})

describe('this instance asks the leader', () => {
  const member: Network = { ...NETWORK, self: 'b' }
  const times = [20, 60, 140, 300, 620, 1120, 1620]
  const asksOf = async (given: Given): Promise<readonly number[]> => {
    const { contained, asked, arrived } = containedWith({ network: member, ...given })
    expect(await settled(contained.own(wanted(), wait(2000)))).toBe(false)
    for (const { to, path } of asked) {
      expect([to, path]).toEqual(['a', '/network/arrived?remote=b'])
    }
    expect(arrived).toHaveLength(asked.length)
    expect(new Set(arrived.map((of) => JSON.stringify(of))).size).toBeLessThan(2)
    return asked.map(({ at }) => at)
  }

  it('about a task that it does not know', async () => {
    expect(await asksOf({ visibility: { newestKnown: asTaskUid(4) } })).toEqual(times)
    expect(await asksOf({ visibility: { newestKnown: asTaskUid(5) } })).toEqual([])
  })

  it('about every task while it may lack writes', async () => {
    expect(await asksOf({ lacking: ['b'] })).toEqual(times)
    expect(await asksOf({ lacking: ['c'] })).toEqual([])
  })

  it('not if it leads, has no leader, or does not know its address', async () => {
    const visibility = { newestKnown: asTaskUid(4) }
    const networks = [
      NETWORK,
      { ...member, leader: null },
      { ...member, self: null },
      { ...member, leader: 'unknown' },
    ]
    for (const network of networks) expect(await asksOf({ network, visibility })).toEqual([])
  })

  it('not if it contains the task; what it lacks counts only once the leader has said so', async () => {
    const newest = () => asTaskUid(5)
    const has = async (given: Given): Promise<boolean> => {
      const { contained } = containedWith({ network: member, ...given })
      return settled(contained.own(wanted(), wait(100)))
    }
    expect(await has({ visibility: { newest } })).toBe(true)
    expect(await has({ visibility: { newest: () => asTaskUid(4) } })).toBe(false)
    expect(await has({ visibility: { newest }, lacking: ['b'] })).toBe(false)
    const left = { network: { ...member, self: null }, serving: member, visibility: { newest } }
    expect([await has(left), await has({ ...left, lacking: ['b'] })]).toEqual([true, false])
    const confirmed = asTaskUid(5)
    expect(await has({ visibility: { newest, confirmed }, lacking: ['b'] })).toBe(true)
    expect(containedWith({ network: member }).contained.newest(null)).toBe(1)
    expect(containedWith({ network: member, lacking: ['b'] }).contained.newest(null)).toBeNull()
    const none = { newest: () => asTaskUid(-1) }
    expect(containedWith({ visibility: none }).contained.newest(null)).toBeNull()
  })
})

it('an answer notes its newest task, and asks for the one of the caller', () => {
  const noted: unknown[] = []
  const state = { minTaskUid: null, note: (uid: unknown) => noted.push(uid) }
  const { noteTask } = noting(state as unknown as AnswerState)
  for (const written of ['12', undefined, '', '1x', '-1', '12345678901']) noteTask!(written)
  expect(noted).toEqual([12, null, null, null, null, null])
  expect(noting(undefined)).toEqual({})
  expect(newestOf([null, asTaskUid(3), undefined, asTaskUid(2)])).toBe(3)
  expect(newestOf([null, undefined])).toBeNull()
  expect(requirement({ ...state, minTaskUid: asTaskUid(4) } as unknown as AnswerState)).toEqual({
    'Svc-Min-Task-Uid': '4',
    'Svc-Min-Task-Timeout': '0',
  })
  for (const none of [undefined, state as unknown as AnswerState])
    expect(requirement(none)).toEqual({})
})
