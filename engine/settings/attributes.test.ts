// Names, ranking rules, languages and secrets: the small rules of settings.
import { describe, expect, test } from 'vitest'
import { defaultSettings } from './index.ts'
import { featureRefusal, maskSecret } from './schema/index.ts'
import {
  filterableRuleOf,
  isDisplayed,
  isSortable,
  LOCALES,
  LOCALES_BY_ALPHABET,
  localeCode,
  localesOf,
  rankingRuleOf,
  rankingRuleProblem,
  searchableRankOf,
} from './values/index.ts'

const settings = defaultSettings()

describe('the first matching rule applies', () => {
  const features = (equality: boolean) => ({
    facetSearch: false,
    filter: { equality, comparison: false },
  })
  const rules = [
    { attributePatterns: ['price'], features: features(false) },
    'price',
    { attributePatterns: ['*'], features: features(true) },
  ]
  test.each([
    ['price', 0, false],
    ['price.net', 1, true],
    ['name', 2, true],
  ])('%s', (field, index, equality) => {
    const rule = filterableRuleOf(rules, field)
    expect([rule?.index, rule?.features.filter.equality]).toEqual([index, equality])
  })
  test('none', () => {
    expect(filterableRuleOf(['a'], 'b')).toBeNull()
  })
})

test('the weight of a field is the position of the first name that covers it', () => {
  const some = { ...settings, searchableAttributes: ['a.b', 'a', 'a.c'] }
  expect(['a', 'a.b', 'a.b.c', 'a.c', 'ab'].map((field) => searchableRankOf(some, field))).toEqual([
    1,
    0,
    0,
    1,
    null,
  ])
  const shared = { ...settings, searchableAttributes: ['a', ['b', 'c.d'], 'e'] }
  const ranks = ['a', 'b', 'c.d.x', 'c', 'e'].map((field) => searchableRankOf(shared, field))
  expect(ranks).toEqual([0, 1, 1, null, 2])
  expect(searchableRankOf(settings, 'anything')).toBe(0)
  expect(searchableRankOf({ ...settings, searchableAttributes: [] }, 'a')).toBeNull()
})

test('displayed fields, sortable fields, languages of fields', () => {
  const some = {
    ...settings,
    displayedAttributes: ['a'],
    sortableAttributes: ['owner'],
    localizedAttributes: [
      { attributePatterns: ['*_ja'], locales: ['jpn'] },
      { attributePatterns: ['*'], locales: ['fra'] },
    ],
  }
  expect([isDisplayed(some, 'a.b'), isDisplayed(some, 'b'), isDisplayed(settings, 'b')]).toEqual([
    true,
    false,
    true,
  ])
  expect([isSortable(some, 'owner.age'), isSortable(some, 'year')]).toEqual([true, false])
  expect(isSortable({ sortableAttributes: ['*'] }, 'year')).toBe(true)
  expect([localesOf(some, 'title_ja'), localesOf(some, 'title'), localesOf(settings, 'x')]).toEqual(
    [['jpn'], ['fra'], null],
  )
})

describe('ranking rules', () => {
  test.each([
    ['words', { kind: 'built-in', name: 'words' }],
    ['price:asc', { kind: 'field', field: 'price', order: 'asc' }],
    ['a:b:desc', { kind: 'field', field: 'a:b', order: 'desc' }],
    [':asc', { kind: 'field', field: '', order: 'asc' }],
    ['Words', null],
    ['price:ASC', null],
    ['asc(price)', null],
    ['', null],
  ])('%s', (rule, parsed) => {
    expect(rankingRuleOf(rule)).toEqual(parsed)
    if (parsed !== null) expect(rankingRuleProblem(rule)).toBeNull()
  })

  test.each([
    ['_geo:asc', 'as a ranking rule$'],
    ['_geojson:desc', 'as a ranking rule$'],
    ['_geoDistance:asc', 'as a ranking rule$'],
    ['_geoPoint(1,2):asc', 'used for sorting at search time$'],
    ['_geoPoint:desc', 'used for sorting at search time$'],
    ['_geoRadius(1,2,3):asc', 'used for filtering at search time$'],
    ['_geoRadius:asc', 'used for filtering at search time$'],
    ['_geoPolygon:asc', 'used for filtering at search time$'],
    ['_geoBoundingBox([1,1],[0,0]):desc', 'used for filtering at search time$'],
    ['_geoPoint(1,2)', 'and custom ranking rules.$'],
  ])('%s is none', (rule, end) => {
    expect(rankingRuleProblem(rule)).toMatch(new RegExp(end))
  })
})

test('languages: 69 codes of two letters, as many of three, and one more', () => {
  expect(LOCALES.length).toBe(139)
  expect([...LOCALES].sort()).toEqual([...LOCALES_BY_ALPHABET].sort())
  expect(['fr', 'fra', 'zh', 'cmn', 'fa', 'nb', 'FR', 'xx', ''].map(localeCode)).toEqual([
    'fra',
    'fra',
    'zho',
    'cmn',
    'pes',
    'nob',
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['', 'XXX...'],
  ['123456789', 'XXX...'],
  ['1234567890', '12XXXX...'],
  ['abcdefghijklmnopqrs', 'abXXXX...'],
  ['abcdefghijklmnopqrst', 'abcXXXXX...'],
  ['abcdefghijklmnopqrstuvwxyzabc', 'abcXXXXX...'],
  ['abcdefghijklmnopqrstuvwxyzabcd', 'abcdeXXXXXX...'],
  ['ключ-секретный-ключ-секретный', 'клюXXXXXX...'],
  ['éé', 'XXX...'],
  ['😀😀😀', '😀XXXX...'],
])('of the secret %s is shown %s', (secret, shown) => {
  expect(maskSecret(secret)).toBe(shown)
})

test('a refusal names the feature and its documentation', () => {
  const refusal = featureRefusal('chatCompletions', 'listing the chats')
  expect(refusal).toMatch(/^listing the chats requires enabling the `chat completions` exper/)
  expect(refusal).toMatch(/imental feature\. See https:\S+#chat-completions$/)
})
