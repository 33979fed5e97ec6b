// The work of a search thread in place: which job gets which answer, what views and files it holds,
// and when it lets go of them.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { DEFAULT_FEDERATION, DEFAULT_SEARCH, FEATURES, type Features } from '../../model/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import type { DroppedFile } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { PLAIN_SIMILAR } from '../../testing/test-engine.ts'
import type { SearchReply } from '../jobs/protocol.ts'
import { FILMS, films, LONG } from './test-films.ts'
import { WorkerCore, type WorkerCoreOptions } from './worker-core.ts'

const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
async function core(more: Partial<WorkerCoreOptions> = {}, text = '') {
  const { disk, ref } = await films(text)
  const replies: SearchReply[] = []
  const dropped: DroppedFile[] = []
  const canceled = new Set<number>()
  const worker = new WorkerCore({
    fs: disk.mount(),
    blockBytesMax: 1 << 20,
    wallMs: () => 0,
    isCanceled: (job) => canceled.has(job),
    send: (reply) => void replies.push(reply),
    dropped: (files) => void dropped.push(...files),
    ...more,
  })
  let job = 0
  /** Returns the reply to a job over `view`. */
  const run = (request: object, view: ViewRef = ref): SearchReply => {
    const { index, sequence } = view
    const key = { index, sequence }
    worker.handle({ job: ++job, view: key, views: [key], ...request } as never)
    return replies.at(-1)!
  }
  const show = (view: ViewRef, isAhead = false): void =>
    worker.handle({ kind: 'view', view, isAhead })
  return { worker, disk, ref, run, show, replies, dropped, canceled }
}

const textOf = (reply: SearchReply): string =>
  reply.kind === 'answer' ? Buffer.from(reply.bytes).toString() : JSON.stringify(reply)

const NAMES = { features: NO_FEATURES, requestUid: 'r', queryUid: null, queryUids: null, sentAt: 0 }
const SEARCH = { kind: 'search', request: { ...DEFAULT_SEARCH, q: 'alien' }, ...NAMES }
const LIST = {
  kind: 'documents',
  request: {
    offset: 0,
    limit: 10,
    fields: ['id'],
    retrieveVectors: false,
    ids: null,
    filter: null,
    sort: null,
  },
  features: NO_FEATURES,
}
const INDEX = asIndexUid('films')
const SEVERAL = [{ indexUid: INDEX, request: SEARCH.request, weight: 1, queryPosition: null }]
const FACETS = { facetName: 'genre', facetQuery: 'w', exhaustiveFacetCount: null }

describe('a job', () => {
  it.each<[object, RegExp]>([
    [SEARCH, /"hits":\[\{"id":1,.*"id":2,/],
    [LIST, /"results":\[\{"id":1\},\{"id":2\},\{"id":3\}\]/],
    [
      { kind: 'document', id: '2', fields: ['title'], retrieveVectors: false },
      /^\{"title":"Aliens"\}$/,
    ],
    [
      {
        kind: 'facet-search',
        request: { ...FACETS, search: DEFAULT_SEARCH },
        features: NO_FEATURES,
      },
      /"facetHits":\[\{"value":"war","count":2\}\]/,
    ],
    [
      {
        kind: 'suggest',
        request: { q: 'braz', limit: 3, filter: null, attributes: null, locales: null, tags: null },
        features: NO_FEATURES,
      },
      /brazil/i,
    ],
    [
      { kind: 'similar', request: { ...PLAIN_SIMILAR, id: '1', embedder: 'e' }, ...NAMES },
      /"hits":\[\{"id":3,.*"id":2,/,
    ],
    [
      { kind: 'fields', request: { offset: 0, limit: 2, filter: null } },
      /"results":\[.*"total":[1-9]/,
    ],
    [{ kind: 'statistics', request: SEARCH.request, features: NO_FEATURES }, /\d/],
    [
      { kind: 'searches', searches: SEVERAL, first: 0, ...NAMES },
      /"indexUid":"films","hits":\[\{"id":1,/,
    ],
    [
      { kind: 'federated', searches: SEVERAL, federation: DEFAULT_FEDERATION, ...NAMES },
      /"hits":\[\{"id":1,.*"_federation"/,
    ],
  ])('%j', async (request, expected) => {
    const { run, show, ref } = await core()
    show(ref)
    expect(textOf(run(request))).toMatch(expected)
  })

  it('of an export or a digest gets bytes of all documents', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const chunk = { filter: null, after: -1, bytesMax: 1 << 20, fragments: null }
    const exported = run({ kind: 'export', chunk, features: NO_FEATURES })
    for (const { title } of FILMS) expect(textOf(exported)).toContain(title)
    const names = { names: [], next: null, after: -1, documentsMax: 100 }
    expect(run({ kind: 'digest', chunk: names })).toMatchObject({ kind: 'answer' })
  })

  it('of a warm-up gets an empty answer', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const reply = run({ kind: 'warm-up', from: 0, count: 3, keepsCode: false })
    expect(reply).toMatchObject({ kind: 'answer', bytes: new Uint8Array(0) })
  })

  it('has the reply of its number, and names no lacked vectors without any', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const reply = run(SEARCH)
    expect(reply).toMatchObject({ kind: 'answer', job: 1, degraded: false })
    expect('lackedVectors' in reply).toBe(false)
    const failed = run({ ...SEARCH, request: { ...SEARCH.request, filter: 'title = 1' } })
    expect(failed).toMatchObject({ kind: 'failed', job: 2, error: { code: /filter/ } })
  })

  it('of other instances is merged, completed or answered', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const answers = [
      { results: [{ id: 1 }], total: 1 },
      { results: [{ id: 2 }], total: 3 },
    ]
    const merge = {
      answers: answers.map((one) => Buffer.from(JSON.stringify(one))),
      page: { offset: 0, limit: 5 },
      remoteErrors: {},
    }
    expect(textOf(run({ kind: 'documents-merge', merge }))).toBe(
      '{"results":[{"id":1},{"id":2}],"offset":0,"limit":5,"total":4}',
    )
    const answer = Buffer.from(JSON.stringify({ hits: [{ id: 1, twin: 2 }] }))
    const hydration = { answer, indexUid: INDEX, hidden: [], found: null }
    expect(textOf(run({ kind: 'hydration', hydration }))).toBe('{"films":["2"]}')
    const match = { step: 'match', condition: 'genre = war', within: null, shards: null }
    expect(textOf(run({ kind: 'foreign', request: match, features: NO_FEATURES }))).toBe(
      '{"ids":["2","3"]}',
    )
    const federation = { ...DEFAULT_FEDERATION, merger: { by: 'self', form: 'partial' } }
    const part = run({ kind: 'federated', searches: SEVERAL, federation, ...NAMES })
    if (part.kind !== 'answer') throw new Error(textOf(part))
    const instances = {
      federation: DEFAULT_FEDERATION,
      queries: [{ indexUid: INDEX, q: 'alien', position: 0 }],
      kind: 'single',
      self: 'a',
      answers: [{ remote: 'a', bytes: part.bytes, isOwn: true }],
      remoteErrors: {},
    }
    expect(textOf(run({ kind: 'instances', merge: instances, ...NAMES }))).toMatch(
      /"hits":\[\{"id":1,.*"id":2,/,
    )
  })

  it('says which vectors it lacks, which it needs, and that it was cut short', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const hybrid = (semanticRatio: number) => ({
      ...SEARCH,
      request: { ...SEARCH.request, hybrid: { embedder: 'e', semanticRatio } },
    })
    expect(run(hybrid(0.5))).toMatchObject({
      kind: 'answer',
      lackedVectors: [{ uid: 'films', embedder: 'e' }],
    })
    const embedders = { e: { source: 'ollama', url: 'http://x', model: 'm', dimensions: 2 } }
    const changed = (sequence: number, patch: object): ViewRef => {
      const settings = JSON.stringify({ ...JSON.parse(ref.settings), ...patch })
      return { ...ref, settings, sequence: ref.sequence + sequence }
    }
    const other = changed(1, { embedders })
    show(other)
    expect(run(hybrid(1), other)).toEqual({
      kind: 'vector-needed',
      job: 2,
      needed: {
        query: 0,
        embedder: expect.objectContaining(embedders.e),
        cutoffMs: 1500,
        isOptional: false,
      },
    })
    const hurried = changed(2, { searchCutoffMs: 1 })
    show(hurried)
    let now = 1000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
    onTestFinished(() => clock.mockRestore())
    expect(run(SEARCH, hurried)).toMatchObject({ kind: 'answer', degraded: true })
  })

  it('that was canceled before is not started, and one is canceled at a checkpoint', async () => {
    const { run, show, ref, canceled } = await core()
    show(ref)
    canceled.add(1)
    expect(run({ ...SEARCH, request: null })).toEqual({ kind: 'canceled', job: 1 })
    expect(run(SEARCH).kind).toBe('answer')
    let asked = 0
    const later = await core({ isCanceled: () => ++asked > 1 })
    later.show(later.ref)
    expect(later.run(SEARCH)).toEqual({ kind: 'canceled', job: 1 })
  })

  it('fails if its view was never sent', async () => {
    const { run, ref } = await core()
    expect(run(SEARCH, { ...ref, sequence: 99 })).toMatchObject({
      kind: 'failed',
      error: { code: 'internal' },
    })
  })

  it('that is a part of an answer has its bytes in shared memory if they are many', async () => {
    const { run, show, ref } = await core({}, LONG)
    show(ref)
    const isShared = (request: object): boolean => {
      const reply = run(request)
      if (reply.kind !== 'answer') throw new Error(textOf(reply))
      return reply.bytes.buffer instanceof SharedArrayBuffer
    }
    const all = { ...LIST.request, fields: null }
    const listed = [
      { ...all, merger: 'self' },
      { ...all, merger: 'other' },
      all,
      { ...LIST.request, merger: 'self' },
    ].map((request) => isShared({ ...LIST, request }))
    expect(listed).toEqual([true, false, false, false])
    const federated = [{ by: 'self' }, { by: 'member' }].map((merger) =>
      isShared({
        kind: 'federated',
        searches: SEVERAL,
        federation: { ...DEFAULT_FEDERATION, merger: { ...merger, form: 'partial' } },
        ...NAMES,
      }),
    )
    expect(federated).toEqual([true, false])
  })
})

describe('a thread', () => {
  it('takes the moment of a job from its clock: documents expire between two jobs', async () => {
    const clock = { ms: 499_000 }
    const { run, show, ref } = await core({ wallMs: () => clock.ms })
    show(ref)
    const ids = () => textOf(run(SEARCH)).match(/(?<="id":)\d/g)
    expect(ids()).toEqual(['1', '2'])
    clock.ms = 501_000
    expect(ids()).toEqual(['2'])
  })

  it('applies the rules that it was sent last', async () => {
    const { worker, run, show, ref } = await core()
    show(ref)
    const features = { ...NO_FEATURES, dynamicSearchRules: true }
    const first = () => textOf(run({ ...SEARCH, features })).match(/(?<="id":)\d/)![0]
    expect(first()).toBe('1')
    const actions = { pin: [{ id: '3', position: 0 }] }
    const rule = { uid: 'r', lastUpdatedAt: 1, active: true, conditions: {}, actions }
    worker.handle({ kind: 'rules', rules: [rule] })
    expect(first()).toBe('3')
    worker.handle({ kind: 'rules', rules: [] })
    expect(first()).toBe('1')
  })

  it('forgets views and closes segments', async () => {
    const { worker, run, show, ref, dropped } = await core({}, LONG)
    const next = { ...ref, sequence: ref.sequence + 1 }
    show(ref)
    show(next)
    for (const view of [ref, next]) expect(run(SEARCH, view).kind).toBe('answer')
    expect(worker.cacheBytes.documents).toBeGreaterThan(0)
    worker.handle({ kind: 'forget', views: [ref], segments: [] })
    expect(dropped).toEqual([])
    expect(run(SEARCH, ref).kind).toBe('failed')
    expect(run(SEARCH, next).kind).toBe('answer')
    const segments = ref.segments.map(({ segment }) => segment)
    worker.handle({ kind: 'forget', views: [next], segments })
    expect(dropped.length).toBeGreaterThan(0)
    expect(run(SEARCH, next).kind).toBe('failed')
  })

  it('prepares a view ahead, however damaged it is', async () => {
    const { show, ref, disk } = await core({}, LONG)
    const reads = vi.spyOn(disk, 'enter')
    const mapped = (): number => reads.mock.calls.filter(([, on]) => on === 'map').length
    show(ref)
    expect(mapped()).toBe(0)
    show({ ...ref, sequence: ref.sequence + 1 }, true)
    expect(mapped()).toBeGreaterThan(0)
    const damaged = await core({}, LONG)
    for (const { segment, layer } of damaged.ref.segments) {
      const path = segmentPath(segment, layer)
      if (!damaged.disk.mount().exists(path)) continue
      const file = damaged.disk.mount().open(path, 'write')
      file.write(file.size() - 200, new Uint8Array(150).fill(9))
      file.close()
    }
    damaged.show(damaged.ref, true)
    expect(damaged.run(SEARCH)).toMatchObject({ kind: 'failed' })
  })

  it('closes files that have become shorter, at most every 200 ms', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    onTestFinished(() => clock.mockRestore())
    const { run, show, ref, disk } = await core({}, LONG)
    show(ref)
    expect(run(LIST).kind).toBe('answer')
    const { segment, layer } = ref.segments.find((one) => one.layer === 'documents')!
    const file = disk.mount().open(segmentPath(segment, layer), 'write')
    file.truncate(100)
    file.close()
    clock.mockReturnValue(1199)
    expect(run(LIST).kind).toBe('answer')
    clock.mockReturnValue(1200)
    expect(run(LIST)).toMatchObject({ kind: 'failed', error: { code: 'short_file' } })
  })

  it('lets go of files that it cannot map beyond a limit, and reads them again', async () => {
    const limited = await core({ loadedBytesMax: 0 }, LONG)
    limited.show(limited.ref)
    const answers = [1, 2].map(() => textOf(limited.run(SEARCH)))
    expect(limited.dropped.length).toBeGreaterThan(1)
    const { run, show, ref, dropped } = await core({}, LONG)
    show(ref)
    const usual = textOf(run(SEARCH))
    const hits = (answer: string) => JSON.parse(answer).hits
    for (const answer of answers) expect(hits(answer)).toEqual(hits(usual))
    expect(dropped).toEqual([])
  })

  it('counts the bytes of its caches', async () => {
    const { worker, run, show, ref } = await core({}, LONG)
    expect(worker.cacheBytes).toMatchObject({ documents: 0, facets: 0, words: 0 })
    show(ref)
    run(LIST)
    run({
      kind: 'facet-search',
      request: { ...FACETS, search: DEFAULT_SEARCH },
      features: NO_FEATURES,
    })
    run(SEARCH)
    const { documents, facets, words } = worker.cacheBytes
    expect([documents, facets, words].map((bytes) => bytes > 0)).toEqual([true, true, true])
  })
})

describe('foreign keys', () => {
  it('are followed over the views that a job names', async () => {
    const { run, show, ref } = await core()
    show(ref)
    const features = { ...NO_FEATURES, foreignKeys: true }
    const filter = '_foreign(twin, genre = war)'
    const { index, sequence } = ref
    const request = { ...SEARCH.request, filter }
    const foreign = [{ uid: INDEX, isHidden: false, filter: null }]
    const job = { ...SEARCH, request, features }
    const code = (reply: SearchReply) => (reply.kind === 'failed' ? reply.error.code : reply.kind)
    const without = code(run(job))
    const within = code(run({ ...job, foreign, others: [{ index, sequence }] }))
    expect([without, within]).toEqual(['invalid_search_filter', 'answer'])
    expect(code(run({ ...job, foreign, others: [{ index, sequence: 99 }] }))).toBe('internal')
  })
})
