// The attacks: their requests, keys and allowed answers.
import { MiB } from '../../format/bytes/index.ts'
import { pause } from './ask.ts'
import type { Attack, HostileClient, Outcome, Sizes } from './hostile-attack.ts'
import { BOOKS, LEFT, RIGHT } from './hostile-library.ts'
import {
  blanks,
  brotlied,
  costlyFilters,
  emptyArrays,
  emptyObjects,
  filtered,
  filteredQueries,
  gzipped,
  listTemplate,
  longTags,
  longTemplate,
  manyTemplates,
  sameQueries,
  smallQueries,
  wideLists,
  worstShapes,
  wrongTemplate,
} from './hostile-payloads.ts'
import { type Post, posting } from './hostile-posting.ts'
import {
  badChunks,
  pipelined,
  rapidReset,
  silent,
  slowReader,
  slowWriter,
  twoHosts,
} from './hostile-sockets.ts'

const SEARCH = `/indexes/${BOOKS}/search`
const FACETS = `/indexes/${BOOKS}/facet-search`
const ABSENT = '/indexes/absent/search'
const MULTI = '/multi-search'
const RENDER = '/render-template'
const SECOND_MS = 1000
/** The longest answers that the server promises: any, and an error. */
const ANSWER_BYTES_MAX = 128 * MiB + 1024
const MESSAGE_BYTES_MAX = 200_000
const NOTHING = new Uint8Array(0)

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** Refused: invalid or too large, or no capacity. A client that still writes may be cut. */
const REFUSED: readonly Outcome[] = [400, 413, 503, 'cut', 'unanswered']
/** A body that is small enough to be read gets the error for an absent index. */
const REFUSED_OR_ABSENT: readonly Outcome[] = [...REFUSED, 404]
/** Answered, possibly in part, refused for its cost, or turned away. */
const ANSWERED: readonly Outcome[] = [200, 400, 408, 413, 429, 503, 'unanswered']
/** The client neither finishes nor disconnects. */
const WAITED: readonly Outcome[] = [400, 408, 413, 503, 'cut', 'unanswered']

const posts = (make: (sizes: Sizes) => readonly Post[]): ((sizes: Sizes) => HostileClient) => {
  return (sizes) => posting(make(sizes))
}

const some = (count: number, { share }: Sizes): number => Math.max(10, Math.round(count * share))

/** The same filter as a search, a facet search, a multi-search and a federated one. */
const filters = (
  name: string,
  sends: string,
  make: (count: number) => string,
  count: number,
): Attack => ({
  name,
  item: 3,
  sends,
  wants: ANSWERED,
  role: 'search',
  connections: 3,
  client: posts((sizes) => {
    const filter = make(some(count, sizes))
    const quarter = make(some(count / 4, sizes))
    return [
      { path: SEARCH, body: filtered(filter) },
      { path: FACETS, body: filtered(filter, { facetName: 'kind', facetQuery: 'b' }) },
      { path: MULTI, body: filteredQueries(quarter, 4, false) },
      { path: MULTI, body: filteredQueries(quarter, 4, true) },
    ]
  }),
})

const UNPACKING: readonly Attack[] = [
  {
    name: 'gzip-filter-arrays',
    item: 1,
    sends: '{"filter":[[],[],…]} of 99 MB in 96 KB of gzip',
    wants: REFUSED_OR_ABSENT,
    role: 'search',
    connections: 2,
    client: posts(({ unpackedBytes }) => [
      { path: ABSENT, body: gzipped(emptyArrays(unpackedBytes)), encoding: 'gzip' },
    ]),
  },
  {
    name: 'gzip-queries',
    item: 1,
    sends: '{"queries":[{"indexUid":"x"},…]} of 99 MB in gzip, six at once',
    wants: REFUSED_OR_ABSENT,
    role: 'search',
    connections: 6,
    client: posts(({ unpackedBytes }) => [
      { path: MULTI, body: gzipped(smallQueries(unpackedBytes)), encoding: 'gzip' },
    ]),
  },
  {
    name: 'brotli-filter-objects',
    item: 1,
    sends: '{"filter":[{},{},…]} of 99 MB in 700 bytes of brotli',
    wants: REFUSED_OR_ABSENT,
    role: 'search',
    connections: 2,
    client: posts(({ unpackedBytes }) => [
      { path: ABSENT, body: brotlied(emptyObjects(unpackedBytes)), encoding: 'br' },
    ]),
  },
  {
    name: 'brotli-documents',
    item: 1,
    sends: 'blanks of 99 MB in 100 bytes of brotli, as documents',
    wants: [202, ...REFUSED],
    role: 'documents',
    connections: 4,
    client: posts(({ unpackedBytes }) => [
      {
        path: `/indexes/${LEFT}/documents`,
        body: brotlied(blanks(unpackedBytes)),
        encoding: 'br',
      },
    ]),
  },
  {
    name: 'plain-queries',
    item: 1,
    sends: '8.5 MB of 500,000 queries',
    wants: REFUSED_OR_ABSENT,
    role: 'search',
    connections: 2,
    client: posts(({ plainBytes }) => [
      { path: MULTI, body: smallQueries(Math.floor(plainBytes * 0.86)) },
    ]),
  },
  {
    name: 'worst-shapes',
    item: 1,
    sends: 'plain bodies of 9.9 MB: small arrays, keys, numbers, depth, escapes, words',
    wants: [...ANSWERED, 'cut'],
    role: 'search',
    connections: 4,
    client: posts(({ plainBytes }) =>
      worstShapes(plainBytes).map(([name, body]) => ({
        path: name === 'many queries' ? MULTI : SEARCH,
        body,
      })),
    ),
  },
]

const CONNECTIONS: readonly Attack[] = [
  {
    name: 'brotli-silent',
    item: 2,
    sends: '161 bytes of brotli that unpack to 100 MB, unfinished, then silence',
    wants: WAITED,
    waits: true,
    role: 'search',
    connections: 60,
    client: ({ unpackedBytes }) => silent(SEARCH, 'br', brotlied(blanks(unpackedBytes))),
  },
  {
    name: 'gzip-silent',
    item: 2,
    sends: '96 KB of gzip that unpack to 100 MB, unfinished, then silence',
    wants: WAITED,
    waits: true,
    role: 'search',
    connections: 60,
    client: ({ unpackedBytes }) => silent(SEARCH, 'gzip', gzipped(blanks(unpackedBytes))),
  },
  {
    name: 'slow-writers',
    item: 2,
    sends: 'a byte a second of a body',
    wants: WAITED,
    waits: true,
    role: 'search',
    connections: 1000,
    client: () => slowWriter(SEARCH),
  },
  {
    name: 'slow-readers',
    item: 2,
    sends: '4 searches for 1,000 documents each, and nothing is read',
    wants: WAITED,
    waits: true,
    role: 'search',
    connections: 1000,
    client: () => slowReader(SEARCH, Buffer.from('{"limit":1000}'), 4),
  },
  {
    name: 'large-answers-unread',
    item: 2,
    sends: 'multi-searches for 20 times 1,000 documents, and nothing is read',
    wants: WAITED,
    waits: true,
    role: 'search',
    connections: 100,
    client: () => {
      const queries = Array.from({ length: 20 }, (_, i) => ({
        indexUid: BOOKS,
        limit: 1000,
        offset: i,
        attributesToHighlight: ['*'],
      }))
      return slowReader(MULTI, Buffer.from(JSON.stringify({ queries })), 1)
    },
  },
]

const FILTERS: readonly Attack[] = [
  filters('contains', '20,000 CONTAINS, 449 KB', costlyFilters.contains, 20_000),
  filters('starts-with', '20,000 STARTS WITH', costlyFilters.startsWith, 20_000),
  filters('geo-radius', '50,000 _geoRadius', costlyFilters.radius, 50_000),
  filters('geo-box', '50,000 _geoBoundingBox', costlyFilters.box, 50_000),
  filters('ranges', '100,000 ranges', costlyFilters.ranges, 100_000),
  filters('comparisons', '100,000 comparisons', costlyFilters.more, 100_000),
  filters('in-list', 'IN with a million values', costlyFilters.list, 1_000_000),
  filters('not-in-list', 'NOT IN with 300,000 texts', costlyFilters.notList, 300_000),
  filters('negations', '100,000 negated equations', costlyFilters.negations, 100_000),
]

const rendering = (
  name: string,
  sends: string,
  make: (sizes: Sizes) => readonly Uint8Array[],
): Attack => ({
  name,
  item: 4,
  sends,
  wants: ANSWERED,
  role: 'render',
  connections: 2,
  client: posts((sizes) => make(sizes).map((body) => ({ path: RENDER, body }))),
})

const LIST_TEMPLATES = [
  '{{ doc.flat | sort | join: "," }}',
  '{{ doc.flat | uniq | size }}',
  '{{ doc.list | where: "b", 1 | size }}',
  '{{ doc.list | sort: "a" | map: "a" | reverse | join }}',
]

const TEMPLATES: readonly Attack[] = [
  rendering('many-templates', '4.3 MB of inline templates', ({ plainBytes }) => [
    manyTemplates(Math.floor(plainBytes * 0.43)),
  ]),
  rendering('long-template', 'one template of 4.3 MB', ({ plainBytes }) => [
    longTemplate(Math.floor(plainBytes * 0.43)),
  ]),
  rendering('list-templates', 'sort, uniq and where over 200,000 elements', (sizes) =>
    LIST_TEMPLATES.map((text) => listTemplate(text, some(200_000, sizes))),
  ),
]

/** Searches whose answers are expensive, or far larger than the limit. */
const answering = (
  name: string,
  sends: string,
  make: (sizes: Sizes) => readonly Post[],
  answerBytesMax = ANSWER_BYTES_MAX,
): Attack => ({
  name,
  item: 9,
  sends,
  wants: ANSWERED,
  answerBytesMax,
  role: 'search',
  connections: 3,
  client: posts(make),
})

const ALL_FACETS = { indexUid: BOOKS, q: 'b', limit: 1000, facets: ['*'] }

const ANSWERS: readonly Attack[] = [
  answering('many-facets', '1,000 searches for 1,000 hits and all facets, 60 KB', (sizes) => [
    { path: MULTI, body: sameQueries(some(1000, sizes), ALL_FACETS) },
  ]),
  answering('federated-queries', '1,000 federated searches for 1,000 hits', (sizes) => [
    {
      path: MULTI,
      body: sameQueries(
        some(1000, sizes),
        { indexUid: BOOKS, q: 'b', attributesToHighlight: ['*'] },
        { federation: { limit: 1000, facetsByIndex: { [BOOKS]: ['*'] } } },
      ),
    },
  ]),
  answering('long-tags', 'tags and crop markers of 1 MB, for 1,000 hits', ({ plainBytes }) => [
    { path: SEARCH, body: longTags(plainBytes) },
  ]),
  answering('wide-lists', 'lists of 50,000 names, and of one more', (sizes) => [
    ...wideLists(some(50_000, sizes)).map((body) => ({ path: SEARCH, body })),
    ...wideLists(some(50_001, sizes)).map((body) => ({ path: SEARCH, body })),
  ]),
  answering('wide-addresses', 'searches by GET with lists of 100 KB', (sizes) =>
    ['attributesToRetrieve', 'attributesToHighlight', 'facets', 'sort'].map((name) => ({
      method: 'GET',
      path: `${SEARCH}?q=ba&limit=1000&${name}=${Array(some(20_000, sizes)).fill('kind').join()}`,
      body: NOTHING,
    })),
  ),
  {
    ...answering(
      'echoes',
      'filters and lists that are wrong, 0.4 to 4 MB, and would be quoted',
      ({ plainBytes }) => {
        const long = 'x'.repeat(Math.floor(plainBytes * 0.4))
        const filters = [`NOT ${long}`, `_geoPolygon(${long})`, `n = 1 ${long}`, [[[long]]]]
        return [
          ...filters.map((filter) => ({ path: SEARCH, body: filtered(filter) })),
          { path: SEARCH, body: json({ sort: [long] }) },
          { path: SEARCH, body: json({ facets: [long] }) },
          { path: SEARCH, body: json({ distinct: long }) },
          { path: SEARCH, body: json({ [long]: 1 }) },
          { path: MULTI, body: json({ queries: [{ indexUid: long }] }) },
        ]
      },
      MESSAGE_BYTES_MAX,
    ),
    wants: [400, 413, 429, 503, 'unanswered'],
  },
  {
    ...answering(
      'echoed-template',
      'a template of 4 MB that is wrong',
      ({ plainBytes }) => [{ path: RENDER, body: wrongTemplate(Math.floor(plainBytes * 0.4)) }],
      MESSAGE_BYTES_MAX,
    ),
    wants: [400, 413, 503, 'unanswered'],
    role: 'render',
  },
]

const PROTOCOL: readonly Attack[] = [
  {
    name: 'two-hosts',
    item: 7,
    sends: 'requests with two Host headers',
    wants: [400, 'unanswered'],
    role: 'search',
    connections: 4,
    client: () => twoHosts(SEARCH),
  },
  {
    name: 'bad-chunks',
    item: 7,
    sends: 'chunk framing that is malformed in six ways',
    wants: [400, 'unanswered'],
    role: 'search',
    connections: 4,
    client: () => badChunks(SEARCH),
  },
  {
    name: 'pipelining',
    item: 8,
    sends: '400 searches in one go',
    wants: [200, 'cut', 'unanswered'],
    role: 'search',
    connections: 8,
    client: () => pipelined(SEARCH, 400),
  },
  {
    name: 'rapid-reset',
    item: 8,
    sends: 'HTTP/2 streams, 100 at a time, reset as soon as they are open',
    wants: ['cut', 'unanswered'],
    role: 'search',
    connections: 4,
    isSecure: true,
    client: () => rapidReset(`${SEARCH}?q=ba`),
  },
]

const TASKS: readonly Attack[] = [
  {
    name: 'task-flood',
    item: 8,
    sends: 'single documents, each a task of its own',
    wants: [202, 429, 503, 'unanswered'],
    role: 'documents',
    connections: 16,
    client: () =>
      posting([{ path: `/indexes/${LEFT}/documents`, body: json([{ id: 1, title: 'a' }]) }]),
  },
  {
    name: 'swaps',
    item: 8,
    sends: 'swaps, settings and deletions of indexes that are searched meanwhile',
    wants: [200, 202, 404, 'unanswered'],
    role: 'admin',
    connections: 6,
    client: () =>
      posting([
        { path: '/swap-indexes', body: json([{ indexes: [LEFT, RIGHT] }]) },
        { path: `/indexes/${LEFT}/search`, body: json({ q: 'ba' }) },
        {
          path: `/indexes/${RIGHT}/settings`,
          method: 'PATCH',
          body: json({ stopWords: ['ba'], filterableAttributes: ['n'] }),
        },
        { path: `/indexes/${RIGHT}/search`, body: json({ q: 'ri' }) },
        { path: `/indexes/${RIGHT}/documents`, body: json([{ id: 2, title: 'b' }]) },
        { path: `/indexes/${RIGHT}`, method: 'DELETE', body: json({}) },
        { path: `/indexes/${LEFT}/documents`, body: json([{ id: 3, title: 'ba ri' }]) },
      ]),
  },
]

/** The server without an attack on this machine, for comparison with all other figures. */
const IDLE: Attack = {
  name: 'idle',
  item: 0,
  sends: 'a request a second, an honest one',
  wants: [200, 'unanswered'],
  role: 'search',
  connections: 1,
  client: () => {
    const client = posting([{ path: SEARCH, body: json({ q: 'ba' }) }])
    return async (context) => {
      while (context.goesOn()) {
        let isSent = false
        await client({ ...context, goesOn: () => !isSent && (isSent = true) })
        await pause(SECOND_MS)
      }
    }
  },
}

export const ATTACKS: readonly Attack[] = [
  IDLE,
  ...UNPACKING,
  ...CONNECTIONS,
  ...FILTERS,
  ...TEMPLATES,
  ...ANSWERS,
  ...PROTOCOL,
  ...TASKS,
]
