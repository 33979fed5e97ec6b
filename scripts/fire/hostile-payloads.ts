// Bodies that are expensive to receive: packed ones that unpack to far more, and plain ones whose
// structure is the worst for their size.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { BOOKS } from './hostile-library.ts'

/** `head`, then `part` repeated up to `bytes` without its last comma, then `tail`. */
function repeated(head: string, part: string, tail: string, bytes: number): Uint8Array {
  const width = Buffer.byteLength(part)
  const room = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  const count = Math.max(1, Math.floor(room / width))
  const middle = Buffer.alloc(count * width, part)
  return Buffer.concat([Buffer.from(head), middle.subarray(0, -1), Buffer.from(tail)])
}

export const gzipped = (body: Uint8Array): Uint8Array => gzipSync(body, { level: 9 })

/** The largest window packs a repetition best. */
export const brotlied = (body: Uint8Array): Uint8Array =>
  brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })

export const emptyArrays = (bytes: number): Uint8Array =>
  repeated('{"filter":[', '[],', ']}', bytes)
export const emptyObjects = (bytes: number): Uint8Array =>
  repeated('{"filter":[', '{},', ']}', bytes)
export const smallQueries = (bytes: number): Uint8Array =>
  repeated('{"queries":[', '{"indexUid":"x"},', ']}', bytes)
export const blanks = (bytes: number): Uint8Array => Buffer.alloc(bytes, ' ')

/** Name → a body of about that size. Each is expensive for a different part of the parser. */
export const worstShapes = (bytes: number): readonly (readonly [string, Uint8Array])[] => [
  ['many small arrays', emptyArrays(bytes)],
  ['many small objects', emptyObjects(bytes)],
  ['many queries', repeated('{"queries":[', '{"indexUid":"books"},', ']}', bytes)],
  ['many keys', manyKeys(bytes)],
  ['long numbers', repeated('{"vector":[', '12345678.12345678901234567890e-7,', ']}', bytes)],
  ['whole numbers with fractions', repeated('{"vector":[', '1.0,', ']}', bytes)],
  ['deep nesting', deep(bytes)],
  ['escapes', repeated('{"q":"', '\\ud83d\\ude00 ', '"}', bytes)],
  ['a long word', repeated('{"q":"', 'a', '"}', bytes)],
  ['many words', repeated('{"q":"', 'harbour ', '"}', bytes)],
  ['a long filter', repeated('{"filter":"n = 1', ' OR n = 1', '1"}', bytes)],
  ['a list of filters', repeated('{"filter":[', '"n = 1",', ']}', bytes)],
  ['many attributes', repeated('{"attributesToHighlight":[', '"title",', ']}', bytes)],
]

function manyKeys(bytes: number): Uint8Array {
  const width = '"k0000000":1,'.length
  const keys = Array.from(
    { length: Math.max(1, Math.floor(bytes / width)) },
    (_, i) => `"k${String(i).padStart(7, '0')}":1`,
  )
  return Buffer.from(`{${keys.join()}}`)
}

function deep(bytes: number): Uint8Array {
  const depth = Math.floor(bytes / 2) - 10
  return Buffer.concat([
    Buffer.from('{"filter":'),
    Buffer.alloc(depth, '['),
    Buffer.alloc(depth, ']'),
    Buffer.from('}'),
  ])
}

const conditions = (count: number, one: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(' OR ')

/** Filters that occupy a search thread for long: name → the filter. */
export const costlyFilters = {
  contains: (count: number): string =>
    conditions(count, (i) => `tag CONTAINS "w${String(i).padStart(5, '0')}"`),
  startsWith: (count: number): string =>
    conditions(count, (i) => `tag STARTS WITH "w${String(i).padStart(5, '0')}"`),
  radius: (count: number): string =>
    conditions(count, (i) => `_geoRadius(${(i % 90) + 0.5}, ${(i % 180) + 0.25}, ${1000 + i})`),
  box: (count: number): string =>
    conditions(count, (i) => `_geoBoundingBox([${(i % 80) + 10}, ${i % 170}], [${i % 80}, 0])`),
  ranges: (count: number): string => conditions(count, (i) => `n ${i % 19_000} TO ${i % 20_000}`),
  more: (count: number): string => conditions(count, (i) => `n > ${20_000 - (i % 20_000)}`),
  list: (count: number): string => `n IN [${Array.from({ length: count }, (_, i) => i).join()}]`,
  notList: (count: number): string =>
    `tag NOT IN [${Array.from({ length: count }, (_, i) => `w${i}`).join()}]`,
  negations: (count: number): string => conditions(count, (i) => `NOT n = ${i}`),
}

export const filtered = (filter: unknown, rest: object = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ ...rest, filter }))

/** The same filter in several queries of one request. */
export const filteredQueries = (filter: string, count: number, federated: boolean): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      ...(federated ? { federation: {} } : {}),
      queries: Array.from({ length: count }, () => ({ indexUid: BOOKS, filter })),
    }),
  )

/** The same search many times in one request. */
export const sameQueries = (count: number, query: object, rest: object = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ ...rest, queries: Array.from({ length: count }, () => query) }))

/** Lists of names in a search, each with the allowed total length. */
export const wideLists = (count: number): readonly Uint8Array[] => {
  const names = Array.from({ length: count }, (_, i) => `name${i}`)
  const lists = {
    attributesToRetrieve: names,
    attributesToHighlight: names,
    attributesToCrop: names.map((name) => `${name}:${Number.MAX_SAFE_INTEGER}`),
    attributesToSearchOn: Array(count).fill('title'),
    facets: Array(count).fill('kind'),
    sort: Array(count).fill('n:asc'),
    locales: Array(count).fill('eng'),
  }
  return Object.entries(lists).map(([name, list]) =>
    Buffer.from(JSON.stringify({ q: 'ba', limit: 1000, [name]: list })),
  )
}

/** Tags that would produce an answer of gigabytes. */
export const longTags = (bytes: number): Uint8Array => {
  const tag = 'x'.repeat(Math.floor(bytes / 10))
  const tags = { highlightPreTag: tag, highlightPostTag: tag, cropMarker: tag }
  const lists = { attributesToHighlight: ['*'], attributesToCrop: ['*'] }
  const body = { q: 'ba', limit: 1000, hitsPerPage: 1_000_000, cropLength: 2, ...lists, ...tags }
  return Buffer.from(JSON.stringify(body))
}

/** As many distinct templates as fit: each is parsed separately. */
export function manyTemplates(bytes: number): Uint8Array {
  const one = (i: number): string => `{{ q | append: "${i}" }}`
  const count = Math.max(1, Math.floor(bytes / (one(100_000).length + 6)))
  const inline = Array.from({ length: count }, (_, i) => one(i))
  return rendering('inlineFragment', inline, { kind: 'inlineDocument', inline: { q: 'a' } })
}

export function longTemplate(bytes: number): Uint8Array {
  const part = '{{ doc.a | upcase }}{% if doc.b %}b{% endif %}'
  const inline = part.repeat(Math.max(1, Math.floor(bytes / part.length)))
  const input = { kind: 'inlineDocument', inline: { a: 'a', b: true } }
  return rendering('inlineDocumentTemplate', inline, input)
}

/** An invalid template, which the refusal quotes. */
export const wrongTemplate = (bytes: number): Uint8Array =>
  rendering('inlineDocumentTemplate', `{% unknown ${'x'.repeat(bytes)} %}`, {
    kind: 'inlineDocument',
    inline: { a: 'a' },
  })

/** A filter of the template language over a list of that many objects. */
export function listTemplate(text: string, count: number): Uint8Array {
  const list = Array.from({ length: count }, (_, i) => ({ a: (i * 7919) % count, b: i % 2 }))
  const flat = list.map(({ a }) => a)
  const input = { kind: 'inlineDocument', inline: { list, flat } }
  return rendering('inlineDocumentTemplate', text, input)
}

const rendering = (kind: string, inline: unknown, input: object): Uint8Array =>
  Buffer.from(JSON.stringify({ template: { kind, inline }, input }))
