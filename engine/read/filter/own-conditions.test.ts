// Which conditions of a filter are those of one field alone.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { filterWording, rewrite } from '../filter-syntax/index.ts'
import { parseFilter } from './input.ts'
import { splitFilter } from './own-conditions.ts'

const FEATURES = { containsFilter: true, foreignKeys: true, multimodal: true, network: true }
const parse = (filter: unknown) =>
  parseFilter(filter, {
    wording: filterWording('search', 'parsing', asIndexUid('x')),
    features: FEATURES,
    takesForeign: true,
  })

/** Returns the text of a filter without the quotes of its names and values. */
const textOf = (tree: ReturnType<typeof parse>): string | null =>
  tree === null ? null : rewrite(tree, null).text.replaceAll('"', '')

it.each<[unknown, Readonly<Record<string, string>>, string | null]>([
  [null, {}, null],
  ['a = 1', { a: 'a = 1' }, null],
  ['c = 1', {}, 'c = 1'],
  ['a = 1 AND b = 2 AND c = 3', { a: 'a = 1', b: 'b = 2' }, 'c = 3'],
  ['a = 1 AND a > 2 AND a < 9', { a: '(a = 1) AND (a > 2) AND (a < 9)' }, null],
  [['a = 1', ['a = 2', 'a = 3']], { a: '(a = 1) AND ((a = 2) OR (a = 3))' }, null],
  ['(a = 1 AND b = 2) AND (c = 3 AND a = 4)', { a: '(a = 1) AND (a = 4)', b: 'b = 2' }, 'c = 3'],
  ['a = 1 OR b = 2', {}, '(a = 1) OR (b = 2)'],
  [
    'NOT (a = 1 OR a = 2) AND NOT (a = 1 OR b = 2)',
    { a: 'NOT ((a = 1) OR (a = 2))' },
    'NOT ((a = 1) OR (b = 2))',
  ],
  ['a IN [1, 2] AND _geoRadius(1, 2, 3)', { a: 'a IN [1, 2]' }, '_geoRadius(1, 2, 3)'],
  ['_foreign(a, b = 1) AND a EXISTS', { a: 'a EXISTS' }, '_foreign(a, b = 1)'],
  ['_vectors EXISTS AND a = 1', { a: 'a = 1' }, '_vectors EXISTS'],
])('%j', (filter, own, rest) => {
  const split = splitFilter(parse(filter), new Set(['a', 'b']))
  const found = [...split.own].map(([field, tree]) => [field, textOf(tree)])
  expect(Object.fromEntries(found)).toEqual(own)
  expect(textOf(split.rest)).toBe(rest)
})
