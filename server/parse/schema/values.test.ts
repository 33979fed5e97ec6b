// The values of each schema: those at its bounds, and the message about the first beyond them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asKeywords } from '../../../format/schema/index.ts'
import type { ApiError } from '../../errors/index.ts'
import { checkedFilter } from './checked-filter.ts'
import { momentOf } from './date-time.ts'
import { exactJson } from './exact-json.ts'
import { externalIdOf } from './external-id.ts'
import { disjunctiveFacets, facets, rawDisjunctiveFacets } from './facets.ts'
import { filterOf, nullFilter } from './filter.ts'
import { checkIndexUid, isIndexUid } from './index-uid.ts'
import { compactText, cut, type Json, membersOf, plain, quotedText } from './json-value.ts'
import {
  DEPTH_MAX,
  FACET_OBJECTS_MAX,
  FACET_RANGES_MAX,
  FILTER_CHARACTERS_MAX,
  FILTER_VALUES_MAX,
  MESSAGE_CHARACTERS_MAX,
} from './limits.ts'
import { member, object, partial, required } from './object-schemas.ts'
import * as schemas from './schemas.ts'
import { urlProblem } from './url.ts'
import { bodyError, outOf, type Problem, queryError, ValidationError } from './validation-error.ts'

const utf8 = new TextEncoder()

/** Returns the value, or the message about a body that is refused. */
function read(schema: schemas.Schema<unknown>, json: string): unknown {
  try {
    return schemas.readerOf(schema)(exactJson(json))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    return bodyError(error, 'bad_request').message
  }
}

const { count, countUpTo, flag, float, floatUpTo, headerText, list, listUpTo } = schemas
const typed = (expected: string, found: string): string =>
  `Invalid value type: expected ${expected}, but found ${found}`

test.each<[string, schemas.Schema<unknown>, string, unknown]>([
  ['text', schemas.text, '"a"', 'a'],
  ['text', schemas.text, '1', typed('a string', 'a positive integer: `1`')],
  ['headerText', headerText, '"a b"', 'a b'],
  ['flag', flag, 'false', false],
  ['flag', flag, '0', typed('a boolean', 'a positive integer: `0`')],
  ['count', count, '0', 0],
  ['count', count, '18446744073709551615', 2 ** 64],
  ['count', count, '-1', typed('a positive integer', 'a negative integer: `-1`')],
  ['count', count, '1.5', typed('a positive integer', 'a number: `1.5`')],
  [
    'count',
    count,
    '-9007199254740993',
    typed('a positive integer', 'a negative integer: `-9007199254740993`'),
  ],
  ['countUpTo', countUpTo(7), '7', 7],
  [
    'countUpTo',
    countUpTo(7),
    '8',
    'Invalid value: value: `8` is too large to be deserialized, maximum value authorized is `7`',
  ],
  ['positiveCount', schemas.positiveCount, '1', 1],
  [
    'positiveCount',
    schemas.positiveCount,
    '0',
    'Invalid value: a non-zero integer value lower than `18446744073709551615` was expected, but found a zero',
  ],
  ['float', float, '-1.5', -1.5],
  ['float', float, '2.0', 2],
  ['float', float, '9007199254740993', 9007199254740992],
  ['float', float, 'null', typed('a number', 'null')],
  ['floatUpTo', floatUpTo('`b`', 2), '0', 0],
  ['floatUpTo', floatUpTo('`b`', 2), '2', 2],
  [
    'floatUpTo',
    floatUpTo('`b`', 2),
    '2.5',
    'Invalid value: `b` should be between `0` and `2`, but found `2.5`.',
  ],
  [
    'floatUpTo',
    floatUpTo('`b`', 2),
    '-1',
    'Invalid value: `b` should be between `0` and `2`, but found `-1`.',
  ],
  ['ratio', schemas.ratio('r'), '0', 0],
  ['ratio', schemas.ratio('r'), '1.0', 1],
  [
    'ratio',
    schemas.ratio('r'),
    '1.1',
    'Invalid value: the value of `r` is invalid, expected a float between `0.0` and `1.0`.',
  ],
  [
    'ratio',
    schemas.ratio('r'),
    '-0.1',
    'Invalid value: the value of `r` is invalid, expected a float between `0.0` and `1.0`.',
  ],
  ['anything', schemas.anything, '{"a":[1.0,18446744073709551615]}', { a: [1, 2 ** 64] }],
  ['oneOf', schemas.oneOf(['a', 'b']), '"b"', 'b'],
  ['oneOf', schemas.oneOf(['a', 'b']), '"c"', 'Unknown value `c`: expected one of `a`, `b`'],
  ['nullable', schemas.nullable(count), 'null', null],
  ['nullable', schemas.nullable(count), '3', 3],
  ['list', list(count), '[1,2]', [1, 2]],
  ['list', list(count), '{}', typed('an array', 'an object: `{}`')],
  [
    'list',
    list(count),
    '[1,"x"]',
    'Invalid value type at `[1]`: expected a positive integer, but found a string: `"x"`',
  ],
  ['listUpTo', listUpTo(2, 'things', count), '[1,2]', [1, 2]],
  [
    'listUpTo',
    listUpTo(2, 'things', count),
    '[1,"x",3]',
    'Invalid value: at most `2` things are accepted, but found `3`',
  ],
  ['textSet', schemas.textSet, '["b","a","b"]', ['a', 'b']],
  ['mapOf', schemas.mapOf(count), '{"b":1,"a":2}', { a: 2, b: 1 }],
  ['mapOf', schemas.mapOf(count), '[]', typed('an object', 'an array: `[]`')],
  [
    'mapOf',
    schemas.mapOf(count),
    '{"b":1,"a":null}',
    'Invalid value type at `.a`: expected a positive integer, but found null',
  ],
  ['checkedFilter', checkedFilter, '["a = 1"]', ['a = 1']],
])('%s: %#', (_, schema, json, expected) => {
  expect(read(schema, json)).toEqual(expected)
  if (typeof expected === 'object' && expected !== null) {
    expect(Object.keys(read(schema, json) as object)).toEqual(Object.keys(expected))
  }
})

test('a text for a header and a stored filter are checked', () => {
  expect(read(headerText, '"a\\n"')).toContain('Invalid value: the text ends with a line end')
  expect(read(checkedFilter, '"a ="')).toContain('Invalid value: Was expecting a value')
})

describe('an object', () => {
  type Small = { readonly a: number; readonly b: boolean }
  const small = object<Small, { readonly c: number }>(
    { a: required(count, null, 'missing_index_uid'), b: member(flag, 'invalid_search_q', true) },
    {
      aside: { c: member(count, 'invalid_search_limit', 5) },
      unlisted: ['b'],
      immutable: { d: 'immutable_index_created_at' },
    },
  )
  const code = (json: string): string | null => {
    try {
      schemas.readerOf(small)(exactJson(json))
      return null
    } catch (error) {
      return (error as ValidationError).code
    }
  }

  test.each<[string, unknown, string | null]>([
    ['{"a":1}', { a: 1, b: true }, null],
    ['{"c":2,"b":false,"a":1}', { a: 1, b: false, c: 2 }, null],
    ['{"b":true}', 'Missing field `a`', 'missing_index_uid'],
    ['{"a":null}', 'Invalid value type at `.a`: expected a positive integer, but found null', null],
    [
      '{"a":1,"b":2}',
      'Invalid value type at `.b`: expected a boolean, but found a positive integer: `2`',
      'invalid_search_q',
    ],
    [
      '{"a":1,"c":true}',
      'Invalid value type at `.c`: expected a positive integer, but found a boolean: `true`',
      'invalid_search_limit',
    ],
    ['{"d":1}', 'Immutable field `d`: expected one of `a`', 'immutable_index_created_at'],
    ['{"e":1}', 'Unknown field `e`: expected one of `a`', null],
    ['{"toString":1}', 'Unknown field `toString`: expected one of `a`', null],
    ['[]', 'Invalid value type: expected an object, but found an array: `[]`', null],
  ])('of %s', (json, expected, wanted) => {
    expect(read(small, json)).toEqual(expected)
    expect(code(json)).toBe(wanted)
  })

  test('describes its members', () => {
    expect(asKeywords(small)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'integer', minimum: 0 },
        b: { type: 'boolean', default: true, 'x-error-code': 'invalid_search_q' },
        c: { type: 'integer', minimum: 0, default: 5, 'x-error-code': 'invalid_search_limit' },
      },
      required: ['a'],
      additionalProperties: false,
    })
  })

  test('may ignore unknown members', () => {
    const open = object<Pick<Small, 'b'>>({ b: member(flag, null, false) }, { ignoreUnknown: true })
    expect(read(open, '{"x":1}')).toEqual({ b: false })
    expect(asKeywords(open)).not.toHaveProperty('additionalProperties', false)
  })

  test('of parts has the sent ones in the declared order', () => {
    const parts = partial<Partial<Small>>(
      { a: count, b: flag },
      { a: 'invalid_search_limit', b: 'invalid_search_q' },
      { unlisted: ['b'] },
    )
    expect(JSON.stringify(read(parts, '{"b":true,"a":1}'))).toBe('{"a":1,"b":true}')
    expect(read(parts, '{}')).toEqual({})
    expect(read(parts, '{"c":1}')).toBe('Unknown field `c`: expected one of `a`')
    expect(asKeywords(parts)).toMatchObject({
      properties: { a: { 'x-error-code': 'invalid_search_limit' } },
    })
    expect(asKeywords(parts)['required'] ?? []).toEqual([])
  })
})

describe('a filter', () => {
  const searched = schemas.readerOf(schemas.searchFilter)
  test('with many values, or one long text, becomes bytes', () => {
    // A list counts as a value.
    const values = (length: number): Json => Array<Json>(length - 1).fill('a = 1')
    expect(searched(values(FILTER_VALUES_MAX))).toEqual(values(FILTER_VALUES_MAX))
    const many = [values(FILTER_VALUES_MAX)]
    expect(searched(many)).toEqual(utf8.encode(JSON.stringify(many)))
    const long = 'x'.repeat(FILTER_CHARACTERS_MAX)
    expect(searched(long)).toBe(long)
    expect(searched(`${long}x`)).toEqual(utf8.encode(`"${long}x"`))
  })

  test.each<[string, unknown]>([
    ['a = 1', 'a = 1'],
    [' ["a = 1"] ', ['a = 1']],
    ['-1', -1],
    ['{"a":1}', { a: 1 }],
    ['false ', false],
    ['"x"', 'x'],
    ['nullable = 1', 'nullable = 1'],
    ['[1', '[1'],
    ['['.repeat(DEPTH_MAX + 1) + ']'.repeat(DEPTH_MAX + 1), '['.repeat(128) + ']'.repeat(128)],
  ])('of a query string: %#', (raw, expected) => {
    expect(filterOf(raw, 'invalid_search_filter')).toEqual(expected)
  })

  test('of a query string with many values becomes bytes, and null is refused', () => {
    const of = (values: number): string =>
      `[${Array<string>(values - 1)
        .fill('1')
        .join()}]`
    expect(filterOf(of(FILTER_VALUES_MAX), 'invalid_search_filter')).toHaveLength(999)
    expect(filterOf(` ${of(FILTER_VALUES_MAX + 1)} `, 'invalid_search_filter')).toEqual(
      utf8.encode(of(FILTER_VALUES_MAX + 1)),
    )
    expect(
      filterOf('['.repeat(DEPTH_MAX) + ']'.repeat(DEPTH_MAX), 'invalid_search_filter'),
    ).toEqual(JSON.parse('['.repeat(DEPTH_MAX) + ']'.repeat(DEPTH_MAX)))
    expect(() => filterOf('null', 'invalid_similar_filter')).toThrow(
      nullFilter('invalid_similar_filter'),
    )
  })
})

describe('facets', () => {
  const bad = (text: string): string => `Invalid value at \`[0]\`: ${text}`
  test.each<[string, unknown]>([
    ['["a",{"attribute":"b"}]', ['a', { attribute: 'b' }]],
    ['[{}]', 'Missing field `attribute` inside `[0]`'],
    ['[1]', 'Invalid value type at `[0]`: expected a string, but found a positive integer: `1`'],
    ['[{"attribute":"a","ranges":[]}]', 'at `[0].ranges`: at least one range is needed'],
    ['[{"attribute":"a","ranges":[{}]}]', 'ranges[0]`: a range needs `from` or `to`'],
    [
      '[{"attribute":"a","ranges":[{"from":2,"to":2}]}]',
      '`from` must be below `to`, but found `2` and `2`',
    ],
    [
      '[{"attribute":"a","ranges":[{"to":2},{"from":2,"to":3},{"from":3}]}]',
      [{ attribute: 'a', ranges: [{ to: 2 }, { from: 2, to: 3 }, { from: 3 }] }],
    ],
    [
      '[{"attribute":"a","ranges":[{"to":2,"key":"k"},{"from":2,"key":"k"}]}]',
      'two ranges have the key `k`',
    ],
    [
      '[{"attribute":"a","histogram":{"interval":5}}]',
      [{ attribute: 'a', histogram: { interval: 5, offset: 0 } }],
    ],
    [
      '[{"attribute":"a","histogram":{"interval":0}}]',
      'a number above zero was expected, but found `0`',
    ],
    [
      '[{"attribute":"a","order":"count","ranges":[{"to":1}]}]',
      bad('`order` and `ranges` exclude each other: remove one of them'),
    ],
    [
      '[{"attribute":"a","calendar":"month","histogram":{"interval":1}}]',
      bad('`histogram` and `calendar` exclude each other: remove one of them'),
    ],
    [
      '[{"attribute":"a","calendar":"month","timezone":"Europe/Paris"}]',
      [{ attribute: 'a', calendar: 'month', timezone: 'Europe/Paris' }],
    ],
    ['[{"attribute":"a","timezone":"UTC"}]', bad('`timezone` needs `calendar`')],
    ['[{"attribute":"a","calendar":"month","timezone":"Mars"}]', '`Mars` is no time zone'],
    [
      '[{"attribute":"a","calendar":"month"},{"attribute":"b"},{"attribute":"a","calendar":"day"}]',
      '`a` has buckets in two objects',
    ],
    [
      '[{"attribute":"a","calendar":"month"},{"attribute":"a"}]',
      [{ attribute: 'a', calendar: 'month' }, { attribute: 'a' }],
    ],
  ])('of %s', (json, expected) => {
    const found = read(facets, json)
    if (typeof expected === 'string') expect(found).toContain(expected)
    else expect(found).toEqual(expected)
  })

  test('have a limited number of objects, of ranges and of disjunctive attributes', () => {
    const objects = (length: number): string =>
      JSON.stringify(Array.from({ length }, (_, at) => ({ attribute: `a${at}` })))
    expect(read(facets, objects(FACET_OBJECTS_MAX))).toHaveLength(FACET_OBJECTS_MAX)
    expect(read(facets, objects(FACET_OBJECTS_MAX + 1))).toBe(
      'Invalid value: at most `100` objects are accepted, but found `101`',
    )
    const ranges = (length: number): string =>
      JSON.stringify([{ attribute: 'a', ranges: Array.from({ length }, (_, from) => ({ from })) }])
    expect(read(facets, ranges(FACET_RANGES_MAX))).toHaveLength(1)
    expect(read(facets, ranges(FACET_RANGES_MAX + 1))).toContain('at most `100` ranges')
    const names = (length: number): string[] => Array<string>(length).fill('a')
    expect(read(disjunctiveFacets, JSON.stringify(names(100)))).toHaveLength(100)
    expect(read(disjunctiveFacets, JSON.stringify(names(101)))).toContain('`100` attributes')
    expect(rawDisjunctiveFacets(names(100).join())).toEqual(names(100))
    expect(() => rawDisjunctiveFacets(names(101).join())).toThrow(ValidationError)
  })
})

test('names of indexes and ids of documents have a length', () => {
  expect([isIndexUid('a'.repeat(400)), isIndexUid('a'.repeat(401)), isIndexUid('é')]).toEqual([
    true,
    false,
    false,
  ])
  const problem = (uid: string): string => {
    try {
      checkIndexUid(uid)
      return ''
    } catch (error) {
      return `${(error as ApiError).code} ${(error as ApiError).message.slice(-20)}`
    }
  }
  expect([problem('a'), problem('a'.repeat(401)), problem('a b')]).toEqual([
    '',
    'invalid_index_uid more than 400 bytes.',
    'invalid_index_uid more than 512 bytes.',
  ])
  const ids = ['1', '1.5', '1.0', '18446744073709551615', '"a_-9"', '"a b"', '""', 'null', '[1]']
  expect(ids.map((json) => externalIdOf(exactJson(json)))).toEqual([
    '1',
    null,
    null,
    '18446744073709551615',
    'a_-9',
    null,
    null,
    null,
    null,
  ])
  expect(externalIdOf('a'.repeat(511))).not.toBeNull()
  expect(externalIdOf('a'.repeat(512))).toBeNull()
})

test.each([
  ['2023-01-01T23:59:60+23:59', true],
  ['2023-01-01T23:59:61Z', false],
  ['2023-01-01T23:60:00Z', false],
  ['2023-01-01T24:00:00Z', false],
  ['2023-01-01T00:00:00+00:60', false],
  ['2023-01-01T00:00:00-24:00', false],
  ['2023-01-32', false],
  ['0001-01-01', true],
])('%s is a moment: %s', (text, isMoment) => {
  expect(momentOf(text, 'after') !== null).toBe(isMoment)
})

test('digits after the nanosecond do not count', () => {
  expect(momentOf('1970-01-01T00:00:00.0000000009Z', 'before')).toBe(0)
  expect(momentOf('1970-01-01T00:00:00.0000010019Z', 'before')).toBe(2)
})

test('quoted text is the compact text, cut at a number of characters', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 1, max: 40 }), (value, max) => {
      const json = exactJson(JSON.stringify(value))
      const whole = compactText(json)
      expect(quotedText(json, max)).toBe(whole.length <= max ? whole : `${whole.slice(0, max)}…`)
      expect(cut(whole, max)).toBe(whole.length <= max ? whole : `${whole.slice(0, max)}…`)
      expect(plain(json)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('white space around tokens does not change a text that is read exactly', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const text = ` ${JSON.stringify(value, null, '\t\r\n ')}\n`
      expect(plain(exactJson(text))).toEqual(JSON.parse(text))
    }),
  )
  const spaced = ' { "a" : [ 1.0 , { } , [ ] ] , "b" :true , "c": "\\"" } '
  expect(compactText(exactJson(spaced))).toBe('{"a":[1.0,{},[]],"b":true,"c":"\\""}')
})

test('members keep the order of the text', () => {
  const names = (json: string): readonly string[] => membersOf(exactJson(json) as never)
  expect(names('{"b":1,"1":2,"a":3,"0":4,"b":5}')).toEqual(['b', '1', 'a', '0'])
  expect(names('{"b":1,"a":2}')).toEqual(['b', 'a'])
})

test.each([
  ['http://a.b/c', null],
  [' http://a b', 'invalid international domain name'],
  ['a.b/c', 'relative URL without a base'],
  ['http:///', 'empty host'],
  ['http://u@:80', 'empty host'],
  ['http://u@x@a:b', 'invalid port number'],
  ['http://a:65536', 'invalid port number'],
  ['http://[::1', 'invalid IPv6 address'],
  ['http://[::g]', 'invalid IPv6 address'],
  ['http://[::1]:x', 'invalid port number'],
  ['http://1.2.3.4.5?q', 'invalid IPv4 address'],
  ['http://a b:80#x', 'invalid international domain name'],
])('%j as a URL: %s', (text, problem) => {
  expect(urlProblem(text)).toBe(problem)
})

describe('a fault', () => {
  const accepted = ['limit', 'offset']
  const PROBLEMS: readonly (readonly [Problem, body: string, query: string])[] = [
    [
      { kind: 'type', accepted: ['null', 'a string'], found: 1 },
      'Invalid value type at `.a[3]`: expected null or a string, but found a positive integer: `1`',
      'Invalid value type at `.a[3]`: expected null or a string, but found a positive integer: `1`',
    ],
    [{ kind: 'missing', field: 'x' }, 'Missing field `x` inside `.a[3]`', 'Missing parameter `x`'],
    [
      { kind: 'unknown field', field: 'limt', accepted },
      'Unknown field `limt` inside `.a[3]`: did you mean `limit`? expected one of `limit`, `offset`',
      'Unknown parameter `limt`: did you mean `limit`? expected one of `limit`, `offset`',
    ],
    [
      { kind: 'unknown value', value: 'y', accepted },
      'Unknown value `y` at `.a[3]`: expected one of `limit`, `offset`',
      'Unknown value `y` for parameter `a[3]`: expected one of `limit`, `offset`',
    ],
    [
      { kind: 'immutable', field: 'x', accepted },
      'Immutable field `x`: expected one of `limit`, `offset`',
      'Immutable field `x`: expected one of `limit`, `offset`',
    ],
    [
      { kind: 'invalid', reason: 'no' },
      'Invalid value at `.a[3]`: no',
      'Invalid value in parameter `a[3]`: no',
    ],
    [
      { kind: 'not a string', raw: 'r' },
      'Invalid value type at `.a[3]`: expected a string, but found a string: `r`',
      'Invalid value type for parameter `a[3]`: expected a string, but found a string: `r`',
    ],
    [{ kind: 'sentence', text: 'As it is.' }, 'As it is.', 'As it is.'],
  ]

  test.each(PROBLEMS)('of %j', (problem, body, query) => {
    const fault = new ValidationError(problem)
    outOf(fault, 3, null)
    expect(outOf(fault, 'a', 'invalid_search_q')).toBe(fault)
    outOf(fault, '', null)
    fault.steps.pop()
    expect(bodyError(fault, 'bad_request')).toMatchObject({
      code: 'invalid_search_q',
      message: body,
    })
    expect(queryError(fault)).toMatchObject({ code: 'invalid_search_q', message: query })
  })

  test('has the code of the innermost member, or that of the reader', () => {
    const fault = new ValidationError({ kind: 'invalid', reason: 'no' })
    expect(bodyError(fault, 'invalid_search_q').code).toBe('invalid_search_q')
    expect(queryError(fault).code).toBe('bad_request')
    outOf(fault, 'a', 'invalid_search_limit')
    outOf(fault, 'b', 'invalid_search_offset')
    expect(bodyError(fault, 'bad_request').code).toBe('invalid_search_limit')
    const other = new Error('other')
    expect(outOf(other, 'a', 'invalid_search_q')).toBe(other)
  })

  test('quotes a text up to a length', () => {
    expect([cut('abc', 3), cut('abcd', 3)]).toEqual(['abc', 'abc…'])
  })

  test('has a message of a limited length', () => {
    const fault = new ValidationError({ kind: 'invalid', reason: 'x'.repeat(50_000) })
    for (const { message } of [bodyError(fault, 'bad_request'), queryError(fault)]) {
      expect([message.length, message.at(-1)]).toEqual([MESSAGE_CHARACTERS_MAX, '…'])
    }
  })
})
