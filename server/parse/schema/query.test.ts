// Query strings: decoding compared with the platform's decoder, and the typed readers.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_SEARCH } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import * as parse from '../index.ts'
import { momentOf } from './date-time.ts'
import { rawSort } from './index.ts'
import {
  decodePercent,
  finishedQuery,
  floatOf,
  type ParameterReader,
  pairsOf,
  parameter,
  query,
  rawCount,
  rawCountUpTo,
  rawFlag,
  rawList,
  rawOneOf,
  rawRatio,
  rawText,
  rawTexts,
  rawU32,
} from './query.ts'
import { outOf, queryError, ValidationError } from './validation-error.ts'

test('decodes like forms', () => {
  const piece = fc.oneof(
    fc.constantFrom('&', '=', '+', '%', '%zz', '%4', '%FF', '%C3%A9', '%E2%82', '%00', 'limit'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      // Characters that cannot occur in a request line are excluded.
      const query = pieces.join('').replace(/[^!-~]|#/g, 'x')
      if (query.startsWith('?')) return
      expect([...pairsOf(query)]).toEqual([...new URLSearchParams(query)])
    }),
    { numRuns: 1000 },
  )
})

test('any query string gives a value or an ApiError', () => {
  const readers = [
    parse.readSearchQuery,
    parse.readTaskList,
    parse.readDocumentsQuery,
    parse.readIndexPage,
    parse.readStatsQuery,
    parse.readAdditionQuery,
    parse.readTasksToCancel,
  ]
  const name = fc.constantFrom('limit', 'q', 'filter', 'sort', 'uids', 'types', 'fields', 'vector')
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('1', '1,2', 'true', '*', 'a,b', '_geoPoint(1,2):asc,b:desc', '[1,'),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), fc.nat(readers.length - 1), (pairs, which) => {
      const text = pairs.map(([key, raw]) => `${key}=${encodeURIComponent(raw)}`).join('&')
      try {
        expect(readers[which]!(text)).toBeDefined()
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
      }
    }),
    { numRuns: 1000 },
  )
})

describe('values', () => {
  test('the last value of a repeated parameter counts; leading zeros and a plus are allowed', () => {
    expect(parse.readIndexPage('limit=1&limit=007&offset=%2B3')).toEqual({ offset: 3, limit: 7 })
    expect(parse.readIndexPage('&&%6Cimit=4&')).toEqual({ offset: 0, limit: 4 })
    expect(parse.readIndexPage('limit=18446744073709551615').limit).toBe(2 ** 64)
  })

  test('a search', () => {
    const asked = parse.readSearchQuery(
      'q=glass+onion&attributesToRetrieve=id,,title,&facets=&filter=%5B%22a%20=%201%22%5D' +
        '&vector=1,NaN,.5,&hybridEmbedder=e&rankingScoreThreshold=0.5' +
        '&locales=fr,eng&personalizeUserContext=',
    )
    expect(asked).toMatchObject({
      q: 'glass onion',
      attributesToRetrieve: ['id', 'title'],
      facets: [],
      filter: ['a = 1'],
      vector: Float64Array.of(1, Number.NaN, 0.5),
      hybrid: { embedder: 'e', semanticRatio: 0.5 },
      rankingScoreThreshold: 0.5,
      locales: ['fra', 'eng'],
      personalize: { userContext: '' },
      media: null,
      limit: 20,
    })
  })

  test('the weights of attributes', () => {
    const read = (raw: string) => parse.readSearchQuery(`attributeWeights=${raw}`).attributeWeights
    expect(read('title:3,*:.5,a:b:0')).toEqual({ title: 3, '*': 0.5, 'a:b': 0 })
    expect(read('')).toEqual({})
    for (const raw of ['title', ':3', 'title:x', 'title:-1', 'title:1e9', 'title:NaN']) {
      expect(() => read(raw), raw).toThrow(
        expect.objectContaining({ code: 'invalid_search_attribute_weights' }),
      )
    }
    const facets = new TextEncoder().encode('{"facetName":"a","attributeWeights":{"title":3}}')
    expect(parse.readFacetSearch(facets).search.attributeWeights).toEqual({ title: 3 })
  })

  test('the fusion of a hybrid search, in both forms', () => {
    const asked = parse.readSearchQuery('hybridEmbedder=e&hybridFusion=rrf').hybrid
    expect(asked).toEqual({ embedder: 'e', semanticRatio: 0.5, fusion: 'rrf' })
    const bodyOf = (hybrid: object) => new TextEncoder().encode(JSON.stringify({ hybrid }))
    expect(parse.readSearch(bodyOf({ embedder: 'e', fusion: 'rrf' })).hybrid).toEqual(asked)
    const refused = expect.objectContaining({ code: 'invalid_search_hybrid_query' })
    expect(() => parse.readSearch(bodyOf({ embedder: 'e', fusion: 'sum' }))).toThrow(refused)
    expect(() => parse.readSearchQuery('hybridEmbedder=e&hybridFusion=sum')).toThrow(refused)
    expect(() => parse.readSearchQuery('hybridFusion=rrf')).toThrow(refused)
  })

  test.each([
    ['filter=a+%3D+1', 'a = 1'],
    ['filter=', ''],
    ['filter=12', 12],
    ['filter=true', true],
    ['filter=trueish', 'trueish'],
    ['filter=%22a%22+%3D+1', '"a" = 1'],
    ['filter=1a+%3D+1', '1a = 1'],
    ['', null],
  ])('the filter of %s', (query, filter) => {
    expect(parse.readSearchQuery(query).filter).toEqual(filter)
  })

  test('a body and a query string give the same request', () => {
    const body = new TextEncoder().encode('{}')
    expect(parse.readSearchQuery('')).toEqual(parse.readSearch(body))
    expect(Object.keys(parse.readSearchQuery('')).sort()).toEqual(
      Object.keys(DEFAULT_SEARCH).sort(),
    )
  })
})

test.each([
  ['a:asc', ['a:asc']],
  ['a:asc, b:desc ', ['a:asc', 'b:desc']],
  ['', ['']],
  ['a:asc,', ['a:asc', '']],
  ['_geoPoint(48.8, 2.3):asc,b:asc', ['_geoPoint(48.8, 2.3):asc', 'b:asc']],
  ['_geoPoint(1):asc,b', ['_geoPoint(1):asc', 'b']],
  ['_geoPoint(1,b', ['_geoPoint(1,b']],
  ['_geoDistance(1,2):asc', ['_geoDistance(1', '2):asc']],
])('sort=%s', (raw, entries) => {
  expect(rawSort(raw)).toEqual(entries)
})

describe('filters of tasks', () => {
  test('a star removes the restriction but counts as a filter, and an empty list restricts', () => {
    expect(parse.readTasksToCancel('uids=*,1').filter.uids).toBeNull()
    expect(parse.readTasksToDelete('uids=').filter.uids).toEqual([])
    expect(parse.readTasksToDelete('afterEnqueuedAt=*').filter.afterEnqueuedAt).toBeNull()
    expect(() => parse.readTasksToDelete('')).toThrow('to delete are missing')
    expect(() => parse.readTasksToDelete('uids=*,x')).toThrow('`uids[1]`')
  })

  test('kinds and statuses in any letter case', () => {
    const { filter, page } = parse.readTaskList(
      'types=INDEXSWAP,documentdeletion&statuses=Failed&reverse=true&from=3&limit=0',
    )
    expect(filter.kinds).toEqual(['indexSwap', 'documentDeletion'])
    expect(filter.statuses).toEqual(['failed'])
    expect(page).toEqual({ from: 3, limit: 0, reverse: true })
  })
})

describe('moments', () => {
  const micros = (iso: string): number => Date.parse(iso) * 1000
  test.each([
    ['2024-05-01', 'before', micros('2024-05-01T00:00:00Z')],
    ['2024-05-01', 'after', micros('2024-05-02T00:00:00Z')],
    ['2024-02-29', 'after', micros('2024-03-01T00:00:00Z')],
    ['2024-05-01T10:20:30Z', 'after', micros('2024-05-01T10:20:30Z')],
    ['2024-05-01 10:20:30z', 'before', micros('2024-05-01T10:20:30Z')],
    ['2024-05-01T10:20:30.5+02:00', 'after', micros('2024-05-01T08:20:30.500Z')],
    ['2024-05-01T10:20:30.0000005Z', 'after', micros('2024-05-01T10:20:30Z')],
    ['2024-05-01T10:20:30.0000005Z', 'before', micros('2024-05-01T10:20:30Z') + 1],
    ['1969-12-31T23:59:60-00:30', 'after', micros('1970-01-01T00:29:59Z')],
  ] as const)('%s %s', (text, side, moment) => {
    expect(momentOf(text, side)).toBe(moment)
  })

  test.each([
    '2023-02-30',
    '2023-13-01',
    '2023-1-1',
    '20230101',
    '2023-01-01T00:00:00',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:60:00Z',
    '2023-01-01T00:00:00.Z',
    '2023-01-01T00:00:00+25:00',
    '',
    '*',
  ])('%s is not a moment', (text) => {
    expect(momentOf(text, 'after')).toBeNull()
  })
})

test('numbers in paths', () => {
  expect(parse.readTaskUid('007')).toBe(7)
  expect(parse.readBatchUid('4294967295')).toBe(4294967295)
  for (const raw of ['', ' ', '-1', '1.0', '0x1', '4294967296', '1_0']) {
    expect(() => parse.readTaskUid(raw)).toThrow(
      `Task uid \`${raw}\` is invalid. It should only contain numeric characters.`,
    )
  }
})

test('a query keeps its text, and lists its parameters', () => {
  expect(parse.readTasksToCancel('uids=1').text).toBe('?uids=1')
  expect(parse.readIndexPage.parameters()).toMatchObject([
    { name: 'offset', schema: { type: 'integer', minimum: 0 }, code: 'invalid_index_offset' },
    { name: 'limit', schema: { type: 'integer', minimum: 0 }, code: 'invalid_index_limit' },
  ])
  expect(parse.readTasksToDelete.parameters()).toEqual(parse.readTasksToCancel.parameters())
})

describe('lists of a query string', () => {
  const many = (count: number): string => Array.from({ length: count }, () => '1').join()

  test.each([
    ['uids', parse.readTaskList],
    ['vector', parse.readSearchQuery],
    ['attributesToRetrieve', parse.readSearchQuery],
    ['sort', parse.readSearchQuery],
    ['ids', parse.readDocumentsQuery],
  ])('%s have a limited number of elements', (name, read) => {
    const refusal = 'Too many elements in the lists of a query string (limit: 20000)'
    const messageOf = (text: string): string => {
      try {
        read(text)
        return ''
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return error.message
      }
    }
    expect(messageOf(`${name}=${many(20_001)}`)).toBe(refusal)
    expect(messageOf(`${name}=${many(10_001)}&${name}=${many(10_001)}`)).toBe(refusal)
    expect(messageOf(`${name}=${many(20_000)}`)).not.toBe(refusal)
  })

  test('texts may contain any number of commas', () => {
    const q = ','.repeat(60_000)
    expect(parse.readSearchQuery(`q=${q}`).q).toBe(q)
  })
})

describe('a parameter', () => {
  const resultOf = <T>(read: ParameterReader<T>, raw: string): T | string => {
    try {
      return read(raw)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return queryError(outOf(error, 'p', null) as ValidationError).message
    }
  }
  const notCount = (raw: string): string =>
    `Invalid value in parameter \`p\`: could not parse \`${raw}\` as a positive integer`
  const tooLarge = 'value: `8` is too large to be deserialized, maximum value authorized is `7`'

  test.each<[string, ParameterReader<unknown>, string, unknown]>([
    ['flag', rawFlag, 'true', true],
    ['flag', rawFlag, 'false', false],
    ['flag', rawFlag, 'True', expect.stringContaining('could not parse `True` as a boolean')],
    ['count', rawCount, '+007', 7],
    ['count', rawCount, '-1', notCount('-1')],
    ['count', rawCount, '18446744073709551615', 2 ** 64],
    ['count', rawCount, '18446744073709551616', notCount('18446744073709551616')],
    ['count', rawCount, '0000018446744073709551615', 2 ** 64],
    ['count', rawCount, '99999999999999999999', notCount('99999999999999999999')],
    ['count', rawCount, '100000000000000000000', notCount('100000000000000000000')],
    ['countUpTo', rawCountUpTo(7), '7', 7],
    ['countUpTo', rawCountUpTo(7), '8', `Invalid value in parameter \`p\`: ${tooLarge}`],
    ['u32', rawU32, '4294967295', 4294967295],
    ['u32', rawU32, '4294967296', notCount('4294967296')],
    ['ratio', rawRatio('r'), '0', 0],
    ['ratio', rawRatio('r'), '1e0', 1],
    ['ratio', rawRatio('r'), '1.01', expect.stringContaining('the value of `r` is invalid')],
    ['ratio', rawRatio('r'), '-0.01', expect.stringContaining('the value of `r` is invalid')],
    ['ratio', rawRatio('r'), 'x', expect.stringContaining('the value of `r` is invalid')],
    ['oneOf', rawOneOf(['a', 'b']), 'b', 'b'],
    ['oneOf', rawOneOf(['a', 'b']), 'c', expect.stringContaining('expected one of `a`, `b`')],
    ['list', rawList(rawCount), '1,,2', [1, 2]],
    ['list', rawList(rawCount), 'x', notCount('x')],
    ['list', rawList(rawCount), '1,x', notCount('x').replace('`p`', '`p[1]`')],
    ['texts', rawTexts, ',a,,b', ['a', 'b']],
  ])('as a %s: %#', (_, read, raw, expected) => {
    expect(resultOf(read, raw)).toEqual(expected)
  })

  test.each([
    ['1', 1],
    ['+.5', 0.5],
    ['1.', 1],
    ['-1e-2', -0.01],
    ['NaN', Number.NaN],
    ['+nan', Number.NaN],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['inf', Number.POSITIVE_INFINITY],
    ['.', null],
    ['', null],
    ['1e', null],
    ['0x1', null],
  ])('%j as a float', (raw, expected) => {
    expect(floatOf(raw)).toBe(expected)
  })

  test.each([
    ['a+b', 'a+b'],
    ['%41%', 'A%'],
    ['%C3%A9%zz', 'é%zz'],
    ['%E2%82', '\u{fffd}'],
  ])('%j in a path', (raw, expected) => {
    expect(decodePercent(raw)).toBe(expected)
  })

  test('may be sent a limited number of times', () => {
    const query = (length: number): string => Array<string>(length).fill('a=1').join('&&')
    expect([...pairsOf(query(1000))]).toHaveLength(1000)
    expect(() => [...pairsOf(query(1001))]).toThrow('Too many parameters (limit: 1000)')
  })
})

test('parameters that were not sent have their default, and those aside are absent', () => {
  const reader = query<{ readonly a: number; readonly b: string | null }, { readonly c: number }>(
    {
      a: parameter(rawCount, 'invalid_search_limit', 3),
      b: parameter<string | null>(rawText, 'invalid_search_q', null),
    },
    ['b'],
    { c: parameter(rawCount, 'invalid_search_offset', 5) },
  )
  expect(reader('')).toEqual({ a: 3, b: null })
  expect(reader('c=1&b=x')).toEqual({ a: 3, b: 'x', c: 1 })
  expect(() => reader('d=1')).toThrow('Unknown parameter `d`: expected one of `a`')
  expect(() => reader('d=1')).not.toThrow('`b`')
  expect(() => reader('c=x')).toThrow(expect.objectContaining({ code: 'invalid_search_offset' }))
  const doubled = finishedQuery(reader, ({ a }, text) => [2 * a, text])
  expect(doubled('a=4')).toEqual([8, 'a=4'])
  expect(doubled.parameters()).toEqual([
    {
      name: 'a',
      schema: { type: 'integer', minimum: 0, default: 3 },
      code: 'invalid_search_limit',
    },
    { name: 'b', schema: { type: 'string' }, code: 'invalid_search_q' },
    {
      name: 'c',
      schema: { type: 'integer', minimum: 0, default: 5 },
      code: 'invalid_search_offset',
    },
  ])
})
