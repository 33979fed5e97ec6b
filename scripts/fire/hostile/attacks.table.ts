// The attacks: their requests, keys and allowed answers. Bodies are expensive to receive: packed
// ones unpack to far more, and plain ones have the worst structure for their size.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { MiB } from '../../../format/bytes/index.ts'
import {
  badChunks,
  type HostileClient,
  type Outcome,
  once,
  type Post,
  pipelined,
  posting,
  type Role,
  rapidReset,
  silent,
  slowReader,
  slowWriter,
  twoHosts,
} from './clients.ts'

export const BOOKS = 'books'
/** Indexes that are swapped, deleted and changed; not searched by the timed client. */
export const [LEFT, RIGHT] = ['left', 'right']

/** Sizes of the requests: the sizes that were found to hurt, or small ones for the test run. */
export type Sizes = {
  /** Packed bodies unpack to this many bytes. */
  readonly unpacked: number
  /** Plain bodies that stay just below the ceiling of JSON bodies. */
  readonly plain: number
  /** Counts of conditions are multiplied by this; 1 means the counts that were found to hurt. */
  readonly share: number
}

export const FULL: Sizes = { unpacked: 99_000_000, plain: 9_900_000, share: 1 }
export const SMALL: Sizes = { unpacked: 1_500_000, plain: 200_000, share: 0.02 }

export type Attack = {
  readonly name: string
  /** Attacks of one kind have the same number; 0 is the run without an attack. */
  readonly item: number
  /** Allowed answers; any other fails the attack. */
  readonly wants: readonly Outcome[]
  readonly role: Role
  readonly connections: number
  /** Prepares bodies once, before the measurement. */
  readonly client: (sizes: Sizes) => HostileClient
  /** Longest allowed answer. */
  readonly answerBytesMax?: number
  /** Its clients wait until they are stopped; other clients must be answered. */
  readonly waits?: true
  /** Over TLS, with HTTP/2. */
  readonly isSecure?: true
}

const SEARCH = `/indexes/${BOOKS}/search`
const ABSENT = '/indexes/absent/search'
const MULTI = '/multi-search'
const RENDER = '/render-template'
/** The longest answers that the server promises: any, and an error. */
const ANSWER_BYTES_MAX = 128 * MiB + 1024
const MESSAGE_BYTES_MAX = 200_000

/** Refused: invalid or too large, or no capacity. A client that still writes may be cut. */
const REFUSED: readonly Outcome[] = [400, 413, 503, 'cut', 'unanswered']
/** A body that is small enough to be read gets the error for an absent index. */
const REFUSED_OR_ABSENT: readonly Outcome[] = [...REFUSED, 404]
/** Answered, possibly in part, refused for its cost, or turned away. */
const ANSWERED: readonly Outcome[] = [200, 400, 408, 413, 429, 503, 'unanswered']
/** The client neither finishes nor disconnects. */
const WAITED: readonly Outcome[] = [400, 408, 413, 503, 'cut', 'unanswered']

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const some = (count: number, { share }: Sizes): number => Math.max(10, Math.round(count * share))
const listOf = <T>(length: number, one: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => one(i))

/** `head`, then `part` repeated up to `bytes` without its last comma, then `tail`. */
function repeated(head: string, part: string, tail: string, bytes: number): Uint8Array {
  const width = Buffer.byteLength(part)
  const room = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  const middle = Buffer.alloc(Math.max(1, Math.floor(room / width)) * width, part)
  return Buffer.concat([Buffer.from(head), middle.subarray(0, -1), Buffer.from(tail)])
}

const gzipped = (body: Uint8Array): Uint8Array => gzipSync(body, { level: 9 })
/** The largest window packs a repetition best. */
const brotlied = (body: Uint8Array): Uint8Array =>
  brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })

const blanks = (bytes: number): Uint8Array => Buffer.alloc(bytes, ' ')
const queries = (uid: string, bytes: number): Uint8Array =>
  repeated('{"queries":[', `{"indexUid":"${uid}"},`, ']}', bytes)
const filterOf = (part: string, bytes: number): Uint8Array =>
  repeated('{"filter":[', part, ']}', bytes)

/** Bodies of about that size. Each is expensive for a different part of the parser. */
function worstShapes(bytes: number): readonly Post[] {
  const depth = Math.floor(bytes / 2) - 10
  const keys = listOf(Math.floor(bytes / 13), (i) => `"k${String(i).padStart(7, '0')}":1`)
  const bodies = [
    filterOf('[],', bytes),
    filterOf('{},', bytes),
    Buffer.from(`{${keys.join()}}`),
    repeated('{"vector":[', '12345678.12345678901234567890e-7,', ']}', bytes),
    repeated('{"vector":[', '1.0,', ']}', bytes),
    Buffer.from(`{"filter":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    repeated('{"q":"', '\\ud83d\\ude00 ', '"}', bytes),
    repeated('{"q":"', 'a', '"}', bytes),
    repeated('{"q":"', 'harbour ', '"}', bytes),
    repeated('{"filter":"n = 1', ' OR n = 1', '1"}', bytes),
    filterOf('"n = 1",', bytes),
    repeated('{"attributesToHighlight":[', '"title",', ']}', bytes),
  ]
  return [
    { path: MULTI, body: queries(BOOKS, bytes) },
    ...bodies.map((body) => ({ path: SEARCH, body })),
  ]
}

type Rest = Partial<Attack>
type Posts = (sizes: Sizes) => readonly Post[]

const posts = (
  name: string,
  item: number,
  wants: readonly Outcome[],
  connections: number,
  make: Posts,
  rest: Rest = {},
): Attack => {
  const client = (sizes: Sizes): HostileClient => posting(make(sizes))
  return { name, item, wants, connections, client, role: 'search', ...rest }
}

/** Packed bodies of 99 MB, and plain ones of 9.9 MB. */
const UNPACKING: readonly Attack[] = [
  posts('gzip-filter-arrays', 1, REFUSED_OR_ABSENT, 2, ({ unpacked }) => [
    { path: ABSENT, body: gzipped(filterOf('[],', unpacked)), encoding: 'gzip' },
  ]),
  posts('gzip-queries', 1, REFUSED_OR_ABSENT, 6, ({ unpacked }) => [
    { path: MULTI, body: gzipped(queries('x', unpacked)), encoding: 'gzip' },
  ]),
  posts('brotli-filter-objects', 1, REFUSED_OR_ABSENT, 2, ({ unpacked }) => [
    { path: ABSENT, body: brotlied(filterOf('{},', unpacked)), encoding: 'br' },
  ]),
  posts(
    'brotli-documents',
    1,
    [202, ...REFUSED],
    4,
    ({ unpacked }) => [
      { path: `/indexes/${LEFT}/documents`, body: brotlied(blanks(unpacked)), encoding: 'br' },
    ],
    { role: 'documents' },
  ),
  posts('plain-queries', 1, REFUSED_OR_ABSENT, 2, ({ plain }) => [
    { path: MULTI, body: queries('x', Math.floor(plain * 0.86)) },
  ]),
  posts('worst-shapes', 1, [...ANSWERED, 'cut'], 4, ({ plain }) => worstShapes(plain)),
]

const waiting = (name: string, connections: number, client: Attack['client']): Attack => {
  return { name, item: 2, wants: WAITED, waits: true, role: 'search', connections, client }
}

/** Unfinished packed bodies and then silence, a byte a second, and answers that are not read. */
const CONNECTIONS: readonly Attack[] = [
  waiting('brotli-silent', 60, ({ unpacked }) => silent(SEARCH, 'br', brotlied(blanks(unpacked)))),
  waiting('gzip-silent', 60, ({ unpacked }) => silent(SEARCH, 'gzip', gzipped(blanks(unpacked)))),
  waiting('slow-writers', 1000, () => slowWriter(SEARCH)),
  waiting('slow-readers', 1000, () => slowReader(SEARCH, json({ limit: 1000 }), 4)),
  waiting('large-answers-unread', 100, () => {
    const search = { indexUid: BOOKS, limit: 1000, attributesToHighlight: ['*'] }
    const all = listOf(20, (offset) => ({ ...search, offset }))
    return slowReader(MULTI, json({ queries: all }), 1)
  }),
]

/** The same filter as a search, a facet search, a multi-search and a federated one. */
const filters = (name: string, count: number, make: (count: number) => string): Attack =>
  posts(name, 3, ANSWERED, 3, (sizes) => {
    const filter = make(some(count, sizes))
    const quarter = make(some(count / 4, sizes))
    const four = listOf(4, () => ({ indexUid: BOOKS, filter: quarter }))
    const facet = { facetName: 'kind', facetQuery: 'b', filter }
    return [
      { path: SEARCH, body: json({ filter }) },
      { path: `/indexes/${BOOKS}/facet-search`, body: json(facet) },
      { path: MULTI, body: json({ queries: four }) },
      { path: MULTI, body: json({ federation: {}, queries: four }) },
    ]
  })

const tag = (i: number): string => `"w${String(i).padStart(5, '0')}"`

/** Conditions, and how many of them with OR between occupy a search thread for long. */
const CONDITIONS: readonly (readonly [string, number, (i: number) => string])[] = [
  ['contains', 20_000, (i) => `tag CONTAINS ${tag(i)}`],
  ['starts-with', 20_000, (i) => `tag STARTS WITH ${tag(i)}`],
  ['geo-radius', 50_000, (i) => `_geoRadius(${(i % 90) + 0.5}, ${(i % 180) + 0.25}, ${1000 + i})`],
  ['geo-box', 50_000, (i) => `_geoBoundingBox([${(i % 80) + 10}, ${i % 170}], [${i % 80}, 0])`],
  ['ranges', 100_000, (i) => `n ${i % 19_000} TO ${i % 20_000}`],
  ['comparisons', 100_000, (i) => `n > ${20_000 - (i % 20_000)}`],
  ['negations', 100_000, (i) => `NOT n = ${i}`],
]

const FILTERS: readonly Attack[] = [
  ...CONDITIONS.map(([name, count, one]) =>
    filters(name, count, (some) => listOf(some, one).join(' OR ')),
  ),
  filters('in-list', 1_000_000, (count) => `n IN [${listOf(count, String)}]`),
  filters('not-in-list', 300_000, (count) => `tag NOT IN [${listOf(count, (i) => `w${i}`)}]`),
]

const rendered = (kind: string, inline: unknown, document: object): Post => {
  const input = { kind: 'inlineDocument', inline: document }
  return { path: RENDER, body: json({ template: { kind, inline }, input }) }
}

const rendering = (name: string, make: Posts): Attack =>
  posts(name, 4, ANSWERED, 2, make, { role: 'render' })

/** Many templates, a long one, and filters of the template language over long lists. */
const TEMPLATES: readonly Attack[] = [
  rendering('many-templates', ({ plain }) => {
    const inline = listOf(Math.floor((plain * 0.43) / 32), (i) => `{{ q | append: "${i}" }}`)
    return [rendered('inlineFragment', inline, { q: 'a' })]
  }),
  rendering('long-template', ({ plain }) => {
    const part = '{{ doc.a | upcase }}{% if doc.b %}b{% endif %}'
    const text = part.repeat(Math.max(1, Math.floor((plain * 0.43) / part.length)))
    return [rendered('inlineDocumentTemplate', text, { a: 'a', b: true })]
  }),
  rendering('list-templates', (sizes) => {
    const count = some(200_000, sizes)
    const list = listOf(count, (i) => ({ a: (i * 7919) % count, b: i % 2 }))
    const flat = list.map(({ a }) => a)
    return [
      '{{ doc.flat | sort | join: "," }}',
      '{{ doc.flat | uniq | size }}',
      '{{ doc.list | where: "b", 1 | size }}',
      '{{ doc.list | sort: "a" | map: "a" | reverse | join }}',
    ].map((text) => rendered('inlineDocumentTemplate', text, { list, flat }))
  }),
]

/** Lists of names in a search, each with the allowed total length. */
function wideLists(count: number): readonly Post[] {
  const names = listOf(count, (i) => `name${i}`)
  const lists = {
    attributesToRetrieve: names,
    attributesToHighlight: names,
    attributesToCrop: names.map((name) => `${name}:${Number.MAX_SAFE_INTEGER}`),
    attributesToSearchOn: Array(count).fill('title'),
    facets: Array(count).fill('kind'),
    sort: Array(count).fill('n:asc'),
    locales: Array(count).fill('eng'),
  }
  return Object.entries(lists).map(([name, list]) => {
    return { path: SEARCH, body: json({ q: 'ba', limit: 1000, [name]: list }) }
  })
}

const answering = (name: string, make: Posts, rest: Rest = {}): Attack =>
  posts(name, 9, ANSWERED, 3, make, { answerBytesMax: ANSWER_BYTES_MAX, ...rest })

/** Searches whose answers are expensive, or far larger than the limit, and errors that quote. */
const ANSWERS: readonly Attack[] = [
  answering('many-facets', (sizes) => {
    const query = { indexUid: BOOKS, q: 'b', limit: 1000, facets: ['*'] }
    return [{ path: MULTI, body: json({ queries: listOf(some(1000, sizes), () => query) }) }]
  }),
  answering('federated-queries', (sizes) => {
    const query = { indexUid: BOOKS, q: 'b', attributesToHighlight: ['*'] }
    const federation = { limit: 1000, facetsByIndex: { [BOOKS]: ['*'] } }
    const all = listOf(some(1000, sizes), () => query)
    return [{ path: MULTI, body: json({ federation, queries: all }) }]
  }),
  answering('long-tags', ({ plain }) => {
    const tag = 'x'.repeat(Math.floor(plain / 10))
    const tags = { highlightPreTag: tag, highlightPostTag: tag, cropMarker: tag, cropLength: 2 }
    const lists = { attributesToHighlight: ['*'], attributesToCrop: ['*'] }
    const body = { q: 'ba', limit: 1000, hitsPerPage: 1_000_000, ...lists, ...tags }
    return [{ path: SEARCH, body: json(body) }]
  }),
  answering('wide-lists', (sizes) => [
    ...wideLists(some(50_000, sizes)),
    ...wideLists(some(50_001, sizes)),
  ]),
  answering('wide-addresses', (sizes) =>
    ['attributesToRetrieve', 'attributesToHighlight', 'facets', 'sort'].map((name) => ({
      method: 'GET',
      path: `${SEARCH}?q=ba&limit=1000&${name}=${Array(some(20_000, sizes)).fill('kind').join()}`,
      body: new Uint8Array(0),
    })),
  ),
  answering(
    'echoes',
    ({ plain }) => {
      const long = 'x'.repeat(Math.floor(plain * 0.4))
      const wrong = [`NOT ${long}`, `_geoPolygon(${long})`, `n = 1 ${long}`, [[[long]]]]
      const members = [{ sort: [long] }, { facets: [long] }, { distinct: long }, { [long]: 1 }]
      return [
        ...wrong.map((filter) => ({ path: SEARCH, body: json({ filter }) })),
        ...members.map((body) => ({ path: SEARCH, body: json(body) })),
        { path: MULTI, body: json({ queries: [{ indexUid: long }] }) },
      ]
    },
    { wants: [400, 413, 429, 503, 'unanswered'], answerBytesMax: MESSAGE_BYTES_MAX },
  ),
  answering(
    'echoed-template',
    ({ plain }) => {
      const text = `{% unknown ${'x'.repeat(Math.floor(plain * 0.4))} %}`
      return [rendered('inlineDocumentTemplate', text, { a: 'a' })]
    },
    {
      wants: [400, 413, 503, 'unanswered'],
      answerBytesMax: MESSAGE_BYTES_MAX,
      role: 'render',
    },
  ),
]

const protocol = (
  name: string,
  item: number,
  wants: readonly Outcome[],
  connections: number,
  client: HostileClient,
): Attack => ({ name, item, wants, connections, role: 'search', client: () => client })

const PROTOCOL: readonly Attack[] = [
  protocol('two-hosts', 7, [400, 'unanswered'], 4, twoHosts(SEARCH)),
  protocol('bad-chunks', 7, [400, 'unanswered'], 4, badChunks(SEARCH)),
  protocol('pipelining', 8, [200, 'cut', 'unanswered'], 8, pipelined(SEARCH, 400)),
  {
    ...protocol('rapid-reset', 8, ['cut', 'unanswered'], 4, rapidReset(`${SEARCH}?q=ba`)),
    isSecure: true,
  },
]

const TASKS: readonly Attack[] = [
  posts(
    'task-flood',
    8,
    [202, 429, 503, 'unanswered'],
    16,
    () => [{ path: `/indexes/${LEFT}/documents`, body: json([{ id: 1, title: 'a' }]) }],
    { role: 'documents' },
  ),
  posts(
    'swaps',
    8,
    [200, 202, 404, 'unanswered'],
    6,
    () => [
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
    ],
    { role: 'admin' },
  ),
]

/** The server without an attack on this machine, for comparison with all other figures. */
const IDLE = protocol(
  'idle',
  0,
  [200, 'unanswered'],
  1,
  once(posting([{ path: SEARCH, body: json({ q: 'ba' }) }])),
)

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
