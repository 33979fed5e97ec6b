// Properties of every reader of this folder, found by its name: the tests build bodies and query
// strings from the schema that the reader publishes, so a new reader is covered without a new line.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../errors/catalogue.ts'
import { ApiError } from '../errors/index.ts'
import * as parse from './index.ts'
import type { QueryReader } from './schema/index.ts'
import { schemaOf } from './schema/reader-schemas.ts'

type Keywords = { readonly [keyword: string]: unknown }
type Read = (input: never, ...more: never[]) => unknown

const utf8 = new TextEncoder()

/** Readers with other arguments, or of parts of a path: other tests cover them. */
const OTHERS = ['readBody', 'readSetting', 'readTaskUid', 'readBatchUid', 'readWebhookUuid']

const ALL = Object.entries(parse)
  .filter(([name, value]) => /^read[A-Z]/.test(name) && typeof value === 'function')
  .filter(([name]) => !OTHERS.includes(name)) as unknown as readonly (readonly [string, Read])[]
const isQuery = (read: Read): boolean => 'parameters' in read
const BODIES = ALL.filter(([, read]) => !isQuery(read))
const QUERIES = ALL.filter(([, read]) => isQuery(read)) as unknown as readonly (readonly [
  string,
  QueryReader<unknown>,
])[]

/** Traces of a defect in a message: a value that was printed without a form for it. */
const DEFECT = /\bundefined\b|\[object |TypeError|is not a function|^\s*$/

function expectRefusal(error: unknown, input: string): void {
  expect(error, input).toBeInstanceOf(ApiError)
  const { code, status, message } = error as ApiError
  expect(status, input).toBe(CATALOGUE[code].status)
  expect(status, input).toBe(400)
  expect(message, input).not.toMatch(DEFECT)
}

/** Values of every JSON type, with edge cases of each. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'a', '*', 'a,b', '2024-05-01', 'asc', 'http://a.b'),
  fc.constantFrom<unknown>(0, -0, 1, -1, 0.5, 1e21, 2 ** 53, -(2 ** 63)),
  fc.constantFrom<unknown>([], [[]], [null], ['a', 1], {}, { a: {} }, { __proto__x: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Bodies with the members of a schema; most values have the described type. */
function bodiesOf(schema: Keywords, depth = 3): fc.Arbitrary<unknown> {
  const { type, enum: words, const: only, items, properties, anyOf } = schema
  const inner = (one: unknown): fc.Arbitrary<unknown> => bodiesOf(one as Keywords, depth - 1)
  if (depth === 0) return anyValue
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(inner), anyValue)
  if (Array.isArray(words)) return fc.oneof(fc.constantFrom(...words), anyValue)
  if (only !== undefined) return fc.constant(only)
  if (type === 'array') return fc.oneof(fc.array(inner(items ?? {}), { maxLength: 3 }), anyValue)
  if (type !== 'object') return anyValue
  const members = Object.entries((properties ?? {}) as { readonly [name: string]: unknown })
  const known = fc.record(Object.fromEntries(members.map(([name, one]) => [name, inner(one)])), {
    requiredKeys: [],
  })
  const stray = fc.dictionary(fc.constantFrom('limt', 'uidd', 'x', '__proto__'), anyValue, {
    maxKeys: 1,
  })
  return fc.oneof(
    { weight: 6, arbitrary: known },
    {
      weight: 1,
      arbitrary: fc.tuple(known, stray).map(([a, b]) => ({ ...(a as object), ...b })),
    },
  )
}

test('the readers of bodies and of query strings are found', () => {
  expect(BODIES.length).toBeGreaterThan(25)
  expect(QUERIES.length).toBeGreaterThan(12)
})

describe('the published schema', () => {
  /** Members that take any value, or are checked where they are used. */
  const anything = /(?:^|\.)(?:filter|ids|inline|params|request|response|target|value|values)[^.]*$/

  function undescribed(schema: Keywords, path: string): readonly string[] {
    const { description, examples, title, default: preset, ...keywords } = schema
    const { properties = {}, items, anyOf = [], additionalProperties } = keywords
    const parts = [
      ...Object.entries(properties as Keywords).map(([name, one]) => [`${path}.${name}`, one]),
      ...(anyOf as readonly unknown[]).map((one, at) => [`${path}|${at}`, one]),
      [`${path}[]`, items],
      [`${path}{}`, additionalProperties],
    ] as const
    const inner = parts.filter(([, one]) => typeof one === 'object')
    const here = Object.keys(keywords).length === 0 && !anything.test(path) ? [path] : []
    return [...here, ...inner.flatMap(([at, one]) => undescribed(one as Keywords, at as string))]
  }

  test.each(BODIES.filter(([name]) => name !== 'readDeleteBatch'))(
    '%s: describes each member',
    (_, read) => expect(undescribed(schemaOf(read) as Keywords, 'body')).toEqual([]),
  )

  test.each(QUERIES)('%s: describes each parameter', (_, read) => {
    for (const { name, schema } of read.parameters()) {
      expect(undescribed(schema as Keywords, name)).toEqual([])
    }
  })
})

describe('a body', () => {
  test.each(BODIES)('%s: gives a value or a refusal of the catalogue', (_, read) => {
    let count = 0
    fc.assert(
      fc.property(bodiesOf(schemaOf(read) as Keywords), (body) => {
        const text = JSON.stringify(body)
        try {
          read(utf8.encode(text) as never)
        } catch (error) {
          expectRefusal(error, text)
        }
        count++
      }),
      { numRuns: 15 },
    )
    expect(count).toBeGreaterThanOrEqual(15)
  })

  test.each(BODIES)('%s: refuses bodies that are not JSON', (_, read) => {
    for (const text of ['', '{', '{"a":}', '[1,]', '\u0000', '{"a":1}x', "{'a':1}", 'nul']) {
      let error: unknown = null
      try {
        read(utf8.encode(text) as never)
      } catch (refusal) {
        error = refusal
      }
      expectRefusal(error, text)
      const { code } = error as ApiError
      expect(['missing_payload', 'malformed_payload', 'bad_request'], text).toContain(code)
    }
  })
})

describe('a query string', () => {
  const rawValue = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      '1',
      '-1',
      '007',
      '1e3',
      '0.5',
      'NaN',
      'true',
      'TRUE',
      '*',
      ',',
      'a,b',
    ),
    fc.constantFrom('2024-05-01', '2024-13-01', '2024-05-01T00:00:00Z', '[1,2]', '{"a":1}', 'null'),
    fc.string({ maxLength: 8 }),
  )

  test.each(QUERIES)('%s: gives a value or a refusal of the catalogue', (_, read) => {
    const names = read.parameters().map(({ name }) => name)
    const pair = fc.tuple(fc.constantFrom(...names, 'limt'), rawValue)
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 4 }), (pairs) => {
        const text = pairs.map(([name, raw]) => `${name}=${encodeURIComponent(raw)}`).join('&')
        try {
          read(text)
        } catch (error) {
          expectRefusal(error, text)
        }
      }),
      { numRuns: 25 },
    )
  })

  test.each(QUERIES)('%s: refuses an unknown parameter, and lists its own', (_, read) => {
    const names = read.parameters().map(({ name }) => name)
    let message = ''
    try {
      read('quite-unknown=1')
    } catch (error) {
      expect((error as ApiError).code).toBe('bad_request')
      message = (error as ApiError).message
    }
    expect(message).toMatch(/^Unknown parameter `quite-unknown`: expected one of `/)
    const listed = [...message.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(names).toEqual(expect.arrayContaining(listed))
    expect(listed.length).toBeGreaterThan(0)
  })

  test('a wrong value of a parameter has the code of that parameter', () => {
    let count = 0
    for (const [, read] of QUERIES) {
      for (const { name, schema, code } of read.parameters()) {
        const { type } = schema as Keywords
        if (type !== 'integer' && type !== 'boolean') continue
        expect(() => read(`${name}=%7Bwrong%7D`), name).toThrow(
          expect.objectContaining({ code, message: expect.stringContaining(name) }),
        )
        count++
      }
    }
    expect(count).toBeGreaterThan(20)
  })
})

test('a setting gives a value or a refusal with its code or that of a member', () => {
  const settings = Object.keys(parse.SETTING_ROUTES) as (keyof typeof parse.SETTING_ROUTES)[]
  fc.assert(
    fc.property(fc.constantFrom(...settings), anyValue, (name, value) => {
      const text = JSON.stringify(value)
      try {
        expect(parse.readSetting(name, utf8.encode(text))).toHaveProperty(name)
      } catch (error) {
        expectRefusal(error, text)
      }
    }),
    { numRuns: 200 },
  )
})
