// The whole pipeline without threads and HTTP: documents into segments on disk, and searches over
// them.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  DEFAULT_SEARCH,
  FEATURES,
  type Features,
  type SearchRequest,
} from '../../engine/model/index.ts'
import { SearchInPlace } from '../../engine/read/pool/index.ts'
import {
  applyPatch,
  defaultSettings,
  encodeSettings,
  type SettingsPatch,
} from '../../engine/settings/index.ts'
import { SEGMENTS } from '../../engine/store/catalog/index.ts'
import { RealFileSystem, randomOf } from '../../engine/store/storage/index.ts'
import type { ViewRef } from '../../engine/store/views/index.ts'
import { type DocumentsResult, IndexInPlace } from '../../engine/write/indexer/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../format/ids.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { linesOf, type MadeDocument, makeDocuments } from './data.ts'

const DOCUMENTS = 10_000
const CHUNK_BYTES_MAX = 32 << 20
const SETTINGS = {
  searchableAttributes: ['title', 'director', 'overview', 'genres'],
  filterableAttributes: ['genres', 'year', 'rating', 'inStock'],
  sortableAttributes: ['year', 'rating'],
}
const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const HOOKS = { signal: null, progress: () => undefined }

function emptyView(more: SettingsPatch = {}): ViewRef {
  const { settings } = applyPatch(defaultSettings(), { ...SETTINGS, ...more })
  return {
    index: asIndexNo(1),
    uid: asIndexUid('films'),
    sequence: 1,
    primaryKey: 'id',
    fields: [],
    settings: encodeSettings(settings),
    segments: [],
  }
}

/** Builds the segments of `lines` in `folder`. */
function indexed(folder: string, lines: Uint8Array): Promise<DocumentsResult> {
  const fs = RealFileSystem.create(folder)
  fs.makeDirectory(SEGMENTS)
  return new IndexInPlace(fs, asSegmentNo(1)).run(
    {
      kind: 'documents',
      view: emptyView(),
      operations: [
        {
          kind: 'documentAdditionOrUpdate',
          method: 'replace',
          body: { file: null, inline: lines, bytes: lines.length, documents: 0 },
          primaryKey: 'id',
          skipCreation: false,
          allowIndexCreation: true,
        },
      ],
      chunkBytesMax: CHUNK_BYTES_MAX,
    },
    HOOKS,
  )
}

const documentsFor = ({ isSmoke }: Bench): MadeDocument[] => makeDocuments(isSmoke ? 60 : DOCUMENTS)

function index(bench: Bench): Work {
  const lines = linesOf(documentsFor(bench))
  let written = 0
  return {
    operations: documentsFor(bench).length,
    bytes: lines.length,
    run: async () => {
      const folder = bench.folder()
      const { added } = await indexed(folder, lines)
      const segments = join(folder, SEGMENTS)
      written = readdirSync(segments).reduce(
        (sum, name) => sum + statSync(join(segments, name)).size,
        0,
      )
      return added
    },
    produced: () => written,
  }
}

/** Creates requests from some of the documents, so that words can be chosen from them. */
type Requests = (documents: readonly MadeDocument[]) => Partial<SearchRequest>[]

async function search(
  bench: Bench,
  requests: Requests,
  settings: SettingsPatch = {},
): Promise<Work> {
  const documents = documentsFor(bench)
  const folder = bench.folder()
  const result = await indexed(folder, linesOf(documents))
  const segments = result.segments.map((segment) => ({ ...segment, generation: 0, dead: null }))
  const ref: ViewRef = { ...emptyView(settings), fields: result.fieldsAdded, segments }
  const searching = new SearchInPlace(new RealFileSystem(folder))
  const jobs = requests(documents).map((request) => ({
    kind: 'search' as const,
    request: { ...DEFAULT_SEARCH, ...request },
    features: NO_FEATURES,
    requestUid: '',
    queryUid: null,
    sentAt: Date.now(),
  }))
  const lease = { ref, release: () => undefined }
  return {
    operations: jobs.length,
    bytes: null,
    run: async () => {
      let hits = 0
      for (const job of jobs) hits += hitsIn(await searching.run(lease, job))
      return hits
    },
    close: () => searching.close(),
  }
}

/** Counts `"id":` in an answer: a quick count of its hits. */
function hitsIn(answer: Uint8Array): number {
  let count = 0
  for (let at = answer.indexOf(0x22); at >= 0; at = answer.indexOf(0x22, at + 1)) {
    if (answer[at + 1] === 0x69 && answer[at + 2] === 0x64 && answer[at + 3] === 0x22) count++
  }
  return count
}

const QUERIES = 40

/** Titles and parts of overviews, altered by `change`. */
const queries =
  (change: (text: string) => string, more: Partial<SearchRequest> = {}): Requests =>
  (documents) => {
    const random = randomOf(37)
    return Array.from({ length: QUERIES }, (_, i) => {
      const { title, overview } = documents[random.below(documents.length)]!
      const words = i % 3 === 0 ? overview.split(' ').slice(2, 5).join(' ') : title
      return { ...more, q: change(words) }
    })
  }

const misspelt = (text: string): string =>
  text.replace(/([a-z]{2})([a-z])([a-z])([a-z]+)/gi, '$1$3$2$4')

export const PIPELINE_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'pipeline/index',
    about: '10,000 documents into segments',
    operation: 'document',
    prepare: index,
  },
  {
    name: 'pipeline/words',
    about: 'searches for several words',
    operation: 'search',
    prepare: (bench) =>
      search(
        bench,
        queries((text) => text),
      ),
  },
  {
    name: 'pipeline/typing',
    about: 'the last word half typed',
    operation: 'search',
    prepare: (bench) =>
      search(
        bench,
        queries((text) => text.slice(0, -3)),
      ),
  },
  {
    name: 'pipeline/typos',
    about: 'words misspelt',
    operation: 'search',
    prepare: (bench) => search(bench, queries(misspelt)),
  },
  {
    name: 'pipeline/common',
    about: 'the most frequent words',
    operation: 'search',
    prepare: (bench) =>
      search(bench, (documents) => {
        const counts = new Map<string, number>()
        for (const { overview } of documents)
          for (const word of overview.split(/\W+/)) counts.set(word, (counts.get(word) ?? 0) + 1)
        const frequent = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
        return Array.from({ length: QUERIES }, (_, i) => ({
          q: `${frequent[i]} ${frequent[i + 1]}`,
        }))
      }),
  },
  {
    name: 'pipeline/any-words',
    about: 'any of fourteen words, by bm25',
    operation: 'search',
    prepare: (bench) =>
      search(
        bench,
        (documents) => {
          const random = randomOf(41)
          return Array.from({ length: QUERIES }, () => {
            const { overview } = documents[random.below(documents.length)]!
            return { q: overview.split(' ').slice(0, 14).join(' '), matchingStrategy: 'any' }
          })
        },
        { rankingRules: ['bm25'] },
      ),
  },
  {
    name: 'pipeline/browsing',
    about: 'no words: facets, a sort, pages',
    operation: 'search',
    prepare: (bench) =>
      search(bench, () =>
        Array.from({ length: QUERIES }, (_, i) => ({
          facets: ['genres', 'year'],
          sort: ['rating:desc'],
          offset: i,
        })),
      ),
  },
  {
    name: 'pipeline/filtered',
    about: 'filter, sort and facets beside words',
    operation: 'search',
    prepare: (bench) =>
      search(
        bench,
        queries((text) => text.split(' ')[0]!, {
          filter: 'genres = Drama AND year > 1980',
          sort: ['rating:desc'],
          facets: ['genres', 'year'],
        }),
      ),
  },
]
