// Random conversations with the routes whose answers clients compare as text. Documents are
// written, changed and deleted, then read in every way. A model predicts the documents and the
// order of their members; schemas say which numbers are integers and which are floats.
import fc from 'fast-check'
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  anyObject,
  anything,
  isValid,
  list,
  mapOf,
  object,
  objectWith,
  type Schema,
  text,
  textLike,
} from '../../format/schema/index.ts'
import { startServer, type TestServer } from './test-server.ts'

const CONVERSATIONS = 50
const TIMEOUT_MS = 600_000

/** Numbers are read as strings with this prefix, so that the test sees how they were written. */
const SIGN = '#'
const INTEGER = textLike(/^#-?\d+$/)
const FLOAT = textLike(/^#-?\d+(\.\d+(e[+-]\d+)?|e[+-]\d+)$/)

type Value = string | number | boolean | null | readonly Value[] | { readonly [n: string]: Value }
type Doc = { readonly [name: string]: Value }
type Read = { readonly [member: string]: unknown }

const LEXEME = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const numbersAsTexts = (json: string): Read =>
  JSON.parse(json.replace(LEXEME, (all) => (all.startsWith('"') ? all : `"${SIGN}${all}"`)))

const SCORE = objectWith({ order: INTEGER }, { score: FLOAT, value: anything } as const)
const HIT_EXTRAS = {
  _rankingScore: FLOAT,
  _rankingScoreDetails: mapOf(anyObject),
  _formatted: anyObject,
} as const
const FACETS = {
  facetDistribution: mapOf(mapOf(INTEGER)),
  facetStats: mapOf(object({ min: FLOAT, max: FLOAT })),
} as const
const SEARCH = objectWith(
  { hits: list(anyObject), query: text, processingTimeMs: INTEGER, requestUid: text },
  { limit: INTEGER, offset: INTEGER, estimatedTotalHits: INTEGER, ...FACETS },
)
const FEDERATED = objectWith(
  { hits: list(anyObject), processingTimeMs: INTEGER, requestUid: text },
  { limit: INTEGER, offset: INTEGER, estimatedTotalHits: INTEGER, ...FACETS },
)
const ORIGIN = object({
  indexUid: text,
  queriesPosition: INTEGER,
  weightedRankingScore: FLOAT,
})
const DOCUMENTS = object({
  results: list(anyObject),
  offset: INTEGER,
  limit: INTEGER,
  total: INTEGER,
})
const FAULT = object({
  message: text,
  code: text,
  type: textLike(/^invalid_request$/),
  link: textLike(/^https:/),
})

const follows = (schema: Schema<unknown>, value: unknown): void => {
  expect(isValid(schema, value), JSON.stringify(value).slice(0, 2000)).toBe(true)
}

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

async function ask(method: string, path: string, body?: unknown): Promise<Read> {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
  // It costs a fraction of `fetch`.
  const answer = await request(server.url + path, {
    method: method as Dispatcher.HttpMethod,
    ...sent,
  })
  return numbersAsTexts(await answer.body.text())
}

async function write(method: string, path: string, body: unknown): Promise<void> {
  expect(await ask(method, path, body)).toHaveProperty('taskUid')
  await server.idle()
}

/** Models the content of an index by the documented rules. */
class Model {
  readonly docs = new Map<number, Doc>()
  readonly #names: string[] = []

  constructor(isKeyGiven: boolean) {
    if (isKeyGiven) this.#names.push('id')
  }

  put(doc: Doc, isPartial: boolean): void {
    const id = doc['id'] as number
    for (const name of Object.keys(doc)) if (!this.#names.includes(name)) this.#names.push(name)
    this.docs.set(id, { ...(isPartial ? this.docs.get(id) : {}), ...doc })
  }

  /**
   * Returns a document as text, its members in the order in which the index first saw their names.
   */
  text(id: number): string {
    const doc = this.docs.get(id)!
    const names = this.#names.filter((name) => name in doc)
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, doc[name]])))
  }

  numbers(name: string, among: Iterable<number> = this.docs.keys()): number[] {
    return [...among].flatMap((id) => {
      const value = this.docs.get(id)![name]
      return typeof value === 'number' ? [value] : []
    })
  }
}

const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: -500, max: 500 }).map((n) => n / 8),
)
const word = fc.constantFrom('red fox', 'blue fox', 'red', 'green owl', '12', 'ünï "x" \\')
const member = fc.oneof(
  fc.tuple(fc.constantFrom('n', 'm'), number),
  fc.tuple(fc.constantFrom('t', 'u'), word),
  fc.tuple(fc.constantFrom('o', 'tags'), fc.oneof(fc.array(word), fc.record({ b: word, a: word }))),
)
const doc = (id: number) =>
  fc
    .tuple(fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 6 }), fc.nat(6))
    .map(([members, at]): Doc => {
      const all = members as [string, Value][]
      return Object.fromEntries([...all.slice(0, at), ['id', id], ...all.slice(at)])
    })
const someDocs = (ids: readonly number[]) => fc.tuple(...ids.map(doc))

const conversation = fc.record({
  isKeyGiven: fc.boolean(),
  first: someDocs([5, 3, 8, 1]),
  more: someDocs([8, 2]),
  isPartial: fc.boolean(),
  removed: fc.constantFrom(1, 2, 3, 99),
  limit: fc.integer({ min: -40, max: 40 }),
  weight: fc.constantFrom(0, 0.5, 1, 2, 3),
  direction: fc.constantFrom('asc', 'desc'),
})

const FAULTS: readonly (readonly [path: string, body: object, code: string])[] = [
  ['search', { sort: ['_geoPolygon([1,2],[3,4],[5,6]):asc'] }, 'invalid_search_sort'],
  ['search', { sort: ['_geoRadius(1,2,3):asc'] }, 'invalid_search_sort'],
  ['search', { filter: '_foreign(t, n = 1)' }, 'feature_not_enabled'],
  ['search', { filter: 'u = 1' }, 'invalid_search_filter'],
  ['search', { facets: ['u'] }, 'invalid_search_facets'],
  ['documents/fetch', { filter: 'u = 1' }, 'invalid_document_filter'],
  ['facet-search', { facetName: 'u' }, 'invalid_facet_search_facet_name'],
  ['similar', { id: 5, embedder: 'x' }, 'invalid_similar_embedder'],
]

const idsOf = (hits: unknown): number[] =>
  (hits as Read[]).map(({ id }) => Number(String(id).slice(SIGN.length)))
const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b)
const own = (hit: Read): Read =>
  Object.fromEntries(Object.entries(hit).filter(([name]) => !name.startsWith('_')))
const floatOf = (value: unknown): number => Number(String(value).slice(SIGN.length))

/** Checks that every document matches the model, in form and order of members. */
function expectDocuments(model: Model, documents: unknown): void {
  for (const [at, id] of idsOf(documents).entries()) {
    const shown = JSON.stringify(own((documents as Read[])[at]!))
    expect(shown).toBe(JSON.stringify(numbersAsTexts(model.text(id))))
  }
}

function expectFacets(model: Model, ids: readonly number[], answer: Read): void {
  const numbers = model.numbers('n', ids)
  const stats = (answer['facetStats'] as Read)['n'] as Read | undefined
  if (numbers.length === 0) expect(stats).toBeUndefined()
  else {
    expect(floatOf(stats!['min'])).toBe(Math.min(...numbers))
    expect(floatOf(stats!['max'])).toBe(Math.max(...numbers))
  }
  const counts = (answer['facetDistribution'] as { n?: Read }).n ?? {}
  const counted = Object.entries(counts).map(([value, n]) => [Number(value), floatOf(n)])
  const expected = sorted(new Set(numbers)).map((value) => [
    value,
    numbers.filter((one) => one === value).length,
  ])
  expect(counted.sort(([a], [b]) => a! - b!)).toEqual(expected)
}

async function readInAllWays(path: string, model: Model, drawn: Drawn): Promise<void> {
  const { limit, direction } = drawn
  const all = await ask('GET', `${path}/documents?limit=50`)
  follows(DOCUMENTS, all)
  expect(sorted(idsOf(all['results']))).toEqual(sorted(model.docs.keys()))
  expectDocuments(model, all['results'])
  expectDocuments(model, [await ask('GET', `${path}/documents/5`)])
  const filter = `n <= ${limit}`
  const passing = [...model.docs.keys()].filter((id) =>
    model.numbers('n', [id]).some((n) => n <= limit),
  )
  const fetched = await ask('POST', `${path}/documents/fetch`, { filter, limit: 50 })
  follows(DOCUMENTS, fetched)
  expect(sorted(idsOf(fetched['results']))).toEqual(sorted(passing))
  expectDocuments(model, fetched['results'])
  const shown = { showRankingScore: true, showRankingScoreDetails: true, facets: ['n'] }
  const found = await ask('POST', `${path}/search`, { filter, sort: [`n:${direction}`], ...shown })
  follows(SEARCH, found)
  expectDocuments(model, found['hits'])
  expect(sorted(idsOf(found['hits']))).toEqual(sorted(passing))
  const values = model.numbers('n', idsOf(found['hits']))
  const ordered = sorted(values)
  expect(values).toEqual(direction === 'asc' ? ordered : ordered.reverse())
  expectFacets(model, passing, found)
  const highlighted = { q: 'fox', attributesToHighlight: ['*'], ...shown }
  const texts = await ask('POST', `${path}/search`, highlighted)
  follows(SEARCH, texts)
  expectDocuments(model, texts['hits'])
  for (const hit of [...(found['hits'] as Read[]), ...(texts['hits'] as Read[])]) {
    for (const [name, schema] of Object.entries(HIT_EXTRAS)) {
      if (name in hit) follows(schema, hit[name])
    }
    const details = hit['_rankingScoreDetails'] as Read
    for (const detail of Object.values(details)) {
      const { value: _, order, score } = detail as Read
      follows(SCORE, score === undefined ? { order } : { order, score })
    }
  }
}

type Drawn = typeof conversation extends fc.Arbitrary<infer T> ? T : never

async function mergedSearches(uid: string, model: Model, { weight }: Drawn): Promise<void> {
  const query = { indexUid: uid, q: 'fox', showRankingScore: true }
  const answer = await ask('POST', '/multi-search', {
    federation: { limit: 50, facetsByIndex: { [uid]: ['n'] }, mergeFacets: {} },
    queries: [query, { ...query, q: 'red', federationOptions: { weight } }],
  })
  follows(FEDERATED, answer)
  const hits = answer['hits'] as Read[]
  expectDocuments(model, hits)
  expect(new Set(idsOf(hits)).size).toBe(hits.length)
  const scores = hits.map(({ _federation }) => {
    follows(ORIGIN, _federation)
    return floatOf((_federation as Read)['weightedRankingScore'])
  })
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  expectFacets(model, idsOf(hits), answer)
}

test(
  'random conversations',
  async () => {
    let conversations = 0
    await fc.assert(
      fc.asyncProperty(conversation, async (drawn) => {
        const uid = `c${conversations++}`
        const path = `/indexes/${uid}`
        const model = new Model(drawn.isKeyGiven)
        const key = drawn.isKeyGiven ? '?primaryKey=id' : ''
        await write('PATCH', `${path}/settings`, {
          filterableAttributes: ['n'],
          sortableAttributes: ['n'],
        })
        await write('POST', `${path}/documents${key}`, drawn.first)
        for (const doc of drawn.first) model.put(doc, false)
        await write(drawn.isPartial ? 'PUT' : 'POST', `${path}/documents`, drawn.more)
        for (const doc of drawn.more) model.put(doc, drawn.isPartial)
        await write('DELETE', `${path}/documents/${drawn.removed}`, undefined)
        model.docs.delete(drawn.removed)
        await readInAllWays(path, model, drawn)
        await mergedSearches(uid, model, drawn)
        const [route, body, code] = FAULTS[conversations % FAULTS.length]!
        const fault = await ask('POST', `${path}/${route}`, body)
        follows(FAULT, fault)
        expect(fault).toMatchObject({ code })
      }),
      { numRuns: CONVERSATIONS, endOnFailure: true },
    )
  },
  TIMEOUT_MS,
)
