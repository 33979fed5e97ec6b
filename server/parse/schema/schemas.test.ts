// Schemas and their readers alone, and properties for any JSON: the result is a value or a fault,
// nothing else.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isValid } from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import * as parse from '../index.ts'
import { SETTING_SCHEMAS } from '../settings.table.ts'
import { scanBody } from './body-scan.ts'
import { exactJson, exactNumber } from './exact-json.ts'
import { object } from './index.ts'
import { compactText, type Json, kindOf, plain, WholeFloat } from './json-value.ts'
import { readerOf, type Schema } from './schemas.ts'
import { kindList, ValidationError } from './validation-error.ts'

const utf8 = new TextEncoder()

describe('a list of types', () => {
  test.each([
    [['a string'], 'a string'],
    [['an array', 'a string'], 'a string or an array'],
    [['an object', 'null', 'a boolean'], 'null, a boolean, or an object'],
    [['a positive integer', 'a negative integer'], 'an integer'],
    [['a positive integer', 'a negative integer', 'a number'], 'a number'],
    [['a negative integer', 'a string'], 'a negative integer or a string'],
    [['a string', 'a positive integer', 'a negative integer'], 'an integer or a string'],
  ] as const)('%j', (kinds, words) => {
    expect(kindList(kinds)).toBe(words)
  })
})

describe('numbers keep their spelling', () => {
  test.each([
    ['0', 'a positive integer', '0'],
    ['-0', 'a number', '-0.0'],
    ['1.0', 'a number', '1.0'],
    ['1e1', 'a number', '10.0'],
    ['100000000000000000000', 'a number', '1e+20'],
    ['18446744073709551615', 'a positive integer', '18446744073709551615'],
    ['18446744073709551616', 'a number', '1.8446744073709552e+19'],
    ['9007199254740993', 'a positive integer', '9007199254740993'],
    ['-9223372036854775808', 'a negative integer', '-9223372036854775808'],
    ['-9223372036854775809', 'a number', '-9.223372036854776e+18'],
    ['0.0001', 'a number', '0.0001'],
    ['1e-7', 'a number', '1e-7'],
    ['-2.50', 'a number', '-2.5'],
  ])('%s', (written, kind, shown) => {
    const value = exactNumber(written)
    expect([kindOf(value), compactText(value)]).toEqual([kind, shown])
  })

  test.each([
    ['{"limit":1.0}', 'a number: `1.0`'],
    ['{"limit":1e3}', 'a number: `1000.0`'],
    ['{"limit":-0}', 'a number: `-0.0`'],
    ['{"limit":[{"b":1.50,"a":[ 1.0 ,-1]}]}', 'an array: `[{"b":1.5,"a":[1.0,-1]}]`'],
    [
      '{"limit":{"b":1,"10":2,"9":"\\u00e9\\u0001/"}}',
      'an object: `{"b":1,"10":2,"9":"é\\u0001/"}`',
    ],
  ])('%s', (body, found) => {
    expect(() => parse.readSearch(utf8.encode(body))).toThrow(
      `Invalid value type at \`.limit\`: expected a positive integer, but found ${found}`,
    )
  })

  test('a whole float is a number where a number is expected', () => {
    const body = utf8.encode(
      '{"rankingScoreThreshold":1.0,"vector":[1e0,-0,2.0,12345678901234567890]}',
    )
    const asked = parse.readSearch(body)
    expect(asked.rankingScoreThreshold).toBe(1)
    expect(asked.vector).toEqual(Float64Array.of(1, -0, 2, Number('12345678901234567890')))
  })
})

describe('members keep the order of the body', () => {
  test.each([
    ['{"limit":"x","1":0}', '`.limit`'],
    ['{"1":0,"limit":"x"}', 'Unknown field `1`'],
    ['{"b":0,"a":0}', 'Unknown field `b`'],
    ['{"limit":"x","offset":"y","limit":"z"}', '`"z"`'],
    ['{"__proto__":1,"limit":"x"}', 'Unknown field `__proto__`'],
  ])('%s', (body, told) => {
    expect(() => parse.readSearch(utf8.encode(body))).toThrow(told)
  })
})

/** JSON text in many spellings: numbers of all kinds, blanks, escapes, repeated members. */
const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'null',
      'true',
      'false',
      '-0',
      '1.0',
      '1e2',
      '1E+2',
      '10e-1',
      '0e-5',
      '1e-300',
      '12e-0',
      '1e-05',
    ),
    fc.constantFrom('18446744073709551615', '18446744073709551616', '9007199254740993', '-1'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.bigInt({ min: -(1n << 65n), max: 1n << 65n }).map(String),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u00e9"', '"\\ud83d\\ude00"', '"\\/"', '"a1.0"', '"1e5"'),
    fc.array(tie('value')).map((elements) => `[${elements.join(' , ')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '0', '10', '__proto__', 'é'), tie('value')))
      .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)} :${v}`).join(',')}}`),
  ),
})).value

const countSpecials = (value: unknown): number => {
  if (typeof value === 'bigint' || value instanceof WholeFloat) return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + countSpecials(inner), 0)
}

test('the exact reader gives the same as JSON.parse', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const exact = exactJson(text)
      expect(plain(exact)).toEqual(JSON.parse(text))
      // The compact text of a value must parse to that value again.
      expect(JSON.parse(compactText(exact))).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('a body classified as plain loses nothing in JSON.parse', () => {
  let plainOnes = 0
  fc.assert(
    fc.property(jsonText, (text) => {
      if (!scanBody(utf8.encode(text)).isPlain) return
      plainOnes++
      expect(countSpecials(exactJson(text))).toBe(0)
    }),
    { numRuns: 1000 },
  )
  expect(plainOnes).toBeGreaterThan(100)
})

test('the fast way and the exact one give the same answer', () => {
  let answers = 0
  const search = readerOf(object(parse.SEARCH_MEMBERS))
  const body = fc
    .array(fc.tuple(fc.constantFrom(...Object.keys(parse.SEARCH_MEMBERS)), jsonText))
    .map((members) => `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`)
  fc.assert(
    fc.property(body, (text) => {
      const outcome = (run: () => unknown): unknown => {
        try {
          return run()
        } catch (error) {
          return error instanceof ApiError ? error.message : 'refused'
        }
      }
      const exactly = outcome(() => search(exactJson(text)))
      const read = outcome(() => parse.readSearch(utf8.encode(text)))
      if (exactly === 'refused') expect(typeof read).toBe('string')
      else {
        answers++
        expect(read).toEqual(exactly)
      }
    }),
    { numRuns: 2000 },
  )
  expect(answers).toBeGreaterThan(50)
})

test('deep nesting and half a surrogate pair are refused, even if JSON.parse accepts them', () => {
  const deep = (depth: number): Uint8Array =>
    utf8.encode(`{"filter":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)
  expect(parse.readSearch(deep(127)).limit).toBe(20)
  expect(() => parse.readSearch(deep(128))).toThrow('recursion limit exceeded at line 1 column 137')
  expect(() => parse.readSearch(utf8.encode('{"q":"\\ud83d"}'))).toThrow(
    'unexpected end of hex escape at line 1 column 13',
  )
  expect(parse.readSearch(utf8.encode('{"q":"\\ud83d\\ude00"}')).q).toBe('😀')
  const wide = utf8.encode(`{"filter":[${'[],'.repeat(500)}[]]}`)
  expect(parse.readSearch(wide).filter).toHaveLength(501)
})

const READERS = [
  parse.readSearch,
  parse.readFacetSearch,
  parse.readSettings,
  (body: Uint8Array) => parse.documentsRequest(parse.readDocumentsFetch(body)),
  parse.readDeletion,
  parse.readDeleteBatch,
  parse.readIndexCreation,
  parse.readIndexUpdate,
  parse.readSwaps,
  parse.readFields,
  parse.readFeatures,
  (body: Uint8Array) => parse.readSetting('embedders', body),
  (body: Uint8Array) => parse.readSetting('typoTolerance', body),
  (body: Uint8Array) => parse.readSetting('chat', body),
]
const NAMES = [
  ...Object.keys(parse.SEARCH_MEMBERS),
  ...Object.keys(parse.SETTING_ROUTES),
  'uid',
  'indexes',
  'facetName',
  'metrics',
  'source',
  'mean',
  'features',
  'minWordSizeForTypos',
  'searchParameters',
  'hybrid',
  'embedder',
  'request',
  'attributePatterns',
  'locales',
  '__proto__',
]
const anyBody = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1.5, 300, 'asc', 'words', 'a:asc', 'fr', 'rest', '', '*'),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
  ),
})).value

test('any JSON gives a value or an ApiError', () => {
  let values = 0
  fc.assert(
    fc.property(anyBody, fc.nat(READERS.length - 1), (body, which) => {
      const bytes = utf8.encode(JSON.stringify(body))
      try {
        expect(READERS[which]!(bytes)).toBeDefined()
        values++
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
        expect((error as ApiError).status).toBe(400)
      }
    }),
    { numRuns: 3000 },
  )
  expect(values).toBeGreaterThan(10)
})

test('any bytes give a value or an ApiError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(READERS.length - 1), (bytes, which) => {
      try {
        READERS[which]!(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
      }
    }),
    { numRuns: 2000 },
  )
})

describe('readers accept what the schema accepts', () => {
  const SCHEMAS: { readonly [name: string]: Schema<unknown> } = {
    search: object(parse.SEARCH_MEMBERS),
    ...SETTING_SCHEMAS,
  }
  const SCALARS: { readonly [type: string]: readonly unknown[] } = {
    string: ['', 'a', 'words'],
    integer: [0, 1, 300],
    number: [0, 0.5, 1],
    boolean: [true, false],
    null: [null],
  }
  /** Bodies of one schema: mostly its own members, with values that may suit them. */
  const bodyOf = (described: { readonly [keyword: string]: unknown }): fc.Arbitrary<unknown> => {
    const { type, enum: words, items, properties, additionalProperties: more, anyOf } = described
    const inner = (schema: unknown): fc.Arbitrary<unknown> => bodyOf(schema as typeof described)
    const wrong = fc.constantFrom<unknown>(null, '', 'a', 0, 1, -1, 0.5, 300, true, [], {}, ['a'])
    const suited = (): fc.Arbitrary<unknown> => {
      if (anyOf !== undefined) return fc.oneof(...(anyOf as unknown[]).map(inner))
      if (words !== undefined) return fc.constantFrom(...(words as unknown[]))
      if (type === 'array') return fc.array(inner(items), { maxLength: 2 })
      const scalars = SCALARS[String(type)]
      if (scalars !== undefined) return fc.constantFrom(...scalars)
      if (type !== 'object') return wrong
      if (typeof more === 'object') return fc.dictionary(fc.string(), inner(more), { maxKeys: 2 })
      const known = Object.entries(properties ?? {}).map(([name, one]) => [name, inner(one)])
      return fc.record(Object.fromEntries(known), { requiredKeys: [] })
    }
    return fc.oneof({ weight: 40, arbitrary: suited() }, { weight: 1, arbitrary: wrong })
  }

  test.each(Object.keys(SCHEMAS))('%s', (name) => {
    const schema = SCHEMAS[name]!
    const read = readerOf(schema)
    let values = 0
    fc.assert(
      fc.property(bodyOf(schema), (body) => {
        let isRead = true
        try {
          read(body as Json)
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError)
          isRead = false
          // Rules beyond a schema have separate messages; all other faults must match the schema.
          if ((error as ValidationError).problem.kind === 'invalid') return
        }
        // Actions of a rule may be the list of releases up to 1.50, which is not described.
        if (isRead && JSON.stringify(body).includes('"actions":[')) return
        expect(isValid(schema, body)).toBe(isRead)
        if (isRead) values++
      }),
      { numRuns: 300 },
    )
    expect(values).toBeGreaterThan(10)
  })
})
