// Settings one by one: which fields their values select, how a change is merged, and older dumps.
import { describe, expect, it } from 'vitest'
import { isValid } from '../../../format/schema/index.ts'
import { type FieldChoice, TEXT_TOOLS } from '../schema/index.ts'
import * as values from './index.ts'

const { chat, distinctAttribute, faceting, filterableAttributes, localizedAttributes } = values
const { expiresAtAttribute, infixSearch, isInfixSearched } = values
const { rankingRules, searchableAttributes, sortableAttributes, typoTolerance } = values

const features = (facetSearch: boolean, equality: boolean, comparison: boolean) => ({
  facetSearch,
  filter: { equality, comparison },
})
const rule = (patterns: readonly string[], given = features(false, true, false)) => ({
  attributePatterns: patterns,
  features: given,
})

describe('fields that a setting selects', () => {
  /** `holds`: the field itself; `holdsBelow`: a field nested in it. */
  const shown = (fields: FieldChoice, field: string): string =>
    `${fields.holds(field) ? 'itself' : ''} ${fields.holdsBelow(field) ? 'nested' : ''}`.trim()

  it.each<[string, FieldChoice, string, string]>([
    ['searchable: all', searchableAttributes.keeps!.fields(null), 'a', 'itself'],
    ['searchable: none', searchableAttributes.keeps!.fields([]), 'a', ''],
    ['searchable', searchableAttributes.keeps!.fields(['b', 'a']), 'a', 'itself'],
    ['searchable', searchableAttributes.keeps!.fields(['a']), 'a.b', 'itself'],
    ['searchable', searchableAttributes.keeps!.fields(['a.b']), 'a', 'nested'],
    ['sortable', sortableAttributes.keeps!.fields(['x', 'a']), 'a.b', 'itself'],
    ['sortable', sortableAttributes.keeps!.fields(['x', 'a.b']), 'a', 'nested'],
    ['sortable', sortableAttributes.keeps!.fields(['ab']), 'a', ''],
    ['a ranking rule', rankingRules.keeps!.fields(['words', 'a.b:asc']), 'a.b', 'itself'],
    ['a ranking rule', rankingRules.keeps!.fields(['a.b:desc']), 'a', 'nested'],
    ['a ranking rule', rankingRules.keeps!.fields(['a:asc']), 'a.b', ''],
    ['a built-in rule', rankingRules.keeps!.fields(['words']), 'words', ''],
    ['distinct: none', distinctAttribute.keeps!.fields(null), 'a', ''],
    ['distinct', distinctAttribute.keeps!.fields('a'), 'a', 'itself'],
    ['distinct', distinctAttribute.keeps!.fields('a.b'), 'a', 'nested'],
    ['expiry: none', expiresAtAttribute.keeps!.fields(null), 'a', ''],
    ['expiry', expiresAtAttribute.keeps!.fields('a'), 'a', 'itself'],
    ['expiry', expiresAtAttribute.keeps!.fields('a'), 'b', ''],
    ['expiry', expiresAtAttribute.keeps!.fields('a.b'), 'a', 'nested'],
    ['filterable', filterableAttributes.keeps!.fields(['a']), 'a.b', 'itself'],
    ['filterable', filterableAttributes.keeps!.fields(['a.b']), 'a', 'nested'],
    ['a rule', filterableAttributes.keeps!.fields([rule(['a'])]), 'a', 'itself'],
    ['a rule', filterableAttributes.keeps!.fields([rule(['a'])]), 'a.b', ''],
    ['a rule', filterableAttributes.keeps!.fields([rule(['x', 'a.b'])]), 'a', 'nested'],
    ['a pattern', filterableAttributes.keeps!.fields([rule(['*_x'])]), 'a', 'nested'],
    ['a pattern', filterableAttributes.keeps!.fields([rule(['*_x'])]), 'a_x', 'itself nested'],
  ])('%s %#: of %s', (_, fields, field, expected) => {
    expect(shown(fields, field)).toBe(expected)
  })

  it.each([
    [features(false, false, false), false],
    [features(true, false, false), true],
    [features(false, true, false), true],
    [features(false, false, true), true],
  ])('a rule with the features %j', (given, holds) => {
    const fields = filterableAttributes.keeps!.fields([rule(['a'], given), 'a'])
    expect(fields.holds('a')).toBe(holds)
  })

  it('are named', () => {
    expect(filterableAttributes.fieldNames!(['a', rule(['b', 'c*'])])).toEqual(['a', 'b', 'c*'])
    expect(rankingRules.fieldNames!(['words', 'a:asc', 'b:desc', 'c:up'])).toEqual(['a', 'b'])
    expect(searchableAttributes.fieldNames!(null)).toEqual([])
    expect(localizedAttributes.fieldNames!(null)).toEqual([])
    const languages = [{ attributePatterns: ['a', 'b*'], locales: ['fr'] }]
    expect(localizedAttributes.fieldNames!(languages)).toEqual(['a', 'b*'])
  })
})

describe('stems of attributes', () => {
  const rule = { attributePatterns: ['a*'], locales: ['eng'] }
  const how = (rules: readonly values.LocalizedRule[]): string =>
    JSON.stringify(localizedAttributes.handles!.how!(rules, 'ab'))

  it('are those of the first rule that matches, and one object for each rule', () => {
    const rules = [
      { ...rule, attributePatterns: ['b'] },
      { ...rule, stemming: true },
      { attributePatterns: ['*'], locales: ['deu'], stemming: {} },
    ]
    const stems = (field: string) => values.stemmingOf({ localizedAttributes: rules }, field)
    expect(stems('b')).toBe(null)
    expect(stems('ab')?.keysOf('Kinder')).toEqual(['engkinder'])
    expect(stems('c')?.keysOf('Kinder')).toEqual(['deukind'])
    expect(stems('ab')).toBe(stems('ax'))
    expect(values.stemmingOf({ localizedAttributes: null }, 'ab')).toBe(null)
  })

  it('rebuild the fields whose stems change, and no others', () => {
    const off = how([rule])
    expect(how([{ ...rule, stemming: false }])).toBe(off)
    expect(how([{ ...rule, stemming: true }])).not.toBe(off)
    expect(how([{ ...rule, stemming: { exceptions: ['x'] } }])).not.toBe(
      how([{ ...rule, stemming: true }]),
    )
    expect(how([{ ...rule, attributePatterns: ['b'], stemming: true }])).toBe('null')
  })

  it('are left out of a rule without them', () => {
    const merge = (given: readonly values.LocalizedRule[]) =>
      localizedAttributes.merge(null, given, TEXT_TOOLS)
    expect(merge([{ ...rule, locales: ['en'], stemming: false }])).toEqual([rule])
    expect(merge([{ ...rule, stemming: true }])).toEqual([{ ...rule, stemming: true }])
  })
})

describe('a change', () => {
  it('of the chat replaces what it names, and null resets it', () => {
    const first = chat.merge(
      chat.default,
      { description: 'd', searchParameters: { limit: 3, sort: ['a:asc'] } },
      TEXT_TOOLS,
    )
    expect(first).toEqual({
      ...chat.default,
      description: 'd',
      searchParameters: { limit: 3, sort: ['a:asc'] },
    })
    const merge = (patch: Parameters<typeof chat.merge>[1]) => chat.merge(first, patch, TEXT_TOOLS)
    expect(merge({})).toEqual(first)
    const parameters = merge({ searchParameters: { sort: null, distinct: 'b' } }).searchParameters
    expect(parameters).toEqual({ limit: 3, distinct: 'b' })
    const ours = {
      hybrid: { embedder: 'e', semanticRatio: 0.5, fusion: 'rrf' },
      querySyntax: 'boolean',
    } as const
    const changed = merge({ searchParameters: ours })
    expect(changed.searchParameters).toEqual({ ...ours, limit: 3, sort: ['a:asc'] })
    expect(isValid(chat.stored, changed)).toBe(true)
    expect(merge({ searchParameters: null, description: null })).toEqual(chat.default)
    expect(merge({ documentTemplateMaxBytes: 1 }).documentTemplateMaxBytes).toBe(1)
    expect(() => merge({ documentTemplateMaxBytes: 0 })).toThrow('cannot be zero')
  })

  it('of the order of facet values keeps an order for those that it does not name', () => {
    const merge = (patch: Parameters<typeof faceting.merge>[1]) =>
      faceting.merge(faceting.default, patch, TEXT_TOOLS).sortFacetValuesBy
    expect(Object.entries(merge({ sortFacetValuesBy: { b: 'count', a: 'alpha' } }))).toEqual([
      ['*', 'alpha'],
      ['a', 'alpha'],
      ['b', 'count'],
    ])
    expect(merge({ sortFacetValuesBy: { '*': 'count' } })).toEqual({ '*': 'count' })
    expect(merge({ sortFacetValuesBy: null, maxValuesPerFacet: 1 })).toEqual({ '*': 'alpha' })
  })

  it.each([
    [
      { oneTypo: 4, twoTypos: 4 },
      { oneTypo: 4, twoTypos: 4 },
    ],
    [{ oneTypo: 9 }, { oneTypo: 9, twoTypos: 9 }],
    [{ oneTypo: 10 }, null],
    [{ twoTypos: 4 }, null],
    [
      { oneTypo: null, twoTypos: null },
      { oneTypo: 5, twoTypos: 9 },
    ],
    [null, { oneTypo: 5, twoTypos: 9 }],
    [undefined, { oneTypo: 5, twoTypos: 9 }],
  ])('of the sizes of words to %j gives %j', (minWordSizeForTypos, sizes) => {
    const patch = minWordSizeForTypos === undefined ? {} : { minWordSizeForTypos }
    const merged = () => typoTolerance.merge(typoTolerance.default, patch, TEXT_TOOLS)
    if (sizes === null) expect(merged).toThrow(/`minWordSizeForTypos` setting is invalid/)
    else expect(merged().minWordSizeForTypos).toEqual(sizes)
  })

  it('of ranking rules does not mix the old rule for attributes with the new ones', () => {
    const merge = (...rules: readonly string[]) =>
      rankingRules.merge(rankingRules.default, rules, TEXT_TOOLS)
    expect(merge('attribute', 'words')).toEqual(['attribute', 'words'])
    expect(merge('attributeRank', 'wordPosition')).toHaveLength(2)
    expect(() => merge('attribute', 'attributeRank')).toThrow('Mixed usage')
    expect(() => merge('attribute', 'wordPosition')).toThrow('Mixed usage')
  })

  it('of the search inside of words has a length by default, and names once', () => {
    const merge = (patch: Parameters<typeof infixSearch.merge>[1]) =>
      infixSearch.merge({ attributes: ['z'], minLength: 9 }, patch, TEXT_TOOLS)
    const value = { attributes: ['b', 'a'], minLength: 3 }
    expect(merge({ attributes: ['b', 'a', 'b'] })).toEqual(value)
    expect(merge({ attributes: [], minLength: 7 })).toEqual({ attributes: [], minLength: 7 })
    const searched = (field: string) => isInfixSearched({ infixSearch: value }, field)
    expect(['a', 'a.c', 'ab', 'c'].map(searched)).toEqual([true, true, false, false])
    expect(isInfixSearched({ infixSearch: null }, 'a')).toBe(false)
  })

  it('of languages stores codes of three letters, and leaves others', () => {
    const rules = [{ attributePatterns: ['a'], locales: ['fr', 'jpn', 'xx'] }]
    const merged = localizedAttributes.merge(null, rules, TEXT_TOOLS)
    expect(merged).toEqual([{ attributePatterns: ['a'], locales: ['fra', 'jpn', 'xx'] }])
  })
})

describe('a dump', () => {
  it('may have rules in an older form', () => {
    const older = ['typo', 'asc(price)', 'desc(a.b)', 'wordsPosition', 'asc()', 7]
    const newer = ['typo', 'price:asc', 'a.b:desc', 'asc()', 7]
    expect(rankingRules.fromOlderDump!(older)).toEqual(newer)
    expect(rankingRules.fromOlderDump!('typo')).toBeUndefined()
    expect(rankingRules.dumpProblem!(['typo', 'price:asc'])).toBeNull()
    expect(rankingRules.dumpProblem!(['typo', 'up(price)'])).toMatch('`up(price)` ranking rule')
  })

  it.each([
    ['a', 'a'],
    [null, null],
    [{ attributePatterns: ['a'] }, rule(['a'])],
    [{ attributePatterns: ['a'], features: null }, rule(['a'])],
    [
      { attributePatterns: ['a'], features: { facetSearch: true } },
      rule(['a'], features(true, true, false)),
    ],
    [
      { attributePatterns: ['a'], features: { filter: { equality: false } } },
      rule(['a'], features(false, false, false)),
    ],
    [
      { attributePatterns: ['a'], features: { filter: { comparison: true } } },
      rule(['a'], features(false, true, true)),
    ],
  ])('may have rules for filters without all features: %j', (given, expected) => {
    expect(filterableAttributes.fromDump!([given])).toEqual([expected])
    expect(filterableAttributes.fromDump!('a')).toBe('a')
  })
})
