// Bodies designed to be expensive: refused before anything is allocated for them, read once, and
// quoted in part.
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFilter } from '../../engine/read/filter-syntax/index.ts'
import { strictDecoder } from '../../format/bytes/index.ts'
import { ApiError } from '../errors/index.ts'
import * as parse from './index.ts'
import { scanBody } from './schema/body-scan.ts'
import { checkIndexUid } from './schema/index.ts'
import { compactText, cut, quotedText } from './schema/json-value.ts'
import {
  BRACKETS_MAX,
  FILTER_CHARACTERS_MAX,
  FILTER_VALUES_MAX,
  PARAMETERS_MAX,
  QUERIES_MAX,
  QUOTED_CHARACTERS_MAX,
  SEARCH_NAMES_MAX,
  VALUES_MAX,
} from './schema/limits.ts'

/**
 * Each reading decodes the body once. The fast one parses all of it, the exact one each string with
 * an escape.
 */
const decoded = vi.spyOn(strictDecoder, 'decode')
const parsed = vi.spyOn(JSON, 'parse')
const calls = () => ({ decode: decoded.mock.calls.length, parse: parsed.mock.calls.length })
beforeEach(() => {
  decoded.mockClear()
  parsed.mockClear()
})
afterAll(() => {
  decoded.mockRestore()
  parsed.mockRestore()
})

const utf8 = new TextEncoder()
const refusalOf = (read: () => unknown): ApiError => {
  try {
    read()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
/** Returns `head`, `count` times `unit` with commas between, `tail`. */
const repeated = (head: string, unit: string, count: number, tail: string): Uint8Array =>
  utf8.encode(`${head}${`${unit},`.repeat(count - 1)}${unit}${tail}`)

describe('bodies with very many values are refused before they are read', () => {
  test.each([
    ['{"filter":[[],[],…]}', repeated('{"filter":[', '[]', BRACKETS_MAX, ']}'), 'arrays and'],
    ['{"filter":[{},{},…]}', repeated('{"filter":[', '{}', BRACKETS_MAX, ']}'), 'arrays and'],
    ['{"filter":[1,1,…]}', repeated('{"filter":[', '1', VALUES_MAX, ']}'), 'values'],
    [
      '{"queries":[{"indexUid":"x"},…]}',
      repeated('{"queries":[', '{"indexUid":"x"}', BRACKETS_MAX, ']}'),
      'arrays and',
    ],
  ])('%s', (_, body, what) => {
    for (const read of [parse.readSearch, parse.readMultiSearch, parse.readDeletion]) {
      expect(refusalOf(() => read(body))).toMatchObject({ code: 'payload_too_large', status: 413 })
      expect(refusalOf(() => read(body)).message).toContain(`too many ${what}`)
    }
    expect(calls()).toEqual({ decode: 0, parse: 0 })
  })

  test('the content of strings does not count', () => {
    const filter = `id IN [${'1,'.repeat(VALUES_MAX)}1]`
    const asked = parse.readSearch(utf8.encode(JSON.stringify({ filter })))
    expect(openFilter(asked.filter) === filter).toBe(true)
  })
})

describe('a multi-search', () => {
  const of = (count: number) => repeated('{"queries":[', '{"indexUid":"x"}', count, ']}')
  test('has a limited number of searches', () => {
    expect(parse.readMultiSearch(of(QUERIES_MAX)).queries).toHaveLength(QUERIES_MAX)
    expect(refusalOf(() => parse.readMultiSearch(of(QUERIES_MAX + 1)))).toMatchObject({
      code: 'bad_request',
      message:
        'Invalid value at `.queries`: at most `1000` searches are accepted, but found `1001`',
    })
  })

  test('is refused for their number before one of them is read', () => {
    const body = repeated('{"queries":[', '{"indexUid":1}', QUERIES_MAX + 1, ']}')
    expect(refusalOf(() => parse.readMultiSearch(body)).message).toContain('at most `1000`')
  })
})

describe('the exact reader', () => {
  test.each([
    ['500 arrays side by side', repeated('{"filter":[', '[]', 500, ']}')],
    ['500 objects side by side', repeated('{"filter":[', '{"a":[1]}', 500, ']}')],
    ['a string that looks like a number', utf8.encode('{"q":"1.0 and 1e5 and 12345678901234567"}')],
  ])('does not read %s', (_, body) => {
    expect(parse.readSearch(body).limit).toBe(20)
    expect(calls()).toEqual({ decode: 1, parse: 1 })
  })

  test.each([
    '{"limit":"x"}',
    '{"nope":1,"limit":"x"}',
    '{"filter":[[],[]],"vector":[0.5,"x"]}',
    '{"limit":{"b":1,"a":[0.25,true,null]}}',
  ])('does not read %s again for its fault', (body) => {
    refusalOf(() => parse.readSearch(utf8.encode(body)))
    expect(calls()).toEqual({ decode: 1, parse: 1 })
  })

  test.each(['{"limit":"x","1":0}', '{"limit":"x","\\u0031":0}', '{"1" :0,"limit":"x"}'])(
    'reports the first fault of %s in the order of the body',
    (body) => {
      const first = body.startsWith('{"1"') ? 'Unknown field `1`' : '`.limit`'
      expect(refusalOf(() => parse.readSearch(utf8.encode(body))).message).toContain(first)
      expect(calls()).toEqual({ decode: 2, parse: body.includes('\\') ? 2 : 1 })
    },
  )

  test('keeps members named like a prototype, and repeated ones', () => {
    const body = utf8.encode('{"limit":{"__proto__":1.0,"b":1,"9":2,"b":{"__proto__":null}}}')
    expect(refusalOf(() => parse.readSearch(body)).message).toContain(
      '`{"__proto__":1.0,"b":{"__proto__":null},"9":2}`',
    )
  })
})

describe('a fault quotes', () => {
  const long = 'x'.repeat(3 * QUOTED_CHARACTERS_MAX)
  const most = QUOTED_CHARACTERS_MAX * 4 + 100
  test.each([
    ['an array', { limit: new Array(50_000).fill(0.5) }],
    ['an object', { limit: Object.fromEntries(Array.from({ length: 9999 }, (_, i) => [i, 'x'])) }],
    ['a string', { limit: long }],
    ['a name', { [long]: 1 }],
    ['a word', { matchingStrategy: long }],
    ['a name around it', { personalize: { [long]: 1 } }],
  ])('%s in part', (_, body) => {
    const { message } = refusalOf(() => parse.readSearch(utf8.encode(JSON.stringify(body))))
    expect(message.length).toBeLessThan(most)
    expect(message).toContain('…')
  })

  test('strings of ordinary size whole', () => {
    const value = { a: [1, 2.5, 'é\n', null, { b: true }], c: {}, d: [] }
    expect(quotedText(value)).toBe(compactText(value))
    expect(quotedText('xyz', 5)).toBe('"xyz"')
    expect(quotedText('xyz', 4)).toBe('"xyz…')
    expect(quotedText([1, 2, 3], 4)).toBe('[1,2…')
    expect(cut('abc', 3)).toBe('abc')
    expect(cut('abcd', 3)).toBe('abc…')
  })

  test('an index uid and a document id in part', () => {
    expect(refusalOf(() => checkIndexUid(`${long} `)).message.length).toBeLessThan(most)
    const ids = parse.readDocumentsFetch(utf8.encode(JSON.stringify({ ids: [[long]] })))
    expect(refusalOf(() => parse.documentsRequest(ids)).message.length).toBeLessThan(most)
  })
})

test.each([
  ['{}', 2, 1],
  ['7', 1, 0],
  ['[1,2,3]', 4, 1],
  ['{"a,[{":"\\"[,","b":[]}', 4, 2],
  ['"\\\\",[', 3, 1],
])('a scan of %s counts', (text, values, brackets) => {
  expect(scanBody(utf8.encode(text))).toMatchObject({ values, brackets })
})

describe('a search', () => {
  test('has a limited number of fields in all its lists', () => {
    const names = new Array(SEARCH_NAMES_MAX / 2).fill('a')
    const body = (more: object) =>
      utf8.encode(JSON.stringify({ attributesToRetrieve: names, sort: names, ...more }))
    expect(parse.readSearch(body({})).sort).toHaveLength(SEARCH_NAMES_MAX / 2)
    const read = () => parse.readSearch(body({ facets: ['b'] }))
    expect(refusalOf(read)).toMatchObject({ code: 'bad_request' })
    const queries = [0, 1].map((i) => ({ indexUid: `x${i}`, sort: names, facets: names }))
    const several = utf8.encode(JSON.stringify({ queries }))
    expect(refusalOf(() => parse.readMultiSearch(several)).message).toContain('too many names')
  })

  test.each([
    ['many values', Array.from({ length: FILTER_VALUES_MAX }, (_, i) => [`a = ${i}`])],
    ['many characters', `a = ${'é'.repeat(FILTER_CHARACTERS_MAX)}`],
  ])('gets a filter of %s as text', (_, filter) => {
    const asked = parse.readSearch(utf8.encode(JSON.stringify({ filter })))
    expect(asked.filter).toBeInstanceOf(Uint8Array)
    expect(JSON.stringify(openFilter(asked.filter)) === JSON.stringify(filter)).toBe(true)
    const raw = encodeURIComponent(JSON.stringify(filter))
    expect(openFilter(parse.readSearchQuery(`filter=${raw}`).filter)).toEqual(filter)
  })
})

describe('a query string', () => {
  test('is not read after its first fault', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    const read = () => parse.readSearchQuery(`a%20=1${'&%61=1'.repeat(1000)}`)
    expect(refusalOf(read).message).toContain('Unknown parameter `a `')
    expect(decode).toHaveBeenCalledTimes(1)
    decode.mockRestore()
  })

  test('has a limited number of parameters', () => {
    expect(parse.readSearchQuery('&q=x'.repeat(PARAMETERS_MAX)).q).toBe('x')
    const read = () => parse.readSearchQuery('&q=x'.repeat(PARAMETERS_MAX + 1))
    expect(refusalOf(read)).toMatchObject({ code: 'bad_request' })
    expect(refusalOf(read).message).toContain('Too many parameters')
  })

  test('with a filter nested too deep gets it as filter syntax', () => {
    const deep = '['.repeat(128) + ']'.repeat(128)
    expect(parse.readSearchQuery(`filter=${deep}`).filter).toBe(deep)
    expect(parse.readSearchQuery('filter=[["a"]]').filter).toEqual([['a']])
  })

  test('with points that never end is read once', () => {
    const many = '_geoPoint(1,'.repeat(10_000)
    expect(parse.readSearchQuery(`sort=${many}`).sort).toEqual([many])
    expect(parse.readSearchQuery('sort= a:asc , _geoPoint( 1 , 2 ):desc ,,b').sort).toEqual([
      'a:asc',
      '_geoPoint( 1, 2 ):desc',
      '',
      'b',
    ])
  })

  test('names each index once', () => {
    const { filter } = parse.readTaskList(`indexUids=${'x,'.repeat(10_000)}y&uids=1,1,2`)
    expect(filter).toMatchObject({ indexUids: ['x', 'y'], uids: [1, 2] })
  })

  test('refuses a number of very many digits, and accepts one of very many zeros', () => {
    expect(parse.readSearchQuery(`limit=${'0'.repeat(1000)}12`).limit).toBe(12)
    expect(parse.readSearchQuery(`limit=${'0'.repeat(1000)}`).limit).toBe(0)
    const read = () => parse.readSearchQuery(`limit=${'9'.repeat(100_000)}`)
    expect(refusalOf(read).message).toContain('could not parse')
  })
})
