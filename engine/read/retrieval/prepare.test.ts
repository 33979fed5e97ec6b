// Requests checked against a small index in memory: the documents, values and vectors that further steps
// get, and the order in which faults come.
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_SEARCH, type SearchRequest } from '../../model/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { type LackedVector, SearchableView, SearchControl, VectorNeeded } from '../jobs/index.ts'
import { SegmentCache } from '../segments/index.ts'
import { prepare } from './prepare.ts'

const SETTINGS = {
  searchableAttributes: ['title', 'note'],
  filterableAttributes: ['kind', 'parts'],
  sortableAttributes: ['size'],
  distinctAttribute: 'kind',
  embedders: {
    own: { source: 'userProvided', dimensions: 2 },
    made: { source: 'ollama', model: 'm', url: 'http://localhost', dimensions: 2 },
  },
} as const

let view: SearchableView
beforeAll(async () => {
  const index = new SmallIndex(applyPatch(defaultSettings(), SETTINGS as never).settings)
  const documents = [1, 2, 3, 4].map((id) => ({
    id,
    title: 't',
    kind: id % 2 === 0 ? 'a' : 'b',
    parts: [{ x: id }],
    size: id,
    _vectors: { own: null, made: null },
  }))
  await index.run([importOf(documents, { primaryKey: 'id' })])
  view = new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), null)
  view.shards = ['s', 't']
})

const lacked: LackedVector[] = []
function prepared(request: Partial<SearchRequest>, features: object = {}) {
  lacked.length = 0
  const lacksVector = (search: LackedVector): void => void lacked.push(search)
  const control = new SearchControl(
    1e9,
    Object.assign(() => false, { lacksVector }),
  )
  return prepare(view, { ...DEFAULT_SEARCH, ...request }, features as never, control)
}
const hybrid = (embedder: string, semanticRatio = 0.5) => ({
  q: 'a',
  hybrid: { embedder, semanticRatio },
})

describe('a prepared search', () => {
  it('has what its request and the settings say', () => {
    const plain = prepared({ q: 'a' })
    expect(plain).toMatchObject({ kind: 'keyword', sort: [], scope: null, distinctField: 'kind' })
    expect([plain.vector, plain.needed, plain.tree, plain.known, plain.matching]).toEqual(
      new Array(5).fill(null),
    )
    expect([plain.universe.size, plain.boosts.length]).toEqual([4, 0])
    const filter = 'kind = a'
    const found = prepared({ filter, distinct: 'parts.x', sort: ['size:desc'] })
    expect(found).toMatchObject({ distinctField: 'parts.x', sort: [{ field: 'size' }] })
    expect([found.universe.size, found.tree === null]).toEqual([2, false])
    const named = prepared({ attributesToSearchOn: ['note', 'title'] })
    expect(named.scope?.fields).toEqual([view.fieldId('title')])
  })

  it.each<[Partial<SearchRequest>, boolean, boolean]>([
    [{ facets: ['kind'] }, false, false],
    [{ facets: [{ attribute: 'kind', disjunctive: true }] }, true, false],
    [{ facets: [{ attribute: 'kind', disjunctive: false }] }, false, false],
    [{ disjunctiveFacets: ['kind'] }, true, false],
    [{ facetScope: 'match' }, false, true],
    [{ sortScope: 'match' }, false, true],
  ])('of %j keeps sets of its filter: %j; values that match: %j', (more, known, matching) => {
    const one = prepared({ filter: 'parts[x = 1]', ...more })
    expect([one.known !== null, one.matching !== null]).toEqual([known, matching])
    expect(one.known?.size ?? 1).toBeGreaterThan(0)
    expect(prepared(more).matching).toBeNull()
  })

  it('of some shards has their documents', () => {
    const of = (shards: readonly string[], filter: string | null = null) =>
      prepared({ shards, filter }).universe
    const [s, t] = [of(['s']), of(['t'])]
    expect([s.size + t.size, s.and(t).size, of([]).size, of(['s', 't']).size]).toEqual([4, 0, 0, 4])
    const a = prepared({ filter: 'kind = a' }).universe
    expect(of(['s'], 'kind = a').equals(a.and(s))).toBe(true)
    expect(of(['s'])).toBe(s)
  })
})

describe('the vector of a prepared search', () => {
  it.each<[Partial<SearchRequest>, string, boolean, boolean]>([
    [hybrid('own'), 'hybrid', false, true],
    [{ ...hybrid('own'), queryVector: null }, 'hybrid', false, false],
    [hybrid('made'), 'hybrid', true, false],
    [{ ...hybrid('made'), queryVector: null }, 'hybrid', false, false],
    [hybrid('own', 0), 'keyword', false, false],
  ])('of %j: %s; needed: %j; lacking: %j', (request, kind, needed, lacks) => {
    const one = prepared(request)
    expect([one.kind, one.vector, one.needed instanceof VectorNeeded]).toEqual([kind, null, needed])
    const embedder = request.hybrid!.embedder
    expect(lacked).toEqual(lacks ? [{ uid: view.ref.uid, embedder }] : [])
  })

  it('is the one that was sent', () => {
    const vector = Float64Array.of(1, 2)
    const one = prepared({ ...hybrid('own'), vector })
    expect([one.vector, one.needed, lacked]).toEqual([Float32Array.of(1, 2), null, []])
    expect(prepared({ ...hybrid('own', 1), vector }).kind).toBe('semantic')
  })
})

it('faults come in the order of the steps', () => {
  const faults: [Partial<SearchRequest>, string][] = [
    [{ vector: Float64Array.of(1) }, 'missing_search_hybrid'],
    [{ filter: 'a = ' }, 'invalid_search_filter'],
    [{ sort: ['size:up'] }, 'invalid_search_sort'],
    [{ q: '(a', querySyntax: 'boolean' }, 'invalid_search_q'],
    [{ attributesToSearchOn: ['size'] }, 'invalid_search_attributes_to_search_on'],
    [{ distinct: 'size' }, 'invalid_search_distinct'],
    [{ filter: 'size = 1' }, 'invalid_search_filter'],
    [{ sort: ['kind:asc'] }, 'invalid_search_sort'],
    [{ boosts: [{ field: 'title', function: 'log' }] }, 'invalid_search_boosts'],
  ]
  faults.forEach(([request, code], at) => {
    const later = Object.assign(
      {},
      ...faults
        .slice(at)
        .map(([one]) => one)
        .reverse(),
    )
    expect(() => prepared(request)).toThrow(expect.objectContaining({ code }))
    expect(() => prepared(later)).toThrow(expect.objectContaining({ code }))
  })
})
