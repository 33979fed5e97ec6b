// The trees of filters, shown by rewriting them.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KiB } from '../../../format/bytes/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { type FilterInput, parseFilter } from '../filter/input.ts'
import { rewrite } from './rewrite.ts'
import { type FilterTree, leaves, type Token } from './tree.ts'
import { filterWording } from './wording.ts'

const input: FilterInput = {
  wording: filterWording('search', 'parsing', asIndexUid('x')),
  features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
  takesForeign: true,
}
const parse = (json: unknown): FilterTree => parseFilter(json, input)!
const shape = (json: unknown): string => rewrite(parse(json), null).text

describe('trees', () => {
  test.each([
    ['a = 1', '"a" = "1"'],
    ['a=1', '"a" = "1"'],
    [' a  =\n 1\t', '"a" = "1"'],
    ['a != b', '"a" != "b"'],
    ['a>=1', '"a" >= "1"'],
    ['a<= -1.5e3', '"a" <= "-1.5e3"'],
    ['"a"<"b"', '"a" < "b"'],
    ['a > b', '"a" > "b"'],
    ['a 1 TO 2', '"a" "1" TO "2"'],
    ['a \'1\' TO "2"', '"a" "1" TO "2"'],
    ['a IN []', '"a" IN []'],
    ['a IN[b]', '"a" IN ["b"]'],
    ['a IN [b, "c d" ,e,]', '"a" IN ["b", "c d", "e"]'],
    ['a NOT IN [b]', 'NOT ("a" IN ["b"])'],
    ['a EXISTS', '"a" EXISTS'],
    ['a EXISTS ', '"a" EXISTS'],
    ['a NOT  EXISTS', 'NOT ("a" EXISTS)'],
    ['a IS NULL', '"a" IS NULL'],
    ['a IS  NOT  NULL', 'NOT ("a" IS NULL)'],
    ['a IS EMPTY', '"a" IS EMPTY'],
    ['a IS NOT EMPTY', 'NOT ("a" IS EMPTY)'],
    ['a CONTAINS b', '"a" CONTAINS "b"'],
    ['a NOT CONTAINS b', 'NOT ("a" CONTAINS "b")'],
    ['a STARTS WITH b', '"a" STARTS WITH "b"'],
    ['a STARTS WITH"b"', '"a" STARTS WITH "b"'],
    ['a NOT STARTS WITH b', 'NOT ("a" STARTS WITH "b")'],
    ['"a" = "red"AND n = 5', '("a" = "red") AND ("n" = "5")'],
    ['"" = \'\'', '"" = ""'],
    ['s.= red', '"s." = "red"'],
    ['.s = -', '".s" = "-"'],
    ['NOTs = ANDROID', '"NOTs" = "ANDROID"'],
    ['"AND" = \'NOT\'', '"AND" = "NOT"'],
    ['réd = 日本', '"réd" = "日本"'],
    ['_geo.lat > 1', '"_geo.lat" > "1"'],
    ['_geoRadius(1,2,3)', '_geoRadius(1, 2, 3)'],
    ['_geoRadius( -1.5 , +2e1,.5, 200 )', '_geoRadius(-1.5, +2e1, .5, 200)'],
    ['_geoBoundingBox([1,2] , [ 3, 4 ])', '_geoBoundingBox([1, 2], [3, 4])'],
    ['_geoPolygon([1,2],[3,4],[5,6],)', '_geoPolygon([1, 2], [3, 4], [5, 6])'],
    ['_vectors EXISTS', '_vectors EXISTS'],
    ['_vectors NOT EXISTS', 'NOT (_vectors EXISTS)'],
    ['_vectors.dark EXISTS', '_vectors."dark" EXISTS'],
    ["_vectors.'a.b'.regenerate EXISTS", '_vectors."a.b".regenerate EXISTS'],
    ['_vectors.a.fragments.b EXISTS', '_vectors."a".fragments."b" EXISTS'],
    ['_vectors.a.documentTemplate EXISTS', '_vectors."a".documentTemplate EXISTS'],
    ['_vectors = 1', '"_vectors" = "1"'],
    ['_vectors.dark IS NULL', '"_vectors.dark" IS NULL'],
    ['_vectors.dark IN [1]', '"_vectors.dark" IN ["1"]'],
    ['"_vectors" EXISTS', '"_vectors" EXISTS'],
    ['_vectorsX EXISTS', '"_vectorsX" EXISTS'],
    ['_foreign(author, a = 1 OR b = 2)', '_foreign("author", ("a" = "1") OR ("b" = "2"))'],
    ['_foreign = 1', '"_foreign" = "1"'],
    ['_foreign(author, b[c = 1])', '_foreign("author", "b"["c" = "1"])'],
    ['_shard IN [a]', '"_shard" IN ["a"]'],
    ['a[b = 1]', '"a"["b" = "1"]'],
    ['a.b[ c = 1 OR NOT d EXISTS ] ', '"a.b"[("c" = "1") OR (NOT ("d" EXISTS))]'],
    ['a[b[c = 1] AND d IN [2]]', '"a"[("b"["c" = "1"]) AND ("d" IN ["2"])]'],
    ['a[b = 1] AND c = 2', '("a"["b" = "1"]) AND ("c" = "2")'],
    ['a[_vectors EXISTS]', '"a"["_vectors" EXISTS]'],
    ['a[_geoRadius(1,2,3)]', '"a"[_geoRadius(1, 2, 3)]'],
    ['a[_foreign(b, c = 1) AND d = 2]', '"a"[(_foreign("b", "c" = "1")) AND ("d" = "2")]'],
    ['_foreign(a, _vectors EXISTS)', '_foreign("a", _vectors EXISTS)'],
  ])('%s', (filter, expected) => {
    expect(shape(filter)).toBe(expected)
  })
})

describe('precedence', () => {
  test.each([
    ['a=1 OR b=2 AND c=3', '("a" = "1") OR (("b" = "2") AND ("c" = "3"))'],
    ['(a=1 OR b=2) AND c=3', '(("a" = "1") OR ("b" = "2")) AND ("c" = "3")'],
    ['a=1 AND b=2 AND c=3', '("a" = "1") AND ("b" = "2") AND ("c" = "3")'],
    ['NOT a=1 AND b=2', '(NOT ("a" = "1")) AND ("b" = "2")'],
    ['NOT (a=1 AND b=2)', 'NOT (("a" = "1") AND ("b" = "2"))'],
    ['NOT(a=1)', 'NOT ("a" = "1")'],
    ['NOT NOT a=1', '"a" = "1"'],
    ['NOT a NOT IN [1]', '"a" IN ["1"]'],
    ['( ( a = 1 ) )', '"a" = "1"'],
    ['a EXISTS AND b EXISTS OR c EXISTS', '(("a" EXISTS) AND ("b" EXISTS)) OR ("c" EXISTS)'],
    ['a EXISTS\nAND\tb EXISTS', '("a" EXISTS) AND ("b" EXISTS)'],
  ])('%s', (filter, expected) => {
    expect(shape(filter)).toBe(expected)
  })
})

describe('arrays', () => {
  test.each([
    [['a = 1', 'b = 2'], '("a" = "1") AND ("b" = "2")'],
    [[['a = 1', 'b = 2']], '("a" = "1") OR ("b" = "2")'],
    [[['a = 1', 'b = 2'], 'c = 3'], '(("a" = "1") OR ("b" = "2")) AND ("c" = "3")'],
    [['', ['', 'a = 1'], []], '"a" = "1"'],
    [['a = 1 OR b = 2', 'c = 3'], '(("a" = "1") OR ("b" = "2")) AND ("c" = "3")'],
  ])('%j', (filter, expected) => {
    expect(shape(filter)).toBe(expected)
  })
})

describe('escapes', () => {
  test.each([
    ["'l\\'eau'", "l'eau"],
    ['"l\'eau"', "l'eau"],
    ['"say \\"hi\\""', 'say "hi"'],
    ["'\\\"'", '"'],
    ['"back\\\\slash"', 'back\\slash'],
    ['"\\\\"', '\\'],
    ["'tab\\there'", 'tab\there'],
    ["'\\b\\f\\n\\r\\/'", '\b\f\n\r/'],
    ['"\\u0072ed"', 'red'],
    ["'\\x72ed'", 'red'],
    ["'\\162ed'", 'red'],
    ["'\\u{1F353}'", '🍓'],
    ["'\\u{000072}'", 'r'],
    ["'\\u{0000000000010FFFF}'", '\u{10ffff}'],
    ["'\\0'", '\0'],
    ["'\\377'", 'ÿ'],
    ["'\\777'", '?7'],
    ["'\\18'", '\u00018'],
  ])('%s', (literal, text) => {
    expect(parse(`a = ${literal}`)).toMatchObject({ value: { text } })
    expect(parse(`${literal} EXISTS`)).toMatchObject({ field: { text } })
  })

  test.each([
    ["'\\q'", 'Malformed value: `\\\\q`.'],
    ["'ab\\9'", 'Malformed value: `ab\\\\9`.'],
    ["'\\uD83C'", 'Malformed value: `\\\\uD83C`.'],
    ["'\\u{110000}'", 'Malformed value: `\\\\u{110000}`.'],
    ["'\\u{1000072}'", 'Malformed value: `\\\\u{1000072}`.'],
    ["'\\u{}'", 'Found an invalid escaped sequence number: `\\\\u{}`.'],
    ["'\\u{1'", 'The filter is incomplete'],
    ["'\\x1'", 'The filter is incomplete'],
    ["'\\xZZ'", 'Found an invalid escaped sequence number: `\\\\xZZ`.'],
    ["'\\uqqqq'", 'Found an invalid escaped sequence number: `\\\\uqqqq`.'],
  ])('%s is none', (literal, message) => {
    expect(() => parse(`a = ${literal}`)).toThrow(message)
  })
})

test('names inside of an element have its path in front', () => {
  const of = (filter: string): readonly unknown[] =>
    [...leaves(parse(filter))].map((leaf) =>
      'field' in leaf ? leaf.field.text : 'path' in leaf ? leaf.path : leaf.kind,
    )
  expect(of('a[b = 1 AND c[NOT d = 2]] OR e = 3')).toEqual(['a.b', 'a.c.d', 'e'])
  expect(of('a[_geoRadius(1,2,3) OR _geoPolygon([1,2],[3,4],[5,6])]')).toEqual(['a', 'a'])
  expect(of('a[_geoBoundingBox([2,2],[1,1])]')).toEqual(['a'])
  expect(of('_geoRadius(1,2,3) OR _geoBoundingBox([2,2],[1,1])')).toEqual(['', ''])
  const inner = parse('a[_foreign(b, c = 1)]')
  expect(inner).toMatchObject({
    kind: 'elements',
    condition: { field: { text: 'a.b' }, condition: { field: { text: 'c' } } },
  })
})

test('a form of another index knows from where to where it is', () => {
  expect(parse(' _foreign(b, c = 1) ')).toMatchObject({ whole: { from: 1, to: 19 } })
})

test('a rewritten filter knows where a token of it is', () => {
  const tree = parse("a = 1 OR b[c IN ['x', y]] OR _vectors.d EXISTS OR NOT e CONTAINS 'f\"'")
  const focused = (token: Token): string => {
    const { text, from, to } = rewrite(tree, token)
    return text.slice(from, to)
  }
  const texts = [...leaves(tree)].flatMap((leaf) => [
    ...('field' in leaf ? [focused(leaf.field)] : []),
    ...('value' in leaf ? [focused(leaf.value)] : []),
    ...('embedder' in leaf && leaf.embedder ? [focused(leaf.embedder)] : []),
  ])
  expect(texts).toEqual(['a', '1', 'c', 'd', 'e', 'f\\"'])
  const { from, to } = rewrite(tree, { text: 'a', source: '', from: 0, to: 1 })
  expect([from, to]).toEqual([0, 0])
})

test('tokens have their position', () => {
  const tree = parse('a = 1 OR "b c" = \'d\'')
  expect(tree).toMatchObject({
    kind: 'or',
    operands: [
      { field: { from: 0, to: 1 }, value: { from: 4, to: 5 } },
      { field: { from: 10, to: 13, text: 'b c' }, value: { from: 18, to: 19 } },
    ],
  })
})

describe('hostile texts', () => {
  const LENGTH = 512 * KiB
  const filled = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length))
  test.each([
    '(',
    'NOT ',
    '"',
    "'a",
    'a',
    'é',
    '\\',
    ' ',
    'a = 1 OR ',
    'a IN [',
    'a IN [b, ',
    'a = "\\',
    '_geoPolygon([1,2],',
    '_vectors.',
    '_vectors.a.',
    '_foreign(a,',
    '🍓',
    '1 TO ',
    ')',
  ])('%j over and over is a tree or a fault', (part) => {
    const text = filled(part)
    for (const filter of [text, `a = 1 AND ${text}`, `a = "${text}`, [text], [[text]]]) {
      try {
        parseFilter(filter, input)
      } catch (error) {
        expect(error instanceof EngineFault).toBe(true)
      }
    }
  })

  test('a long chain is one node', () => {
    const chain = `${filled('a = 1 OR ')}a = 1`
    expect(parse(chain)).toMatchObject({ kind: 'or' })
    expect(parse(`a IN [${filled('b,')}]`)).toMatchObject({ kind: 'in' })
  })
})

test('a rewritten filter parses to the same tree', () => {
  const word = fc.oneof(fc.constantFrom('a', 'NOT', 'x y', '"', "'", '\\', '', 'é🍓'), fc.string())
  const { tree } = fc.letrec<{ tree: string }>((tie) => {
    const literal = word.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
    const leaf = fc.oneof(
      fc.tuple(literal, fc.constantFrom('=', '!=', '<', '>='), literal).map((p) => p.join(' ')),
      fc.tuple(literal, literal, literal).map(([f, a, b]) => `${f} ${a} TO ${b}`),
      fc
        .tuple(literal, fc.array(literal, { maxLength: 3 }))
        .map(([f, list]) => `${f} IN [${list.join(', ')}]`),
      fc
        .tuple(literal, fc.constantFrom('EXISTS', 'IS NULL', 'IS NOT EMPTY', 'NOT EXISTS'))
        .map((p) => p.join(' ')),
    )
    return {
      tree: fc.oneof(
        { depthSize: 'small', maxDepth: 4 },
        leaf,
        fc.tuple(tie('tree'), fc.constantFrom('AND', 'OR'), tie('tree')).map((p) => p.join(' ')),
        tie('tree').map((inner) => `NOT (${inner})`),
        tie('tree').map((inner) => `(${inner})`),
      ),
    }
  })
  fc.assert(
    fc.property(tree, (text) => {
      const once = shape(text)
      expect(shape(once)).toBe(once)
    }),
  )
})
