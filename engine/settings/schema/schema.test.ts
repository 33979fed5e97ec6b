// The parts that settings share: merged members, sets, lists of names, masked secrets, features.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTRIBUTE_COLUMN } from './attribute-column.ts'
import { featureRefusal } from './features.ts'
import { namesInside } from './field-patterns.ts'
import { namesOrAll, renderNames } from './name-lists.ts'
import { mergeMember, replace, replaceSet, sameSetting, sortedSet } from './patches.ts'
import { maskSecret } from './secrets.ts'
import { TEXT_TOOLS } from './text-tools.ts'

describe('a changed member', () => {
  it.each([
    [undefined, 2],
    [null, 3],
    [0, 0],
    [1, 1],
  ])('sent as %j is %i', (given, merged) => {
    expect(mergeMember(given, 2, 3)).toBe(merged)
  })

  it('that is replaced, or is a set', () => {
    expect(replace([1], [2])).toEqual([2])
    // In the order of bytes, which differs from that of UTF-16 units.
    expect(replaceSet(['x'], ['𝒜', 'b', '東', 'a', 'b'])).toEqual(['a', 'b', '東', '𝒜'])
    expect(sortedSet([])).toEqual([])
  })

  it.each([
    [[1], [1], true],
    [{ a: 1 }, { a: 1 }, true],
    [null, null, true],
    [[1], [2], false],
    [null, [], false],
  ])('%j and %j are equal: %j', (a, b, same) => {
    expect(sameSetting(a, b)).toBe(same)
  })
})

it.each([
  [
    ['b', 'a', 'b'],
    ['b', 'a'],
    ['b', 'a'],
  ],
  [['a', '*', 'b'], null, ['*']],
  [[], [], []],
])('the names %j are kept as %j and shown as %j', (names, kept, shown) => {
  expect(namesOrAll(names)).toEqual(kept)
  expect(renderNames(kept)).toEqual(shown)
})

it.each([
  ['a', '*', true],
  ['a', 'a.b', true],
  ['a', 'a', false],
  ['a', 'ab.c', false],
  ['a.b', 'a', false],
])('in the field %s may be %s: %j', (field, name, answer) => {
  expect(namesInside(field, name)).toBe(answer)
})

it('an attribute that is kept as a column has one name, or none', () => {
  const { fieldNames, keeps } = ATTRIBUTE_COLUMN
  expect([fieldNames('a'), fieldNames(null)]).toEqual([['a'], []])
  const { holds, holdsBelow } = keeps.fields('a.b')
  expect([holds('a.b'), holds('a'), holds('a.b.c')]).toEqual([true, false, false])
  expect([holdsBelow('a'), holdsBelow('a.b'), holdsBelow('b')]).toEqual([true, false, false])
  expect(keeps.fields(null).holdsBelow('a')).toBe(false)
})

describe('a masked secret', () => {
  it.each([
    ['', 'XXX...'],
    ['123456789', 'XXX...'],
    ['1234567890', '12XXXX...'],
    ['1234567890123456789', '12XXXX...'],
    ['12345678901234567890', '123XXXXX...'],
    ['12345678901234567890123456789', '123XXXXX...'],
    ['123456789012345678901234567890', '12345XXXXXX...'],
    // Ten bytes; a character across the limit is shown whole.
    ['ééééé', 'éXXXX...'],
    ['aéééé1', 'aéXXXX...'],
    ['東東東東', '東XXXX...'],
    ['🍓🍓🍓🍓🍓', '🍓XXXXX...'],
    ['éééé', 'XXX...'],
    ['東東東', 'XXX...'],
    ['🍓🍓', 'XXX...'],
  ])('%s is %s', (secret, shown) => {
    expect(maskSecret(secret)).toBe(shown)
  })

  it('shows as many bytes as it needs to, at most a sixth and one character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (secret) => {
        const shown = maskSecret(secret).replace(/X+\.\.\.$/, '')
        fc.pre(!secret.includes('X'))
        expect(secret.startsWith(shown)).toBe(true)
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8)
      }),
    )
  })
})

it('a refused feature is named as messages and pages name it', () => {
  expect(featureRefusal('foreignKeys', 'using a foreign filter')).toBe(
    'using a foreign filter requires enabling the `foreign_keys` experimental feature. ' +
      'See https://github.com/svc-search/svc-search/blob/main/docs/experimental-features.md#foreign-keys',
  )
  expect(featureRefusal('personalization', 'x')).toMatch('`personalization` experimental feature')
  expect(featureRefusal('editDocumentsByFunction', 'x')).toMatch(/#edit-documents-by-function$/)
})

it('stop words keep their case, words without typos do not', () => {
  expect(TEXT_TOOLS.decompose('É')).toBe('E\u0301')
  expect(TEXT_TOOLS.normalise('É')).toBe('e')
})
