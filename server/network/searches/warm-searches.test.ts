// Searches that prepare search threads: which run, and when they end.
import { describe, expect, it } from 'vitest'
import { type Engine, EngineFault, type Network } from '../../../engine/index.ts'
import { WARM_DOCUMENTS_MIN, WARM_MS_MAX, WARM_ROUNDS, WARM_THREADS } from '../calls/limits.ts'
import { warmSearches } from './warm-searches.ts'

const network = {
  self: 'a',
  leader: 'a',
  remotes: new Map(),
  shards: new Map([
    ['s1', { remotes: ['a'] }],
    ['s2', { remotes: ['b'] }],
    ['s3', { remotes: ['b', 'a'] }],
  ]),
} as unknown as Network

type Search = {
  readonly indexUid: string
  readonly place: unknown
  readonly request: { readonly q: string; readonly shards: readonly string[] }
}
type Given = {
  readonly fails?: Error
  readonly hits?: readonly object[]
  readonly uids?: readonly string[]
  /** Indexes that cannot be searched, with the error. */
  readonly broken?: { readonly [uid: string]: Error }
}

function engineWith(estimatedTotalHits: number, given: Given = {}) {
  const {
    fails,
    hits = [{ id: 1, title: 'red green blue' }],
    uids = ['films'],
    broken = {},
  } = given
  const ran: Search[] = []
  const contexts: unknown[] = []
  const first: unknown[] = []
  let running = 0
  let runningMax = 0
  const engine = {
    administration: { features: { vectorStore: true } },
    topology: { indexUids: () => uids },
    queries: {
      search: async (uid: string, request: { readonly limit: number }, context: unknown) => {
        first.push([uid, request.limit])
        contexts.push(context)
        if (broken[uid] !== undefined) throw broken[uid]
        return Buffer.from(JSON.stringify({ hits, estimatedTotalHits }))
      },
      federatedSearch: async ([search]: readonly Search[], part: unknown, context: unknown) => {
        ran.push(search!)
        contexts.push(context)
        expect(part).toMatchObject({ merger: { by: 'self', form: 'partial' } })
        runningMax = Math.max(runningMax, ++running)
        await Promise.resolve()
        running--
        if (fails !== undefined) throw fails
      },
    },
  }
  return { engine: engine as unknown as Engine, ran, contexts, first, runningMax: () => runningMax }
}

const always = { signal: new AbortController().signal, now: () => 0 }
const canceled = (): Error => Object.assign(new Error('gone'), { name: 'Canceled' })

describe('searches before shards are served', () => {
  it('run on several threads, for the shards of this instance', async () => {
    const { engine, ran } = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(engine, network, always)
    expect(ran).toHaveLength(WARM_ROUNDS * WARM_THREADS)
    for (const { request } of ran) expect(request.shards).toEqual(['s1', 's3'])
    for (const one of ran) expect(one).toMatchObject({ indexUid: 'films', place: null })
    // Each thread begins without words, and continues with one to three words in a row.
    const texts = ran.map(({ request }) => request.q)
    const cycle = ['red', 'green blue', 'blue']
    const rest = Array.from({ length: texts.length - 2 }, (_, i) => cycle[(i + 2) % 3])
    expect(texts).toEqual(['', '', ...rest])
  })

  it('run side by side, as searches of a client of this instance', async () => {
    const { engine, contexts, first, runningMax } = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(engine, network, always)
    expect(runningMax()).toBe(WARM_THREADS)
    expect(first).toEqual([['films', 10]])
    expect(contexts).toHaveLength(1 + WARM_ROUNDS * WARM_THREADS)
    for (const context of contexts) {
      expect(context).toMatchObject({
        queryUid: null,
        features: { vectorStore: true },
        shardNames: ['s1', 's2', 's3'],
      })
      expect(context).toHaveProperty('signal', always.signal)
    }
  })

  it('take words from the first texts of documents alone', async () => {
    const late = { id: 7, flag: true, title: 'a'.repeat(9_999), text: 'beyond' }
    const long = engineWith(WARM_DOCUMENTS_MIN, { hits: [late] })
    await warmSearches(long.engine, network, always)
    expect(new Set(long.ran.map(({ request }) => request.q))).toEqual(
      new Set(['', 'a'.repeat(9_999)]),
    )
    const none = engineWith(WARM_DOCUMENTS_MIN, { hits: [{ id: 7 }, { id: 8 }] })
    await warmSearches(none.engine, network, always)
    expect(none.ran).toEqual([])
  })

  it('run for each index that can be searched', async () => {
    const broken = { a: new EngineFault('index_not_found', 'no'), c: canceled() }
    const given = { uids: ['a', 'b', 'c', 'd'], broken }
    const { engine, ran, first } = engineWith(WARM_DOCUMENTS_MIN, given)
    await warmSearches(engine, network, always)
    expect(first.map((one) => (one as [string])[0])).toEqual(given.uids)
    expect(new Set(ran.map(({ indexUid }) => indexUid))).toEqual(new Set(['b', 'd']))
    expect(ran).toHaveLength(2 * WARM_ROUNDS * WARM_THREADS)
  })

  it('do not run for small indexes, or without own shards', async () => {
    const small = engineWith(WARM_DOCUMENTS_MIN - 1)
    await warmSearches(small.engine, network, always)
    expect(small.ran).toEqual([])
    const other = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(other.engine, { ...network, self: 'c' } as Network, always)
    expect(other.ran).toEqual([])
  })

  it('end when their time is over or the change ended', async () => {
    const ranUntil = async (end: number): Promise<number> => {
      let reads = 0
      const { engine, ran } = engineWith(WARM_DOCUMENTS_MIN)
      // The first reading is the beginning.
      await warmSearches(engine, network, { ...always, now: () => (reads++ === 0 ? 50 : end) })
      return ran.length
    }
    expect(await ranUntil(50 + WARM_MS_MAX)).toBe(WARM_ROUNDS * WARM_THREADS)
    expect(await ranUntil(51 + WARM_MS_MAX)).toBe(0)
    const ended = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(ended.engine, network, { ...always, signal: AbortSignal.abort() })
    expect(ended.ran).toEqual([])
  })

  it('ignore faults and aborted searches, and no other errors', async () => {
    for (const fails of [new EngineFault('internal', 'busy'), canceled()]) {
      const { engine, ran } = engineWith(WARM_DOCUMENTS_MIN, { fails })
      await warmSearches(engine, network, always)
      expect(ran).toHaveLength(WARM_ROUNDS * WARM_THREADS)
    }
    const { engine } = engineWith(WARM_DOCUMENTS_MIN, { fails: new TypeError('ours') })
    await expect(warmSearches(engine, network, always)).rejects.toThrow('ours')
  })
})
