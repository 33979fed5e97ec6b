// Answers over many documents ask after each 256 of them whether the client still waits.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  Canceled,
  DEFAULT_FEDERATION,
  DEFAULT_SEARCH,
  EngineFault,
  FEATURES,
  type Features,
  type SearchRequest,
} from '../../model/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { PLAIN_SIMILAR } from '../../testing/test-engine.ts'
import { importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { FoldedCache } from '../facets/index.ts'
import { SearchableView, SearchControl, type Watch } from '../jobs/index.ts'
import { SegmentCache } from '../segments/index.ts'
import { runFacetSearch } from './facet-search.ts'
import { runDigest } from './run-digest.ts'
import { runDocuments } from './run-documents.ts'
import { runExport } from './run-export.ts'
import { runFederated } from './run-federated.ts'
import { runSearch, runSearches } from './run-search.ts'
import { runSimilar } from './run-similar.ts'

const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const PAGE = { offset: 0, fields: null, retrieveVectors: false, ids: null, filter: null }

let view: SearchableView
beforeAll(async () => {
  const { settings } = applyPatch(defaultSettings(), { sortableAttributes: ['id'] })
  const index = new SmallIndex(settings)
  const documents = Array.from({ length: 512 }, (_, id) => ({ id }))
  await index.run([importOf(documents, { primaryKey: 'id' })])
  view = new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), null)
})

type Work = (count: number, watch: () => boolean) => unknown
const controlOf = (watch: () => boolean) => new SearchControl(Number.POSITIVE_INFINITY, watch)

const WORKS: readonly (readonly [string, Work])[] = [
  [
    'a digest',
    (documentsMax, watch) =>
      runDigest(view, { names: [], next: null, after: -1, documentsMax }, controlOf(watch)),
  ],
  [
    'an export',
    (count, watch) => {
      const chunk = { filter: null, after: 511 - count, bytesMax: 1 << 20, fragments: null }
      return runExport(view, chunk, NO_FEATURES, controlOf(watch))
    },
  ],
  [
    'a list',
    (limit, watch) => runDocuments(view, { ...PAGE, limit, sort: null }, NO_FEATURES, watch, null),
  ],
]

it.each(WORKS)('%s is watched', (name, work) => {
  const calls = (count: number): number => {
    let asked = 0
    work(count, () => ++asked < 0)
    return asked
  }
  // The filter is watched too.
  const before = calls(0)
  // An export counts from the first document of the index.
  const counts = name === 'an export' ? [0, 1, 256, 257, 512] : [0, 255, 256, 511, 512]
  const expected = name === 'an export' ? [0, 1, 1, 2, 2] : [0, 0, 1, 1, 2]
  expect(counts.map((count) => calls(count) - before)).toEqual(expected)
  let left = before
  expect(() => work(512, () => left-- <= 0)).toThrow(Canceled)
})

it('a sorted list is watched while its documents are ordered', () => {
  const calls = (sort: readonly string[] | null): number => {
    let asked = 0
    runDocuments(view, { ...PAGE, limit: 1, sort }, NO_FEATURES, () => ++asked < 0, null)
    return asked
  }
  expect(calls(['id:asc'])).toBeGreaterThan(calls(null))
})

describe('work that holds its thread while others wait', () => {
  let films: SearchableView
  beforeAll(async () => {
    const { settings } = applyPatch(defaultSettings(), {
      filterableAttributes: ['kind', 'size'],
      sortableAttributes: ['size'],
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
    })
    const index = new SmallIndex(settings)
    const documents = Array.from({ length: 6 }, (_, id) => ({
      id,
      title: ['river stone', 'stone', 'river'][id % 3]!,
      kind: `k${id % 2}`,
      size: id,
      _vectors: { e: [1, id] },
    }))
    await index.run([importOf(documents, { primaryKey: 'id' })])
    films = new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), null)
  })

  const request = (more: Partial<SearchRequest> = {}): SearchRequest => ({
    ...DEFAULT_SEARCH,
    q: 'river',
    ...more,
  })
  const names = {
    features: NO_FEATURES,
    requestUid: 'r',
    queryUid: null,
    queryUids: null,
    sentAt: 0,
  }
  const searchesOf = (...all: readonly SearchRequest[]) =>
    all.map((one) => ({
      indexUid: films.ref.uid,
      request: one,
      weight: 1,
      queryPosition: null,
    }))
  const federated = (watch: Watch, ...all: readonly SearchRequest[]) => {
    const job = { ...names, searches: searchesOf(...all), federation: DEFAULT_FEDERATION }
    return runFederated([films], job as never, [], watch, null)
  }
  const search = (watch: Watch, more: Partial<SearchRequest> = {}) =>
    runSearch(films, { ...names, request: request(more) } as never, [], watch, null)

  /**
   * Returns for each check of the watch what becomes of the work if others wait then: `x` it gives
   * way, `d` its answer is cut short, `.` it goes on. The checks of one ranking are one `d`.
   */
  function outcomesOf(work: (watch: Watch) => unknown): string {
    const outcomeAt = (at: number): readonly [outcome: string, checks: number] => {
      let checks = 0
      let outcome = '.'
      const late = (): void => void (outcome = 'd')
      try {
        work(Object.assign(() => false, { late, isPreempted: () => checks++ === at }))
      } catch (error) {
        if (!(error instanceof EngineFault) || error.code !== 'too_many_search_requests')
          throw error
        outcome = 'x'
      }
      return [outcome, checks]
    }
    const [, checks] = outcomeAt(-1)
    return Array.from({ length: checks }, (_, at) => outcomeAt(at)[0])
      .join('')
      .replace(/d+/g, 'd')
  }

  it.each<[string, (watch: Watch) => unknown, string]>([
    ['a search', (watch) => search(watch), 'dxxxx'],
    ['a page of three hits', (watch) => search(watch, { q: '', limit: 3 }), 'xxx'],
    ['a filter', (watch) => search(watch, { q: '', limit: 0, filter: 'size > 2' }), 'x'],
    ['facets', (watch) => search(watch, { q: '', limit: 0, facets: ['kind', 'size'] }), 'xx'],
    [
      'groups',
      (watch) => search(watch, { q: '', limit: 1, distinct: 'kind', hitsPerGroup: 2 }),
      'xxxx',
    ],
    [
      'two searches',
      (watch) => {
        const searches = searchesOf(request({ q: '', limit: 1 }), request({ q: '', limit: 1 }))
        return runSearches([films], { ...names, searches, first: 0 } as never, [], watch, null)
      },
      'xxxx',
    ],
    ['a federated search', (watch) => federated(watch, request({ q: '' })), 'xxxxxxx'],
    [
      'two queries of one index',
      (watch) => federated(watch, request({ q: 'river' }), request({ q: 'stone' })),
      'xxxdxdxxxxxx',
    ],
    [
      'similar documents',
      (watch) => {
        const asked = { ...PLAIN_SIMILAR, id: '1', embedder: 'e', limit: 3 }
        return runSimilar(films, { ...names, request: asked } as never, watch, null)
      },
      'xxx',
    ],
    [
      'a facet search',
      (watch) => {
        const asked = { facetName: 'kind', facetQuery: 'k', exhaustiveFacetCount: null }
        const job = { ...names, request: { ...asked, search: request() } }
        return runFacetSearch(films, job as never, watch, new FoldedCache(1 << 20), null)
      },
      'xx',
    ],
  ])('%s', (_, work, outcomes) => {
    expect(outcomesOf(work)).toBe(outcomes)
  })
})
