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

type Search = { readonly request: { readonly q: string; readonly shards: readonly string[] } }

function engineWith(estimatedTotalHits: number, fails = false): { engine: Engine; ran: Search[] } {
  const ran: Search[] = []
  const answer = { hits: [{ id: 1, title: 'red green blue' }], estimatedTotalHits }
  const engine = {
    administration: { features: {} },
    topology: { indexUids: () => ['films'] },
    queries: {
      search: async () => Buffer.from(JSON.stringify(answer)),
      federatedSearch: async ([search]: readonly Search[]) => {
        ran.push(search!)
        if (fails) throw new EngineFault('internal', 'busy')
      },
    },
  }
  return { engine: engine as unknown as Engine, ran }
}

const always = { signal: new AbortController().signal, now: () => 0 }

describe('searches before shards are served', () => {
  it('run on several threads, for the shards of this instance', async () => {
    const { engine, ran } = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(engine, network, always)
    expect(ran).toHaveLength(WARM_ROUNDS * WARM_THREADS)
    for (const { request } of ran) expect(request.shards).toEqual(['s1', 's3'])
    expect(new Set(ran.map(({ request }) => request.q)).size).toBeGreaterThan(3)
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
    let now = 0
    const late = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(late.engine, network, { ...always, now: () => (now += WARM_MS_MAX) })
    expect(late.ran.length).toBeLessThan(WARM_ROUNDS * WARM_THREADS)
    const ended = engineWith(WARM_DOCUMENTS_MIN)
    await warmSearches(ended.engine, network, { ...always, signal: AbortSignal.abort() })
    expect(ended.ran).toEqual([])
  })

  it('ignore faults', async () => {
    const { engine, ran } = engineWith(WARM_DOCUMENTS_MIN, true)
    await warmSearches(engine, network, always)
    expect(ran).toHaveLength(WARM_ROUNDS * WARM_THREADS)
  })
})
