// Schemas and their checks: hostile names, the place of a fault, and values that messages must not
// contain.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CorruptionError } from '../errors.ts'
import * as schema from './index.ts'

const { anything, count, flag, isNestedDeeper, list, mapOf, nullable, number } = schema
const { object, oneOf, text } = schema

type Thing = {
  readonly name: string
  readonly size?: number
  readonly tags: readonly string[]
  readonly by: { readonly [name: string]: number }
}
const THING = schema.objectWith<Thing>(
  { name: text, tags: schema.texts, by: mapOf(number) },
  { size: count },
)
const GOOD: Thing = { name: 'a', tags: ['x'], by: { constructor: 1, 'a\nb': 2 } }

describe('a value conforms to its schema', () => {
  test.each([
    ['text', text, '', [null, 1, ['a'], {}]],
    ['flag', flag, false, [0, 'true', null]],
    ['number', number, -1.5, ['1', null, Number.POSITIVE_INFINITY, Number.NaN]],
    ['count', count, 0, [-1, 0.5, '0', null]],
    ['safe count', schema.safeCount, 2 ** 53 - 1, [2 ** 53, -1]],
    ['word', oneOf(['a', 'b']), 'b', ['c', 'toString', 1, null, ['a']]],
    ['text or null', nullable(text), null, [1, undefined, {}]],
    ['either', schema.either(text, list(count)), [1], [1, ['a'], null]],
    ['pattern', schema.textLike(/^a+$/), 'aa', ['ab', '', 1]],
    ['pair', schema.entry([text, count]), ['a', 1], [['a'], ['a', 1, 2], ['a', 'b'], {}]],
    ['anything', anything, null, []],
    [
      'thing',
      THING,
      GOOD,
      [[], null, { ...GOOD, more: 1 }, { ...GOOD, size: null }, { name: 'a' }],
    ],
    ['open thing', schema.open(THING), { ...GOOD, more: 1 }, [{ ...GOOD, by: [] }]],
    ['part', schema.part({ a: text }), {}, [[], null, { a: null }, { b: 'x' }]],
  ] as const)('%s', (_, checked, good, bad) => {
    expect(schema.isValid(checked as schema.Schema<unknown>, good)).toBe(true)
    for (const value of bad) {
      expect(schema.isValid(checked as schema.Schema<unknown>, value)).toBe(false)
      expect(schema.faultOf(checked as schema.Schema<unknown>, value)).not.toBeNull()
    }
  })

  test.each([
    '{"__proto__":"x"}',
    '{"constructor":"x"}',
    '{"prototype":"x"}',
    '{"a\\nb":"x"}',
    '{"":"x"}',
    '{"toString":"x"}',
  ])('any name: %s', (json) => {
    expect(schema.isValid(mapOf(text), JSON.parse(json))).toBe(true)
    expect(schema.isValid(mapOf(count), JSON.parse(json))).toBe(false)
    expect(schema.isValid(schema.part({ a: text }), JSON.parse(json))).toBe(false)
  })
})

test('a map of texts accepts any names', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
      const all = Object.values(value).every((inner) => typeof inner === 'string')
      expect(schema.isValid(mapOf(text), value)).toBe(all)
    }),
  )
})

test.each([
  [THING, { tags: [], by: {} }, 'a text at /name'],
  [THING, { ...GOOD, size: 0.5 }, 'a whole number from 0 at /size'],
  [list(oneOf(['a', 'b'])), ['a', 'c'], 'one of a, b at /1'],
  [schema.either(text, list(text)), 1, 'a text or a list at '],
  [schema.textLike(/^a$/), 'b', 'a text like ^a$ at '],
  [schema.titled(schema.countBetween(1, 2), 'a place'), 3, 'a place at '],
  [flag, 0, 'true or false at '],
])('a fault says what is expected, and where: %#', (checked, value, words) => {
  const fault = schema.faultOf(checked as schema.Schema<unknown>, value)!
  expect(`${fault.expected} at ${fault.path}`).toBe(words)
})

describe('stored JSON', () => {
  const utf8 = new TextEncoder()
  const decoded = (json: string): unknown =>
    schema.decodedJson(object({ a: THING }), utf8.encode(json), 'thing')

  test('is the value', () => {
    expect(decoded(JSON.stringify({ a: GOOD }))).toEqual({ a: GOOD })
  })

  test.each([
    ['', 'expected JSON'],
    ['{', 'expected JSON'],
    ['[]', 'thing @0: bad_value, expected an object, got array'],
    [
      JSON.stringify({ a: { ...GOOD, tags: ['x', null] } }),
      'expected a text at /a/tags/1, got null',
    ],
    [
      JSON.stringify({ a: { ...GOOD, secret: 's3cret' } }),
      'expected no member of this name at /a/secret',
    ],
  ])('%s', (json, told) => {
    expect(() => decoded(json)).toThrow(CorruptionError)
    expect(() => decoded(json)).toThrow(told)
    expect(() => decoded(json)).not.toThrow('s3cret')
  })

  test('has to be UTF-8', () => {
    expect(() => schema.decodedJson(text, Uint8Array.of(0x22, 0xff, 0x22), 'thing')).toThrow(
      CorruptionError,
    )
  })

  test('of many members is checked in linear time', () => {
    const names = (length: number): object =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`name ${i}`, ['a']]))
    expect(schema.isValid(mapOf(schema.texts), names(100_000))).toBe(true)
  })
})

test('the levels of a value are counted without recursion', () => {
  const deep = (levels: number): unknown =>
    JSON.parse(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`)
  expect([1, null, 'a'].map((value) => isNestedDeeper(value, 0))).toEqual([false, false, false])
  expect([isNestedDeeper([[]], 1), isNestedDeeper([[1]], 2)]).toEqual([false, false])
  expect([isNestedDeeper([[1]], 1), isNestedDeeper({ a: [{}] }, 1)]).toEqual([true, true])
  expect([isNestedDeeper(deep(64), 64), isNestedDeeper(deep(66), 64)]).toEqual([false, true])
  expect(isNestedDeeper(deep(100_000), 1000)).toBe(true)
})
