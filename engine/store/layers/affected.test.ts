// The cost of settings changes: a table of changes, and that a layer is skipped only if nothing in
// it differs.
import { describe, expect, test } from 'vitest'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import type { TextTools } from '../../settings/schema/index.ts'
import { columnsLayer } from './columns.ts'
import { layersAffected } from './layers.ts'

const text: TextTools = { decompose: (word) => word, normalise: (word) => word }
const FIELDS = ['id', 'title', 'price', 'size', 'size.w', 'size.h']

const costOf = (from: SettingsPatch, to: SettingsPatch, fields = FIELDS): string => {
  const before = applyPatch(defaultSettings(), from, text).settings
  const after = applyPatch(before, to, text).settings
  return layersAffected(before, after, fields).join(', ')
}

const rule = (patterns: readonly string[], comparison: boolean, facetSearch = false) => ({
  attributePatterns: patterns,
  features: { facetSearch, filter: { equality: true, comparison } },
})

describe('from the defaults', () => {
  test.each<[SettingsPatch, string]>([
    [{}, ''],
    [{ displayedAttributes: ['id'] }, ''],
    [{ synonyms: { a: ['b'] } }, ''],
    [{ pagination: { maxTotalHits: 1 }, faceting: { maxValuesPerFacet: 1 } }, ''],
    [{ searchCutoffMs: 1 }, ''],
    [{ typoTolerance: { enabled: false, disableOnWords: ['a'] } }, ''],
    [{ rankingRules: ['words'] }, ''],
    [{ stopWords: ['the'] }, 'text'],
    [{ dictionary: ['a b'] }, 'text'],
    [{ separatorTokens: ['#'] }, 'text'],
    [{ nonSeparatorTokens: ['#'] }, 'text'],
    [{ proximityPrecision: 'byAttribute' }, ''],
    [{ prefixSearch: 'disabled' }, ''],
    [{ typoTolerance: { disableOnNumbers: true } }, ''],
    [{ typoTolerance: { disableOnAttributes: ['title'] } }, ''],
    [{ typoTolerance: { disableOnAttributes: ['nowhere'] } }, ''],
    [{ searchableAttributes: ['title'] }, 'text'],
    [{ filterableAttributes: ['price'] }, 'columns'],
    [{ filterableAttributes: ['nowhere'] }, ''],
    [{ filterableAttributes: [rule(['size.*'], false)] }, 'columns'],
    [{ sortableAttributes: ['size'] }, 'columns'],
    [{ distinctAttribute: 'id' }, 'columns'],
    [{ rankingRules: ['words', 'price:asc'] }, 'columns'],
    [{ localizedAttributes: [{ attributePatterns: ['title'], locales: ['fra'] }] }, 'text'],
    [{ localizedAttributes: [{ attributePatterns: ['x'], locales: ['fra'] }] }, ''],
    [{ infixSearch: { attributes: ['title'] } }, 'text'],
    [{ infixSearch: { attributes: ['nowhere'] } }, ''],
    [{ facetSearch: false }, ''],
    [{ embedders: { e: { source: 'userProvided', dimensions: 1 } } }, 'vectors'],
  ])('%j', (patch, cost) => {
    expect(costOf({}, patch)).toBe(cost)
  })
})

describe('from others', () => {
  test.each<[SettingsPatch, SettingsPatch, string]>([
    [{ searchableAttributes: ['title', 'size'] }, { searchableAttributes: ['size', 'title'] }, ''],
    [{ searchableAttributes: ['size'] }, { searchableAttributes: ['size.w', 'size'] }, ''],
    [
      { infixSearch: { attributes: ['title', 'size'] } },
      { infixSearch: { attributes: ['size', 'title', 'x'], minLength: 5 } },
      '',
    ],
    [
      { infixSearch: { attributes: ['size'] } },
      { infixSearch: { attributes: ['size.w'] } },
      'text',
    ],
    [{ infixSearch: { attributes: ['title'] } }, { infixSearch: null }, 'text'],
    [
      { searchableAttributes: ['id'], infixSearch: { attributes: ['title'] } },
      { infixSearch: null },
      '',
    ],
    [{ searchableAttributes: ['size'] }, { searchableAttributes: ['size.w'] }, 'text'],
    [{ searchableAttributes: ['id'] }, { searchableAttributes: ['id', 'title'] }, 'text'],
    [{ searchableAttributes: [] }, { stopWords: ['a'] }, ''],
    [{ filterableAttributes: ['price'] }, { sortableAttributes: ['price'] }, ''],
    [
      { searchableAttributes: ['title'] },
      { searchableAttributes: ['title', 'size.deep.er'] },
      'text',
    ],
    [{ searchableAttributes: ['title'] }, { searchableAttributes: ['title', 'new.er'] }, ''],
    [{}, { sortableAttributes: ['size.deep'] }, 'columns'],
    [{}, { filterableAttributes: [rule(['*.deep'], false)] }, 'columns'],
    [{ filterableAttributes: ['price'] }, { facetSearch: false }, ''],
    [{ filterableAttributes: ['price', 'x'] }, { filterableAttributes: ['x', 'price'] }, ''],
    [
      { filterableAttributes: [rule(['price'], false)] },
      { filterableAttributes: [rule(['pri*'], false)] },
      'columns',
    ],
    [
      { filterableAttributes: [rule(['price'], false)] },
      { filterableAttributes: [rule(['price'], true)] },
      '',
    ],
    [
      { filterableAttributes: ['title'] },
      { localizedAttributes: [{ attributePatterns: ['*'], locales: ['fra'] }] },
      'text',
    ],
    [{ filterableAttributes: ['price'] }, { filterableAttributes: [] }, 'columns'],
  ])('%j, then %j', (from, to, cost) => {
    expect(costOf(from, to)).toBe(cost)
  })

  test('an index without documents needs no rebuild', () => {
    expect(costOf({}, { stopWords: ['a'], filterableAttributes: ['a'] }, [])).toBe('')
  })
})

test('a field is faceted if any setting needs its values', () => {
  const { settings } = applyPatch(
    defaultSettings(),
    {
      filterableAttributes: [
        'size',
        {
          attributePatterns: ['off'],
          features: { facetSearch: false, filter: { equality: false, comparison: false } },
        },
      ],
      sortableAttributes: ['price'],
      distinctAttribute: 'id',
      rankingRules: ['stars:desc'],
    },
    text,
  )
  const faceted = ['size', 'size.w', 'price', 'id', 'stars', 'off', 'title'].filter((field) =>
    columnsLayer.use(settings)!.holds(field),
  )
  expect(faceted).toEqual(['size', 'size.w', 'price', 'id', 'stars'])
})
