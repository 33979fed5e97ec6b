// Any search over a small index, with a query, a filter or lists of any length: gives an answer
// that is JSON, or a fault of the catalogue, before the watchdog ends it. A piece of text is
// repeated up to some hundred thousand characters, which finds costs that grow faster than the
// length.
//
// Input: the part of the request, the number of repetitions (a power of two), the piece.

import {
  DEFAULT_SEARCH,
  EngineFault,
  type Features,
  type SearchRequest,
} from '../engine/model/index.ts'
import { SearchableView } from '../engine/read/jobs/searchable-view.ts'
import { runSearch } from '../engine/read/search/run-search.ts'
import { SegmentCache } from '../engine/read/segments/index.ts'
import { applyPatch, defaultSettings, encodeSettings } from '../engine/settings/index.ts'
import { apply } from '../engine/store/catalog/apply.ts'
import type { State } from '../engine/store/catalog/index.ts'
import { EMPTY_STATE } from '../engine/store/catalog/state.ts'
import { viewRef } from '../engine/store/views/index.ts'
import { documentChanges } from '../engine/write/batches/batch-changes.ts'
import { runDocuments } from '../engine/write/indexer/jobs.ts'
import { importOf, newFileSystem } from '../engine/write/indexer/test-support.ts'
import { NO_VECTOR_MAKER } from '../engine/write/vectors/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../format/ids.ts'
import type { Change } from '../format/manifest/index.ts'
import type { FuzzTarget } from './target.ts'

const INDEX = asIndexNo(1)
const TEXT_UNITS_MAX = 1 << 18
const ITEMS_MAX = 1 << 13
const FEATURES = new Proxy({} as Features, { get: () => true })

const DOCUMENTS = [
  { id: 1, title: 'The quick brown fox', text: 'over the lazy dog', year: 1990, tags: ['a', 'b'] },
  { id: 2, title: 'Harbour lights', text: '日本語の本、東京', year: 2001.5, tags: [] },
  { id: 3, title: 'harbor song', text: 'เด็กกินข้าว ខ្ញុំស្រឡាញ់ភាសា', _geo: { lat: 1, lng: 2 } },
  { id: 4, title: '我们在北京大学', text: 'Donaudampfschifffahrt', year: '1990', tags: null },
  { id: 5, title: '\u0000', text: 'a a a a a a a a', tags: ['sea', 'Sea'], nested: { deep: 'x' } },
  {
    id: 6,
    _geojson: {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [5, 5],
      ],
    },
    text: 'الكتاب',
  },
]

const settings = applyPatch(defaultSettings(), {
  filterableAttributes: ['year', 'tags', 'nested', '_geo', '_geojson'],
  sortableAttributes: ['year', 'title', '_geo'],
  synonyms: { fox: ['red dog', 'vulpes'], sea: ['ocean'] },
}).settings

let opened: SearchableView | null = null

function openIndex(): SearchableView {
  const fs = newFileSystem()
  const cache = new SegmentCache(fs, 1 << 16)
  const created = { index: INDEX, uid: asIndexUid('x'), primaryKey: null, at: 1 }
  const encoded = encodeSettings(settings)
  const empty = commit(EMPTY_STATE, [{ kind: 'index-created', ...created, settings: encoded }])
  let segment = 1
  const result = runDocuments(
    {
      kind: 'documents',
      job: 1,
      view: viewRef(empty.indexes.get(INDEX)!, empty.sequence),
      operations: [importOf(DOCUMENTS, { primaryKey: 'id' })],
      chunkBytesMax: 1 << 20,
    },
    {
      fs,
      cache,
      takeSegments: (count) => {
        segment += count
        return asSegmentNo(segment - count)
      },
      memoryBytesMax: 1 << 30,
      progress: () => undefined,
      now: () => 0,
      builders: null,
      dropped: () => undefined,
      vectorMaker: () => NO_VECTOR_MAKER,
    },
  )
  const changes = documentChanges(empty.indexes.get(INDEX), INDEX, result, (number) => number)
  const state = commit(empty, changes)
  return new SearchableView(viewRef(state.indexes.get(INDEX)!, state.sequence), cache, null)
}

const commit = (state: State, changes: readonly Change[]): State =>
  apply(state, { sequence: state.sequence + 1, checkpoint: false, changes }, (claim) => {
    throw new Error(claim)
  })

type Part = (text: string, items: readonly string[]) => Partial<SearchRequest>

const SHOWN = { attributesToHighlight: ['*'], attributesToCrop: ['*'], showMatchesPosition: true }

/**
 * The parts of a request that an input can fill. Add new parts at the end: inputs select them by
 * number.
 */
const PARTS: readonly Part[] = [
  (q) => ({ q }),
  (q) => ({ q, ...SHOWN, showRankingScoreDetails: true }),
  (filter) => ({ filter }),
  (_, filter) => ({ filter }),
  (_, items) => ({ filter: [items, items] }),
  (_, sort) => ({ sort }),
  (_, facets) => ({ facets }),
  (_, attributesToRetrieve) => ({ attributesToRetrieve }),
  (_, attributesToSearchOn) => ({ q: 'fox', attributesToSearchOn }),
  (_, attributesToHighlight) => ({ q: 'fox', attributesToHighlight }),
  (_, attributesToCrop) => ({ q: 'fox', attributesToCrop }),
  (distinct) => ({ distinct }),
  (highlightPreTag) => ({ ...SHOWN, q: 'fox a', highlightPreTag }),
  (_, locales) => ({ q: 'fox', locales }),
  (filter) => ({ filter: `tags = "${filter}"` }),
  (filter) => ({ filter: `_geoPolygon(${filter}[0,0],[0,1],[1,0])` }),
  (filter) => ({ filter: `year IN [${filter}1]` }),
  (q) => ({ q: `"${q}" fox`, matchingStrategy: 'all' }),
  (q) => ({ q: `fox -${q}`, matchingStrategy: 'frequency' }),
]

const SEEDS: readonly (readonly [part: number, power: number, piece: string])[] = [
  ...[
    'a ',
    'the quick ',
    '"',
    '(',
    ',',
    '-',
    '\u0000',
    '😀',
    'e\u0301',
    '日本語の',
    'กินข้าว',
    'ខ្ញុំ',
    'ー',
  ].flatMap((piece) => [[0, 18, piece] as const, [1, 14, piece] as const]),
  ...['(', 'NOT ', 'year = 1 OR ', 'tags EXISTS AND ', '"', '\\', ' ', 'year > 2 AND NOT '].map(
    (piece) => [2, 18, piece] as const,
  ),
  ...[3, 4].map((part) => [part, 12, 'year != 3'] as const),
  [5, 12, 'year:asc'],
  [5, 10, '_geoPoint(1,2):desc'],
  ...[6, 7, 8, 9].map((part) => [part, 12, '*t*'] as const),
  [10, 12, 'title:3'],
  [11, 18, 'a.'],
  [12, 12, '<em>'],
  [13, 12, 'jpn'],
  [14, 18, 'a\\"'],
  [15, 18, '[0,1],'],
  [16, 18, '3,'],
  [17, 12, 'fox quick '],
  [18, 12, 'fox" -"a '],
]

const utf8 = new TextEncoder()

export const target: FuzzTarget = {
  name: 'search',
  seeds: () =>
    SEEDS.map(([part, power, piece]) => Uint8Array.of(part, power, ...utf8.encode(piece))),
  run,
  allows: (error) => error instanceof EngineFault,
  inputBytesMax: 256,
  words: [
    ' OR ',
    ' AND ',
    'NOT ',
    'year',
    'tags',
    ' TO ',
    ' IN [',
    '_geoRadius(1,2,3)',
    '\\"',
    '-"',
  ],
}

function run(input: Uint8Array): void {
  const part = PARTS[(input[0] ?? 0) % PARTS.length]!
  const times = 2 ** ((input[1] ?? 0) % 19)
  const piece = new TextDecoder().decode(input.subarray(2))
  const text = piece.repeat(Math.min(times, Math.ceil(TEXT_UNITS_MAX / Math.max(1, piece.length))))
  const items = Array.from({ length: Math.min(times, ITEMS_MAX) }, () => piece)
  opened ??= openIndex()
  const request = { ...DEFAULT_SEARCH, ...part(text, items) }
  const asked = { kind: 'search', job: 1, view: { index: INDEX, sequence: 2 } } as const
  const names = { requestUid: 'r', queryUid: null, features: FEATURES, sentAt: Date.now() }
  const answer = runSearch(opened, { ...asked, ...names, request }, [], () => false, null)
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer))
}
