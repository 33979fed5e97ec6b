// The form in which searches are sent to other instances.
import { expect, it } from 'vitest'
import {
  DEFAULT_FEDERATION,
  DEFAULT_SEARCH,
  type Federation,
  type SearchRequest,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import {
  federationBody,
  filterValue,
  wireFederation,
  wireQuery,
  withShards,
} from './wire-search.ts'

it.each<[Partial<SearchRequest>, object]>([
  [{}, {}],
  [{ q: 'x' }, { q: 'x' }],
  [{ offset: 1, limit: 2, page: 3, hitsPerPage: 4, countTotal: true }, {}],
  [{ facets: ['a'], useNetwork: true, showPerformanceDetails: true }, {}],
  [{ queryNumber: 3, isForModel: true, facetValuesByCount: 2, shards: ['s'] }, {}],
  [{ cropLength: 10, cropMarker: '…' }, {}],
  [
    { cropLength: 11, retrieveVectors: true },
    { cropLength: 11, retrieveVectors: true },
  ],
  [{ filter: 'a = 1' }, { filter: 'a = 1' }],
  [{ filter: Buffer.from('["a = 1"]') }, { filter: ['a = 1'] }],
  [{ vector: Float64Array.of(1, 2) }, { vector: [1, 2] }],
  // The embedder of this instance has computed it.
  [{ vector: null, queryVector: Float32Array.of(0.5) }, { vector: [0.5] }],
  [{ vector: Float64Array.of(1), queryVector: null }, { vector: [1] }],
])('%j is sent as %j', (request, members) => {
  const search = { indexUid: asIndexUid('films'), request: { ...DEFAULT_SEARCH, ...request } }
  const options = { weight: 2, queryPosition: null }
  expect(wireQuery({ ...search, ...options }, null, false)).toEqual({
    indexUid: 'films',
    ...members,
    federationOptions: { weight: 2, queryPosition: 0 },
  })
})

it.each([
  [null, null, null],
  ['a = 1', null, 'a = 1'],
  [null, ['s"1', 's2'], '_shard IN ["s\\"1", "s2"]'],
  [undefined, ['s'], '_shard IN ["s"]'],
  ['a = 1', ['s'], ['_shard IN ["s"]', 'a = 1']],
  [['a = 1', ['b = 2', 'c = 3']], ['s'], ['_shard IN ["s"]', 'a = 1', ['b = 2', 'c = 3']]],
])('%j within %j is %j', (filter, shards, expected) => {
  expect(withShards(filter, shards)).toEqual(expected)
  expect(filterValue(filter)).toEqual(filter)
})

const FEDERATION: Federation = {
  ...DEFAULT_FEDERATION,
  offset: 5,
  limit: 10,
  mergeFacets: { maxValuesPerFacet: 2 },
  showPerformanceDetails: true,
}

it.each<[Partial<Federation>, object]>([
  [{}, { offset: 0, limit: 15 }],
  [{ page: 3 }, { page: 1, hitsPerPage: 60 }],
  [{ countTotal: true }, { page: 1, hitsPerPage: 15 }],
  [
    { countTotal: true, page: 2, hitsPerPage: 4 },
    { page: 1, hitsPerPage: 8 },
  ],
  [{ hitsPerPage: 7 }, { page: 1, hitsPerPage: 7 }],
  [
    { page: 3, hitsPerPage: 7 },
    { page: 1, hitsPerPage: 21 },
  ],
  [
    { page: 1, hitsPerPage: 0 },
    { page: 1, hitsPerPage: 0 },
  ],
  [{ distinct: 'a' }, { offset: 0, limit: 15, distinct: 'a' }],
  [{ facetsByIndex: { f: ['a'] } }, { offset: 0, limit: 15, facetsByIndex: { f: ['a'] } }],
])('a window of %j is requested as %j', (federation, body) => {
  expect(federationBody({ ...FEDERATION, ...federation })).toEqual(body)
  const whole = wireFederation({ ...FEDERATION, ...federation })
  expect(whole).toMatchObject({ showPerformanceDetails: false, mergeFacets: null })
})
