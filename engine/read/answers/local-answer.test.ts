// The partial answer of an index: which ids, keys, values and counts other instances receive. Views are
// as small as the answer needs.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { DEFAULT_SEARCH } from '../../model/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { SearchControl, StepTimes } from '../jobs/index.ts'
import type { PlacedHit, QueryPlan } from '../retrieval/index.ts'
import { isShown, LocalAnswer, QueryHits, RankedHits } from './local-answer.ts'
import { receivedNumber, sentKey, sentNumber, sentSort, sentText } from './sent-number.ts'

const uid = asIndexUid('shop')
const viewOf = (displayedAttributes: readonly string[] | null = null) =>
  ({
    ref: { uid, primaryKey: 'id' },
    settings: { ...defaultSettings(), displayedAttributes },
    search: { fields: ['id', 'name'] },
    fieldId: () => null,
    view: {
      externalId: (id: number) => (id === 9 ? null : Buffer.from(`x${id}`)),
      record: () => null,
      layer: () => [],
      live: () => IdSet.range(0, 5),
    },
  }) as never

type Given = {
  readonly query?: Partial<QueryPlan>
  readonly displayed?: readonly string[]
  readonly values?: { readonly [id: number]: readonly string[] } | null
  readonly facets?: { readonly [field: string]: { readonly [id: number]: readonly string[] } }
}
const valuesFrom = (all: { readonly [id: number]: readonly string[] }) =>
  ({ of: (id: number) => all[id] ?? [] }) as never

function hitsOf({ displayed, facets = {}, query = {}, values = null }: Given): QueryHits {
  const plan = {
    request: { ...DEFAULT_SEARCH, hybrid: { embedder: 'e', semanticRatio: 0.75 } },
    prepared: { kind: 'keyword', distinctField: 'color', sort: [] },
    weight: 2,
    position: 3,
    origin: null,
    step: '',
    ...query,
  } as unknown as QueryPlan
  return new QueryHits(
    viewOf(displayed),
    plan,
    null,
    values === null ? null : valuesFrom(values),
    null,
    null,
    Object.entries(facets).map(([field, all]) => ({ field, values: valuesFrom(all) })),
  )
}
const words: PlacedHit = { id: 1, scores: [{ kind: 'words', rank: 1, max: 2 }] }
const near: PlacedHit = { id: 2, scores: [{ kind: 'vectorSort', similarity: 0.5 }] }
const hidden = { remote: null, detail: 'all', hidesValues: true } as const

describe('a hit', () => {
  it('has its external id, or a pseudonym if the id is not shown', () => {
    const shown = hitsOf({})
    expect([words, { id: 9, scores: [] }].map((hit) => shown.externalIdOf(hit))).toEqual(['x1', ''])
    const own = hitsOf({ displayed: ['id'], query: { origin: hidden } })
    expect(own.externalIdOf(words)).toBe('x1')
    const other = hitsOf({ displayed: ['name'], query: { origin: hidden } })
    expect(other.externalIdOf(words)).toMatch(/^[\w-]{43}$/)
  })

  it.each<[string, Partial<QueryPlan>, PlacedHit, number]>([
    ['words', {}, words, 1],
    ['words of a hybrid search', { prepared: { kind: 'hybrid' } as never }, words, 1],
    ['words of a shared search', { isShared: true }, words, 1],
    [
      'words of a shared hybrid search',
      { isShared: true, prepared: { kind: 'hybrid' } as never },
      words,
      0.25,
    ],
    [
      'a vector of a shared hybrid search',
      { isShared: true, prepared: { kind: 'hybrid' } as never },
      near,
      0.75,
    ],
  ])('by %s is merged by its weighted score', (_, query, hit, score) => {
    const key = hitsOf({ query }).keyOf(hit)
    expect(key).toEqual({ parts: [{ kind: 'score', score }], score: 1, position: 3 })
  })

  it('sends the values of facets and of the distinct field, but not those that it hides', () => {
    const given: Given = {
      values: { 1: ['=red'], 2: ['=red', '#5', '#9007199254740993'], 3: [] },
      facets: { size: { 1: ['#4'] }, secret: { 1: ['=s'] } },
    }
    const of = (more: Given, id: number) =>
      hitsOf({ ...given, ...more }).valuesOf({ id, scores: [] })
    expect(of({}, 1)).toEqual({ size: 4, secret: 's', color: 'red' })
    expect(of({}, 2)).toEqual({ color: ['red', 5, { whole: '9007199254740993' }] })
    expect([of({}, 3), of({ values: null, facets: {} }, 1)]).toEqual([null, null])
    const some = { displayed: ['size'], query: { origin: hidden } }
    expect(of(some, 1)).toEqual({ size: 4 })
    expect(of({ ...some, displayed: ['secret', 'color'] }, 1)).toEqual({
      secret: 's',
      color: 'red',
    })
    const plain = { distinctField: null, sort: [] }
    expect(of({ query: { prepared: plain as never } }, 2)).toBeNull()
  })

  it.each<[QueryPlan['origin'], PlacedHit, object]>([
    [null, words, {}],
    [{ remote: 'r', detail: 'beside', hidesValues: false }, words, { _federation: {} }],
    [
      { remote: 'r', detail: 'place', hidesValues: false },
      { ...words, scale: 0.5 },
      {
        _federation: {
          indexUid: 'shop',
          queriesPosition: 3,
          weightedRankingScore: 0.5,
          remote: 'r',
        },
      },
    ],
    [
      { remote: 'r', detail: 'all', hidesValues: false },
      { ...near, pin: 4 },
      {
        _federation: {
          indexUid: 'shop',
          queriesPosition: 3,
          weightedRankingScore: 1,
          weightedScoreValues: [],
          extra_document: { color: 'red' },
          pinnedPosition: 4,
          semantic: true,
        },
      },
    ],
  ])('with the origin %j shows it', (origin, hit, expected) => {
    const out = new JsonBuffer()
    const at = hitsOf({ query: { origin }, values: { 2: ['=red'] } }).write(hit, out)
    const text = Buffer.from(out.view()).toString()
    expect(JSON.parse(text)).toEqual(expected)
    expect(at).toBe(origin === null ? -1 : text.indexOf('{', 1))
  })
})

it('a list of hits has their properties by position, and a part of it as well', () => {
  const of = hitsOf({ values: { 1: ['=a'], 2: ['=b'] } })
  const list = new RankedHits(of, [words, { ...near, pin: 7 }, { id: 3, scores: [] }])
  const shown = (hits: RankedHits) =>
    Array.from({ length: hits.length }, (_, at) => [
      hits.documentAt(at),
      hits.pinAt(at),
      hits.isSemanticAt(at),
      hits.distinctAt(at),
      hits.externalIdAt(at),
      hits.indexUidAt(),
      hits.valuesAt(at),
      hits.keyAt(at).score,
    ])
  const all = [
    [1, null, false, ['=a'], 'x1', uid, { color: 'a' }, 1],
    [2, 7, true, ['=b'], 'x2', uid, { color: 'b' }, 1],
    [3, null, false, [], 'x3', uid, null, 2],
  ]
  expect(shown(list)).toEqual(all)
  expect(shown(list.only([2, 0]))).toEqual([all[2], all[0]])
  expect(new RankedHits(hitsOf({}), [words]).distinctAt(0)).toEqual([])
})

it('hits show a field if it, or a field around it, is displayed', () => {
  const of = (names: readonly string[] | null, field: string) => isShown(viewOf(names), field)
  expect([of(null, 'a'), of(['a'], 'a'), of(['a'], 'a.b'), of(['a.b'], 'a'), of([], 'a')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

describe('the answer of an index', () => {
  const of = hitsOf({ values: { 1: ['=a'] } })
  const found = {
    hits: new RankedHits(of, [words, near]),
    skipped: 4,
    pinned: new RankedHits(of, [{ ...words, pin: 0 }]),
    degraded: true,
    candidates: IdSet.of([1, 2, 3, 4]),
    rejected: [3],
    of,
    candidatesWithout: () => null,
  }
  const answerOf = (more: object = {}, plan: object = {}) => {
    const times = new StepTimes()
    const controlFor = () => new SearchControl(1e9, () => false)
    const query = { request: DEFAULT_SEARCH, prepared: { matching: null }, origin: null }
    const all = { facets: null, queries: [query], times, controlFor, distinctField: null, ...plan }
    return new LocalAnswer(viewOf(), all as never, { ...found, ...more } as never)
  }

  it('counts candidates without those that another hit represents', () => {
    const answer = answerOf()
    expect([answer.total([]), answer.total([0]), answer.total([0, 1])]).toEqual([3, 2, 1])
    expect(answerOf({ rejected: [] }).total([])).toBe(4)
    expect([answer.indexUid, answer.skipped, answer.degraded]).toEqual([uid, 4, true])
    expect([answer.hits, answer.pinned]).toEqual([found.hits, found.pinned])
  })

  it('sends its documents with their values, unless there are too many or several queries', () => {
    expect(answerOf().representatives(4)).toEqual([
      ['x1', { color: 'a' }],
      ['x2', {}],
      ['x3', {}],
      ['x4', {}],
    ])
    expect(answerOf().representatives(3)).toBeNull()
    expect(answerOf({ of: null }).representatives(4)).toBeNull()
  })

  it('has facets if they were requested', () => {
    expect(answerOf().facets([])).toBeNull()
    const none = { distribution: new Map(), stats: new Map(), counted: new Map() }
    expect(answerOf({}, { facets: [] }).facets([])).toEqual(none)
  })
})

describe('a number that is sent', () => {
  const large = 2n ** 60n + 1n
  it.each([
    [1.5, 1.5, 'number:1.5'],
    [large, { whole: String(large) }, `number:${large}`],
    [-large, { whole: `-${large}` }, `number:-${large}`],
  ])('%s is %j', (value, sent, key) => {
    expect(sentNumber(value)).toEqual(sent)
    expect(sentSort(value)).toEqual(sent)
    expect(receivedNumber(sent)).toBe(value)
    expect([sentText(sent), sentKey(sent)]).toEqual([key.slice(7), key])
  })

  it.each([null, 'a', true, {}, { whole: 5 }, { whole: '12' }, { whole: '1e20' }, { whole: '' }])(
    '%j is not one',
    (sent) => expect(receivedNumber(sent)).toBeNull(),
  )

  it('is told from texts', () => {
    expect(['5', true, null].map(sentKey)).toEqual(['string:5', 'boolean:true', 'object:null'])
    expect([sentSort('a'), sentSort(null)]).toEqual(['a', null])
  })
})
