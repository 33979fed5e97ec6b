// Values: members that are read once, ranges, names of types, equality, order, texts and JSON.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ScriptFault } from './faults.ts'
import { readJsonText, writeJson } from './json.ts'
import { VALUE_DEPTH_MAX } from './limits.ts'
import {
  Blob,
  Char,
  compareValues,
  debugText,
  displayText,
  equalValues,
  FunctionPointer,
  Range,
  ScriptMap,
  Stream,
  shortTypeName,
  signatureOf,
  TextBudget,
  textOfString,
  typeName,
  Unread,
  type Value,
  weightOf,
} from './values.ts'

const mapOf = (members: { readonly [name: string]: Value | Unread }): ScriptMap => {
  const map = new ScriptMap()
  for (const [name, value] of Object.entries(members)) map.set(name, value)
  return map
}
const pointer = new FunctionPointer('f', null, [], [])
const stream = new Stream(() => [])

test('a member that is not decoded yet is decoded once, and then the same value', () => {
  let reads = 0
  const member = new Unread(Buffer.from('[1]'), (bytes) => {
    reads++
    return readJsonText(Buffer.from(bytes).toString())!
  })
  const map = mapOf({ a: member, b: 1n })
  expect([map.size, map.has('a'), map.peek('a'), reads]).toEqual([2, true, member, 0])
  expect(weightOf(member)).toBe(3)
  const value = map.get('a') as Value[]
  value.push(2n)
  expect([map.get('a'), map.peek('a'), reads]).toEqual([[1n, 2n], value, 1])
  expect(map.names()).toEqual(['a', 'b'])
  map.delete('a')
  expect([map.has('a'), map.get('a'), map.size]).toEqual([false, undefined, 1])
  map.clear()
  expect([map.size, [...map.entries()]]).toEqual([0, []])
})

test.each([
  [false, [false, true, true, false, false]],
  [true, [false, true, true, true, false]],
])('a range has its ends: inclusive %s', (isInclusive, expected) => {
  const range = new Range(1n, 3n, isInclusive)
  expect([0n, 1n, 2n, 3n, 4n].map((value) => range.has(value))).toEqual(expected)
})

describe('a value', () => {
  it.each<[Value, type: string, short: string, debug: string, display: string]>([
    [null, '()', '()', '()', ''],
    [true, 'bool', 'bool', 'true', 'true'],
    [7n, 'i64', 'i64', '7', '7'],
    [1.5, 'f64', 'f64', '1.5', '1.5'],
    [2, 'f64', 'f64', '2.0', '2.0'],
    [-0, 'f64', 'f64', '-0.0', '-0.0'],
    [1e15, 'f64', 'f64', '1000000000000000.0', '1000000000000000.0'],
    [1e16, 'f64', 'f64', '10000000000000000', '10000000000000000'],
    [-1e16, 'f64', 'f64', '-10000000000000000', '-10000000000000000'],
    [Number.NaN, 'f64', 'f64', 'NaN', 'NaN'],
    [Number.POSITIVE_INFINITY, 'f64', 'f64', 'inf', 'inf'],
    [Number.NEGATIVE_INFINITY, 'f64', 'f64', '-inf', '-inf'],
    ['a"', 'string', 'string', '"a\\""', 'a"'],
    [new Char('a'), 'char', 'char', "'a'", 'a'],
    [[1n, 'a', null], 'array', 'array', '[1, "a", ()]', '[1, "a", ()]'],
    [mapOf({ b: 1n, a: 'x' }), 'map', 'map', '#{"a": "x", "b": 1}', '#{"a": "x", "b": 1}'],
    [pointer, 'Fn', 'Fn', 'Fn(f)', 'Fn(f)'],
    [new Blob(Uint8Array.of(1, 255)), 'blob', 'blob', '[01ff]', '[01ff]'],
    [new Range(1n, 2n, false), 'core::ops::range::Range<i64>', 'range', '1..2', '1..2'],
    [new Range(1n, 2n, true), 'core::ops::range::RangeInclusive<i64>', 'range=', '1..=2', '1..=2'],
    [stream, 'range', 'range', 'range', 'range'],
  ])('%# has a type and a text', (value, type, short, debug, display) => {
    expect([typeName(value), shortTypeName(value)]).toEqual([type, short])
    expect([debugText(value), displayText(value)]).toEqual([debug, display])
  })

  it('has a weight: its elements, members and characters', () => {
    const values: readonly Value[] = [null, 1n, '', 'abc', [], [1n, 'a'], mapOf({ ab: 1n })]
    expect(values.map(weightOf)).toEqual([1, 1, 1, 4, 1, 4, 4])
  })

  it('is named with others as faults list them', () => {
    expect(signatureOf([1n, 'a', new Range(0n, 1n, true)])).toBe(
      'i64, &str | ImmutableString | String, range=',
    )
    expect(['a', new Char('b'), 1n, null].map(textOfString)).toEqual(['a', 'b', null, null])
  })
})

/** Values in classes: those of one class are equal, those of different ones are not. */
const CLASSES: readonly (readonly Value[])[] = [
  [null],
  [true],
  [false],
  [1n, 1, 1 + Number.EPSILON],
  [2n, 2],
  [1 + 4 * Number.EPSILON],
  ['a', new Char('a')],
  ['b'],
  [[], []],
  [
    [1n, 'a'],
    [1, new Char('a')],
  ],
  [[1n]],
  [[1n, 'b']],
  [mapOf({}), mapOf({})],
  [mapOf({ a: 1n }), mapOf({ a: 1 })],
  [mapOf({ b: 1n })],
  [mapOf({ a: 2n })],
  [mapOf({ a: 1n, b: 1n })],
  [new Range(1n, 2n, true), new Range(1n, 2n, true)],
  [new Range(1n, 2n, false)],
  [new Range(1n, 3n, true)],
  [new Range(0n, 2n, true)],
]

test('values are equal within their class alone', () => {
  const all = CLASSES.flatMap((values, kind) => values.map((value) => [kind, value] as const))
  for (const [one, a] of all) {
    for (const [other, b] of all) {
      expect(equalValues(a, b), `${debugText(a)} and ${debugText(b)}`).toBe(one === other)
    }
  }
  const infinite = Number.POSITIVE_INFINITY
  expect([equalValues(infinite, infinite), equalValues(pointer, pointer)]).toEqual([false, false])
})

test.each<[Value, Value, number | null]>([
  [1n, 2, -1],
  [2.5, 2n, 1],
  [2n, 2, 0],
  [Number.NaN, 1n, null],
  ['a', new Char('b'), -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  [false, true, -1],
  [true, true, 0],
  [null, null, 0],
  [null, 1n, null],
  [1n, null, null],
  [true, 1n, null],
  [1n, 'a', null],
  [[], [], null],
])('the order of %# is known, or null', (a, b, expected) => {
  const order = compareValues(a, b)
  expect(order === null ? null : Math.sign(order)).toBe(expected)
})

test('a text has a budget', () => {
  const budget = new TextBudget(3)
  expect([budget.take('ab'), budget.take('c'), budget.take('')]).toEqual(['ab', 'c', ''])
  expect(() => budget.take('d')).toThrow(
    new ScriptFault('ErrorDataTooLarge', 'Length of string too long', null),
  )
})

describe('JSON', () => {
  it('is read with white space anywhere, and written without', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.boolean(), (value, isSpaced) => {
        const text = ` ${JSON.stringify(value, null, isSpaced ? '\t\r\n ' : undefined)}\n`
        const read = JSON.parse(writeJson(readJsonText(text)!)) as unknown
        expect(read).toEqual(JSON.parse(text))
      }),
    )
    expect(readJsonText(' { "b" : [ 1 , -0 ] , "a" :null } ')).toEqual(
      mapOf({ b: [1n, -0], a: null }),
    )
  })

  it.each<[string, Value]>([
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775808', 2 ** 63],
    ['1.0', 1],
    ['1e2', 100],
    ['-0', -0],
    ['-1', -1n],
    ['"a\\\\"', 'a\\'],
    ['"a\\"b"', 'a"b'],
    ['true', true],
    ['false', false],
    ['null', null],
    ['[]', []],
    ['{}', mapOf({})],
  ])('%s is a value', (text, value) => {
    expect(readJsonText(text)).toEqual(value)
  })

  it.each([
    ...['', '01', '1.', '.5', '-', '+1', 'nul', 'truth', 'fals', '[1', '[1,]', '[1 2]', '[,]'],
    ...['{', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '{"a" 1}', '{"a":1 "b":2}', '"a', '"a\\"'],
    ...['1 1', '"\\q"', '"\n"', '[}', '{]'],
  ])('%j is not JSON', (text) => {
    expect(readJsonText(text)).toBeUndefined()
  })

  it('has a depth, in both directions', () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    const most = readJsonText(deep(VALUE_DEPTH_MAX))!
    expect(most).toBeDefined()
    expect(readJsonText(deep(VALUE_DEPTH_MAX + 1))).toBeUndefined()
    const levels = [VALUE_DEPTH_MAX - 1, VALUE_DEPTH_MAX].map((count) => {
      let value: Value = []
      for (let i = 1; i < count; i++) value = [value]
      return value
    })
    expect(writeJson(levels[0]!)).toBe(deep(VALUE_DEPTH_MAX - 1))
    expect(() => writeJson(levels[1]!)).toThrow(
      new ScriptFault('ErrorDataTooLarge', 'Data is nested too deep', null),
    )
  })

  it('has no form of some values, which become texts or null', () => {
    const values: readonly Value[] = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      new Char('a'),
      pointer,
      new Blob(Uint8Array.of(1, 2)),
      new Range(0n, 1n, false),
      '\ud800',
      1,
    ]
    expect(writeJson([...values])).toBe(
      '[null,null,"a","f",[1,2],"core::ops::range::Range<i64>","\ufffd",1.0]',
    )
  })
})
