// Settings one by one, continued: names, ranks, problems of rules, members of a change, and what
// their change affects.
import { describe, expect, it } from 'vitest'
import { isValid, type Schema } from '../../../format/schema/index.ts'
import { TEXT_TOOLS } from '../schema/index.ts'
import * as values from './index.ts'
import { hasSharedRanks, isDisplayed, isSortable, localesOf } from './index.ts'
import { searchableNames, searchableRankOf } from './searchable-attributes.ts'
import { typoSizesProblem } from './typo-tolerance.ts'

const { displayedAttributes, localizedAttributes, pagination, rankingRuleProblem } = values
const { rankingRules, searchableAttributes, stopWords, synonyms, typoTolerance } = values

describe('searchable attributes', () => {
  const merge = (...ranks: values.SearchableRanks) =>
    searchableAttributes.merge(null, ranks, TEXT_TOOLS)

  it.each<[values.SearchableRanks, values.SearchableRanks | null]>([
    [
      ['b', 'a', 'b'],
      ['b', 'a'],
    ],
    [
      ['a', ['b', 'a', 'c']],
      ['a', ['b', 'c']],
    ],
    [['a', ['a'], []], ['a']],
    [
      [['a', 'a'], 'b'],
      [['a'], 'b'],
    ],
    [['a', '*'], null],
    [['a', ['b', '*']], null],
    [[], []],
  ])('%j are kept as %j', (given, kept) => {
    expect(merge(...given)).toEqual(kept)
    expect(searchableAttributes.render!(kept)).toEqual(kept ?? ['*'])
  })

  it('have ranks: the position of the first name that covers a field', () => {
    const ranks = ['b', ['a', 'c.d'], 'a.x', 'c']
    const of = (field: string) => searchableRankOf({ searchableAttributes: ranks }, field)
    expect(['b', 'a', 'a.x', 'c.d.e', 'c.e', 'c', 'z'].map(of)).toEqual([0, 1, 1, 1, 3, 3, null])
    expect(searchableRankOf({ searchableAttributes: null }, 'z')).toBe(0)
    expect(searchableNames(ranks)).toEqual(['b', 'a', 'c.d', 'a.x', 'c'])
    expect(searchableNames(null)).toBeNull()
    expect([ranks, ['a'], [], null].map(hasSharedRanks)).toEqual([true, false, false, false])
    const { fields } = searchableAttributes.keeps!
    expect([fields(null).holdsBelow('a'), fields(['*']).holdsBelow('a')]).toEqual([false, true])
  })
})

it('displayed and sortable attributes cover what is nested in them', () => {
  const shown = (names: readonly string[] | null, field: string) =>
    isDisplayed({ displayedAttributes: names }, field)
  expect([shown(null, 'a'), shown(['a'], 'a.b'), shown(['a.b'], 'a'), shown([], 'a')]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(displayedAttributes.merge(null, ['b', 'a', 'b'], TEXT_TOOLS)).toEqual(['b', 'a'])
  expect(displayedAttributes.merge(['a'], ['b', '*'], TEXT_TOOLS)).toBeNull()
  expect(displayedAttributes.render!(null)).toEqual(['*'])
  const sortable = (field: string) => isSortable({ sortableAttributes: ['a', 'b.c'] }, field)
  expect(['a', 'a.x', 'b', 'b.c', 'ab'].map(sortable)).toEqual([true, true, false, true, false])
})

describe('ranking rules', () => {
  const INVALID = 'ranking rule is invalid'
  const RESERVED = "is a reserved keyword and thus can't be used as a ranking rule"
  it.each([
    ['words', null],
    ['bm25', null],
    ['a:asc', null],
    ['a.b:desc', null],
    ['_geoX:asc', null],
    ['a:up', INVALID],
    ['asc', INVALID],
    ['_geo:asc', RESERVED],
    ['_geojson:desc', RESERVED],
    ['_geoDistance:asc', RESERVED],
    ['_geoPoint:asc', 'can only be used for sorting at search time'],
    ['_geoPoint(1,2):desc', 'can only be used for sorting at search time'],
    ['_geoRadius(1,2,3):asc', 'can only be used for filtering at search time'],
    ['_geoPolygon:asc', 'can only be used for filtering at search time'],
  ])('%s have the problem: %s', (rule, problem) => {
    const found = rankingRuleProblem(rule)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toContain(problem)
  })

  it('are parsed', () => {
    const { rankingRuleOf } = values
    expect(rankingRuleOf('typo')).toEqual({ kind: 'built-in', name: 'typo' })
    expect(rankingRuleOf('a:asc:asc')).toEqual({ kind: 'field', field: 'a:asc', order: 'asc' })
    expect(rankingRuleOf('a.b:desc')).toEqual({ kind: 'field', field: 'a.b', order: 'desc' })
    expect(rankingRuleOf('a')).toBeNull()
  })

  it('that mix are refused when they are sent', () => {
    expect(() => rankingRules.check!(['attribute', 'wordPosition'])).toThrow(
      expect.objectContaining({ code: 'invalid_settings_ranking_rules' }),
    )
    rankingRules.check!(['attribute', 'words'])
  })
})

describe('languages', () => {
  const rules = [
    { attributePatterns: ['a*'], locales: ['fra'] },
    { attributePatterns: ['*'], locales: ['deu', 'eng'], stemming: true },
  ]
  it('of a field are those of the first rule that matches', () => {
    const of = (field: string, given: typeof rules | null = rules) =>
      localesOf({ localizedAttributes: given }, field)
    expect([of('ab'), of('b'), of('b', rules.slice(0, 1)), of('b', null)]).toEqual([
      ['fra'],
      ['deu', 'eng'],
      null,
      null,
    ])
    const { how } = localizedAttributes.handles!
    expect([how!(rules, 'ab'), how!(rules, 'b'), how!(null, 'b')]).toEqual([
      ['fra'],
      [['deu', 'eng'], true],
      null,
    ])
  })

  it('with stems are refused unless one has stems', () => {
    const check = (locales: readonly string[], stemming: boolean | object) => () =>
      localizedAttributes.check!([{ attributePatterns: ['a', 'b'], locales, stemming }])
    expect(check(['jpn'], true)).toThrow('The rule for `a`, `b` has `stemming`')
    expect(check([], {})).toThrow('The rule for `a`, `b` has `stemming`')
    // Dumps may have codes that are unknown.
    expect(check(['xx'], true)).toThrow('The rule for `a`, `b` has `stemming`')
    for (const fine of [check(['jpn'], false), check(['jpn', 'en'], true), check(['eng'], {})]) {
      expect(fine).not.toThrow()
    }
  })

  it('with stems have a limit', () => {
    const rule = { attributePatterns: ['a'], locales: ['eng'], stemming: true }
    const problem = (count: number): string => {
      try {
        localizedAttributes.check!(Array(count).fill(rule))
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    const counts = Array.from({ length: 300 }, (_, i) => i)
    const most = counts.findLast((count) => problem(count) === '')!
    expect(problem(most + 1)).toBe(
      `\`stemming\` is in ${most + 1} rules: at most ${most} are allowed.`,
    )
    expect(counts.filter((count) => problem(count) === '')).toHaveLength(most + 1)
  })

  it('are known by codes of two letters and of three', () => {
    const { LOCALES, LOCALES_BY_ALPHABET } = values
    expect([...LOCALES_BY_ALPHABET].sort()).toEqual([...LOCALES].sort())
    const lengths = LOCALES_BY_ALPHABET.map(({ length }) => length)
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    const long = LOCALES_BY_ALPHABET.filter(({ length }) => length === 3)
    expect(long).toEqual(long.toSorted())
    expect(long.length).toBeGreaterThan(50)
  })
})

describe('a change', () => {
  it('of typo tolerance keeps what it does not name', () => {
    const merge = (current: typeof typoTolerance.default, patch: values.TypoTolerancePatch) =>
      typoTolerance.merge(current, patch, TEXT_TOOLS)
    const changed = merge(typoTolerance.default, {
      enabled: false,
      disableOnWords: ['É', 'b', 'b'],
      disableOnAttributes: ['z', 'a', 'z'],
      disableOnNumbers: true,
    })
    expect(changed).toEqual({
      ...typoTolerance.default,
      enabled: false,
      disableOnWords: ['b', 'e'],
      disableOnAttributes: ['a', 'z'],
      disableOnNumbers: true,
    })
    expect(merge(changed, {})).toEqual(changed)
    const reset = {
      enabled: null,
      disableOnWords: null,
      disableOnAttributes: null,
      disableOnNumbers: null,
    }
    expect(merge(changed, reset)).toEqual(typoTolerance.default)
    expect(typoSizesProblem(5, 5)).toBeNull()
    expect(typoSizesProblem(6, 5)).toContain('`oneTypo: 6` and twoTypos: 5`')
  })

  it('of pages and of facets', () => {
    expect(pagination.merge({ maxTotalHits: 7 }, {}, TEXT_TOOLS)).toEqual({ maxTotalHits: 7 })
    expect(pagination.merge({ maxTotalHits: 7 }, { maxTotalHits: null }, TEXT_TOOLS)).toEqual({
      maxTotalHits: 1000,
    })
    const { faceting } = values
    const current = { maxValuesPerFacet: 7, sortFacetValuesBy: { '*': 'count' } } as const
    expect(faceting.merge(current, {}, TEXT_TOOLS)).toEqual(current)
    expect(faceting.merge(current, { maxValuesPerFacet: null }, TEXT_TOOLS)).toEqual({
      ...current,
      maxValuesPerFacet: 100,
    })
  })

  it('of words: stop words are decomposed, synonyms sorted by their phrase', () => {
    expect(stopWords.merge([], ['É', 'a', 'a'], TEXT_TOOLS)).toEqual(['E\u0301', 'a'])
    const given = { 𝒜: ['x'], 東: ['b', 'a'], a: [] }
    expect(Object.entries(synonyms.merge({}, given, TEXT_TOOLS))).toEqual([
      ['a', []],
      ['東', ['b', 'a']],
      ['𝒜', ['x']],
    ])
  })
})

it('a synonym has at most eight words, however they are separated', () => {
  const check = (phrase: string) => () => synonyms.check!({ a: [phrase] })
  const words = (count: number, separator: string) => Array(count).fill('ab').join(separator)
  for (const separator of [' ', '-', ', ']) {
    expect(check(words(8, separator)), separator).not.toThrow()
    expect(check(words(9, separator)), separator).toThrow(
      `The synonym \`${words(9, separator)}\` has 9 words: at most 8 are allowed.`,
    )
  }
  expect(check('a'.repeat(2) + '!'.repeat(20))).not.toThrow()
  const long = (length: number): string => words(9, ' ').padEnd(length, 'c')
  expect(check(long(200))).toThrow(`The synonym \`${long(200)}\` has 9 words`)
  expect(check(long(201))).toThrow(`The synonym \`${long(200)}…\` has 9 words`)
})

it('stored forms refuse what no merge returns', () => {
  const { faceting, filterableAttributes, foreignKeys, infixSearch } = values
  const { distinctAttribute, facetSearch, prefixSearch, proximityPrecision } = values
  const wrong: readonly (readonly [
    { readonly stored: Schema<never>; readonly default: unknown },
    unknown,
  ])[] = [
    [values.searchCutoffMs, -1],
    [prefixSearch, 'always'],
    [proximityPrecision, 'byLetter'],
    [faceting, { maxValuesPerFacet: 1, sortFacetValuesBy: { a: 'up' } }],
    [filterableAttributes, [{ attributePatterns: ['a'] }]],
    [foreignKeys, [{ fieldName: 'a' }]],
    [infixSearch, { attributes: ['a'], minLength: 2 }],
    [facetSearch, 1],
    [distinctAttribute, 1],
  ] as never
  for (const [{ stored, default: initial }, value] of wrong) {
    expect(isValid(stored, value), JSON.stringify(value)).toBe(false)
    expect(isValid(stored, initial)).toBe(true)
  }
})

it('settings that change how words are read rebuild the text', () => {
  const { dictionary, nonSeparatorTokens, separatorTokens, infixSearch } = values
  const all = [dictionary, nonSeparatorTokens, separatorTokens, stopWords, infixSearch]
  expect(all.map(({ handles }) => handles?.layer)).toEqual(Array(5).fill('text'))
  const { how } = infixSearch.handles!
  expect([how!({ attributes: ['a'], minLength: 3 }, 'a.b'), how!(null, 'a')]).toEqual([true, false])
})
