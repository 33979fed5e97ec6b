// Reads as jobs: which views they lease, what they say of shards and foreign keys, when they wait.
import { describe, expect, it } from 'vitest'
import { asIndexUid, type IndexNo } from '../../../format/ids.ts'
import {
  DEFAULT_SEARCH,
  type DocumentsMerge,
  type InstancesMerge,
  type SearchContext,
  type SimilarRequest,
} from '../../model/index.ts'
import { openManifest } from '../../store/catalog/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { MERGED_HERE_BYTES_MAX } from './limits.ts'
import { QueryService } from './query-service.ts'

const [FILMS, ACTORS, GONE] = ['films', 'actors', 'gone'].map(asIndexUid) as [never, never, never]
const CONTEXT: SearchContext = {
  requestUid: 'r',
  queryUid: null,
  features: { foreignKeys: false } as SearchContext['features'],
  signal: new AbortController().signal,
}
const FOREIGN = { ...CONTEXT, features: { foreignKeys: true } as SearchContext['features'] }
const CALLER = { key: 'k', address: 'a' }

const BOOST = { field: 'votes', function: 'log' } as const

type Job = { readonly [member: string]: unknown }
type Ran = { readonly views: string[]; readonly job: Job; readonly caller: unknown }
type Parts = ConstructorParameters<typeof QueryService>[0]

/** An engine with the indexes `films` and `actors`; films refer to actors. */
async function service(more: Partial<Parts> = {}) {
  const drawLogSalt = (): number => 1
  const options = { version: '1.0.0', upgrade: false, drawLogSalt }
  const manifest = await openManifest(new FakeDisk().mount(), options)
  const foreignKeys = [{ fieldName: 'actor', foreignIndexUid: 'actors' }]
  const settings = [
    { foreignKeys, pagination: { maxTotalHits: 7 } },
    { rankingRules: ['bm25'], boosts: [BOOST] },
  ]
  await manifest.commit(
    [FILMS, ACTORS].map((uid, i) => ({
      kind: 'index-created',
      index: manifest.takeIndex(),
      uid,
      primaryKey: null,
      at: 1,
      settings: JSON.stringify(settings[i]),
    })),
  )
  const ran: Ran[] = []
  const { indexes } = manifest.state
  const lease = (index: IndexNo) => ({ uid: indexes.get(index)!.uid })
  const views = (leases: readonly unknown[]) => leases.map((one) => (one as { uid: string }).uid)
  const searching = {
    run: async (
      first: unknown,
      job: Job,
      _: unknown,
      others: readonly unknown[],
      caller: unknown,
    ) => {
      ran.push({ views: views([first, ...others]), job, caller })
      return Buffer.from('1')
    },
    runOver: async (
      leases: readonly unknown[],
      job: Job,
      _: unknown,
      _permit: unknown,
      caller: unknown,
    ) => {
      ran.push({ views: views(leases), job, caller })
      return Buffer.from('1')
    },
  }
  const parts = {
    manifest,
    views: { lease },
    searching,
    features: () => CONTEXT.features,
    vectors: null,
    shardNames: () => null,
    ...more,
  } as unknown as Parts
  return { queries: new QueryService(parts), ran }
}
type Queries = QueryService

const facet = {
  facetName: 'f',
  facetQuery: null,
  exhaustiveFacetCount: null,
  search: DEFAULT_SEARCH,
}
const similar = { id: '1', embedder: 'e' } as SimilarRequest
const matches = { step: 'match', condition: 'c', within: null, shards: null } as const
const page = { offset: 0, limit: 1 } as never

const READS: readonly [
  string,
  (queries: Queries, context: SearchContext, uid?: never) => unknown,
][] = [
  ['search', (queries, context, uid = FILMS) => queries.search(uid, DEFAULT_SEARCH, context)],
  ['facet-search', (queries, context, uid = FILMS) => queries.facetSearch(uid, facet, context)],
  ['similar', (queries, context, uid = FILMS) => queries.similar(uid, similar, context)],
  ['foreign', (queries, context, uid = FILMS) => queries.foreign(uid, matches, context)],
  ['documents', (queries, context, uid = FILMS) => queries.documents(uid, page, context)],
  ['document', (queries, _, uid = FILMS) => queries.document(uid, '1', null, false)],
  ['fields', (queries, _, uid = FILMS) => queries.fields(uid, page)],
]

describe.each(READS)('the read %s', (kind, read) => {
  it('runs over the view of its index, and fails without one', async () => {
    const { queries, ran } = await service()
    await read(queries, CONTEXT)
    expect(ran.map(({ views, job }) => [views, job['kind'], job['shards']])).toEqual([
      [[FILMS], kind, undefined],
    ])
    await expect(read(queries, CONTEXT, GONE)).rejects.toMatchObject({ code: 'index_not_found' })
  })

  it('names all shards: those of the request, else those known here', async () => {
    const { queries, ran } = await service({ shardNames: () => ['here'] })
    await read(queries, { ...CONTEXT, shardNames: ['there'], caller: CALLER })
    const isFromElsewhere = ['similar', 'foreign', 'documents'].includes(kind)
    expect(ran[0]!.job['shards']).toEqual([isFromElsewhere ? 'there' : 'here'])
    const isOfServer = ['document', 'fields'].includes(kind)
    expect(ran[0]!.caller).toEqual(isOfServer ? undefined : CALLER)
  })

  it('knows the rules and boosts of an index, and of a missing one none', async () => {
    const { queries } = await service()
    const rules = (uid: never) => [queries.ranksByScores(uid), queries.boosts(uid)]
    expect(rules(FILMS)).toEqual([false, []])
    expect(rules(ACTORS)).toEqual([true, [BOOST]])
    expect(rules(GONE)).toEqual([false, []])
  })

  it('waits until its index is served', async () => {
    const waited: unknown[] = []
    const whenServed = async (uids: unknown): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve))
      waited.push(uids, ran.length)
    }
    const { queries, ran } = await service({ whenServed })
    await read(queries, CONTEXT)
    expect([waited, ran.length]).toEqual([[[FILMS], 0], 1])
  })
})

describe('foreign keys', () => {
  it('lead to the indexes that they name, each once, as the caller may see them', async () => {
    const { queries, ran } = await service({ features: () => FOREIGN.features })
    expect(queries.foreignUids([FILMS, FILMS, ACTORS, GONE])).toEqual([ACTORS])
    const access = (): { filter: string } => ({ filter: 'a = 1' })
    for (const given of [{}, { access }, { access: () => null }]) {
      await queries.search(FILMS, DEFAULT_SEARCH, { ...FOREIGN, ...given })
      await queries.documents(FILMS, page, { ...FOREIGN, ...given })
    }
    await queries.search(ACTORS, DEFAULT_SEARCH, FOREIGN)
    const seen = [null, 'a = 1', null].flatMap((filter, i) => {
      const foreign = [{ uid: ACTORS, isHidden: i === 2, filter }]
      return Array(2).fill([[FILMS, ACTORS], foreign])
    })
    expect(ran.map(({ views, job }) => [views, job['foreign']])).toEqual([...seen, [[ACTORS], []]])
  })

  it('are of no interest while the feature is off, or in a step of a network', async () => {
    const { queries, ran } = await service()
    await queries.search(FILMS, DEFAULT_SEARCH, CONTEXT)
    await queries.foreign(FILMS, matches, FOREIGN)
    expect(ran.map(({ views, job }) => [views, 'foreign' in job])).toEqual(
      Array(2).fill([[FILMS], false]),
    )
  })
})

describe('reads of several indexes', () => {
  const FEDERATION = {
    offset: 0,
    limit: 20,
    page: null,
    hitsPerPage: null,
    facetsByIndex: { actors: ['a'] },
    mergeFacets: null,
    distinct: null,
    showPerformanceDetails: false,
  }
  const query = (uid: never) => {
    return { indexUid: uid, request: DEFAULT_SEARCH, weight: 1, queryPosition: null }
  }
  const uids = (): (() => string) => {
    let next = 0
    return () => `q${next++}`
  }

  it('lease the view of each existing index once, also of indexes that only give facets', async () => {
    const { queries, ran } = await service({ shardNames: () => ['here'] })
    const context = { ...CONTEXT, queryUid: uids(), shardNames: ['there'], caller: CALLER }
    await queries.federatedSearch([query(FILMS), query(FILMS), query(GONE)], FEDERATION, context)
    expect(ran[0]).toMatchObject({
      views: [FILMS, ACTORS],
      caller: CALLER,
      job: { kind: 'federated', shards: ['there'], queryUids: ['q0', 'q1', 'q2'] },
    })
    await queries.multiSearch([query(FILMS), query(ACTORS)], { ...context, queryUid: uids() })
    expect(ran[1]).toMatchObject({
      views: [FILMS, ACTORS],
      job: { kind: 'searches', shards: ['here'], queryUids: ['q0', 'q1'] },
    })
    await queries.multiSearch([query(FILMS)], CONTEXT)
    await queries.search(FILMS, DEFAULT_SEARCH, CONTEXT)
    expect([ran[2]!.job['queryUids'], ran[3]!.job['queryUid']]).toEqual([null, null])
  })

  it('wait until all of them are served', async () => {
    const asked: unknown[] = []
    const whenServed = (all: unknown): null => {
      asked.push(all)
      return null
    }
    const { queries } = await service({ whenServed })
    await queries.federatedSearch([query(FILMS)], FEDERATION, FOREIGN)
    await queries.multiSearch([query(FILMS)], FOREIGN)
    await queries.mergeInstances(merge(1 + MERGED_HERE_BYTES_MAX), FOREIGN, 0)
    expect(asked).toEqual([[FILMS, ACTORS, ACTORS], [FILMS, ACTORS], [FILMS]])
  })

  const merge = (bytes: number): InstancesMerge => ({
    answers: [new Uint8Array(1), new Uint8Array(bytes - 1)].map((one) => {
      return { remote: 'b', bytes: one, isOwn: false }
    }),
    federation: FEDERATION,
    queries: [{ indexUid: FILMS, q: null, position: 0 }],
    kind: 'single',
    self: 'a',
    remoteErrors: {},
  })

  it('merge small answers here, and large ones on a thread', async () => {
    const { queries, ran } = await service()
    const damaged = { detail: { kind: 'answer', at: 0 } }
    const small = queries.mergeInstances(merge(MERGED_HERE_BYTES_MAX), CONTEXT, 0)
    await expect(small).rejects.toMatchObject(damaged)
    expect(ran).toEqual([])
    const context = { ...CONTEXT, queryUid: uids() }
    await queries.mergeInstances(merge(MERGED_HERE_BYTES_MAX + 1), context, 5)
    expect(ran[0]).toMatchObject({
      views: [FILMS],
      job: { kind: 'instances', sentAt: 5, queryUids: ['q0'] },
    })
  })

  it('show no more similar documents than a search of the index shows hits', async () => {
    const { queries, ran } = await service()
    const similar = { id: '1', sentAt: 0, examinedMax: null, showPerformanceDetails: false }
    const totals: unknown[] = []
    for (const [uid, totalMax] of [
      [FILMS, 9],
      [FILMS, 3],
      [GONE, 9],
    ] as const) {
      const whole = { answers: [], page: { offset: 0, limit: 1 }, remoteErrors: {} }
      await queries.mergeDocuments(uid, { ...whole, similar: { ...similar, totalMax } }, CONTEXT)
      const { similar: bounded } = ran.at(-1)!.job['merge'] as DocumentsMerge
      totals.push(bounded!.totalMax)
      await queries.mergeDocuments(uid, whole, CONTEXT)
      expect('similar' in (ran.at(-1)!.job['merge'] as object)).toBe(false)
    }
    expect(totals).toEqual([7, 3, 9])
  })

  it('put documents into hits over the views of these', async () => {
    const { queries, ran } = await service()
    const hydration = { answer: new Uint8Array(), indexUid: FILMS, hidden: [], found: null }
    await queries.hydrate([FILMS, ACTORS, GONE], hydration, CONTEXT)
    expect(ran[0]).toMatchObject({ views: [FILMS, ACTORS], job: { kind: 'hydration', hydration } })
  })
})
