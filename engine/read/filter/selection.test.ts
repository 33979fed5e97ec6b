// The fields that may be named for facets, facet search and distinct. Messages and selections as in
// the reference.
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import { compileRules, type FilterRules, isFilterable } from '../filter-syntax/rules.ts'
import { checkDistinct, checkFacetSearchable, selectFacets } from './selection.ts'

const rule = (
  attributePatterns: readonly string[],
  { facetSearch = false, equality = true, comparison = false } = {},
): FilterableAttribute => ({
  attributePatterns,
  features: { facetSearch, filter: { equality, comparison } },
})
const OFF = { equality: false, comparison: false }

describe('rules', () => {
  test.each([
    [['a'], 'a', 0],
    [['a'], 'a.b.c', 0],
    [['a'], 'ab', null],
    [['a.b'], 'a', null],
    [['s'], 's.', 0],
    [['*'], 'a', 0],
    [['*'], '*', 0],
    [[''], '', 0],
    [[''], 'a', null],
    [[rule(['a'])], 'a.b', null],
    [[rule(['*'])], 'a.b', 0],
    [[rule(['a.*'])], 'a', null],
    [[rule(['a.*', '*_at'])], 'made_at', 0],
    [[rule(['*i*'])], 'price', 0],
    [[rule(['a*b'])], 'axb', null],
    [[rule(['a*b*'])], 'a*bc', 0],
    [[rule(['**'])], 'x', 0],
    [[rule([]), 'a', rule(['*'])], 'a', 1],
    [[rule([]), 'a', rule(['*'])], 'b', 2],
  ])('%j and %j', (attributes, field, index) => {
    expect(compileRules(attributes).ruleOf(field)?.index ?? null).toBe(index)
  })

  test('the first match applies, even if it disables filtering', () => {
    const rules = compileRules([rule(['price'], OFF), 'price', rule(['n'], OFF), rule(['*'])])
    expect(isFilterable(rules, 'price')).toBe(false)
    expect(isFilterable(rules, 'price.x')).toBe(true)
    expect(isFilterable(rules, 'n')).toBe(false)
    expect(rules.filterable).toEqual(['*', 'price'])
    expect(rules.facetSearchable).toEqual(['price'])
  })

  test('cached rules stay correct for any number of names', () => {
    const rules = compileRules(['a'])
    for (let i = 0; i < 10_000; i++) expect(rules.ruleOf(`b${i}`)).toBeNull()
    expect(rules.ruleOf('a')?.index).toBe(0)
    expect(rules.ruleOf('b1')).toBeNull()
  })
})

const TEA = compileRules(['origin', 'year', 'price', 'tags', 'active', 'details.grade', '_geo'])
const TEA_FIELDS = [
  'id',
  'name',
  'notes',
  'origin',
  'year',
  'price',
  'tags',
  'active',
  'details',
  'details.grade',
  'details.grower',
  'details.grower.name',
  '_geo',
  '_geo.lat',
  '_geo.lng',
]
const RULED = compileRules([
  rule(['eq*']),
  rule(['*_cmp'], { equality: false, comparison: true }),
  rule(['off'], { facetSearch: true, ...OFF }),
  'free',
])
const RULED_FIELDS = ['id', 'eq1', 'n_cmp', 'off', 'free', 'secret']
const MIXED = compileRules([
  rule(['cat'], { facetSearch: true, ...OFF }),
  rule(['o.*', 'p*']),
  'mix',
])
const MIXED_FIELDS = ['id', 'cat', 'price', 'mix', 'o', 'o.k', 'o.n', 'o.n.v', 't']
const WHOLE = compileRules(['cat', 'o', 'nothing'])

describe('facets', () => {
  test.each<[FilterRules, string[], string[], string[]]>([
    [TEA, TEA_FIELDS, ['origin', 'origin', 'year'], ['origin', 'year']],
    [TEA, TEA_FIELDS, ['details.grade'], ['details.grade']],
    [TEA, TEA_FIELDS, ['details'], []],
    [TEA, TEA_FIELDS, ['details.*'], ['details.grade']],
    [
      TEA,
      TEA_FIELDS,
      ['*e*'],
      ['_geo', '_geo.lat', '_geo.lng', 'active', 'details.grade', 'price', 'year'],
    ],
    [TEA, TEA_FIELDS, ['_geo'], ['_geo', '_geo.lat', '_geo.lng']],
    [RULED, RULED_FIELDS, ['eq*'], ['eq1']],
    [RULED, RULED_FIELDS, ['n_cmp', 'free'], ['free', 'n_cmp']],
    [RULED, RULED_FIELDS, ['*'], ['eq1', 'free', 'n_cmp']],
    [RULED, RULED_FIELDS, ['free.x'], []],
    [MIXED, MIXED_FIELDS, ['*'], ['mix', 'o.k', 'o.n', 'o.n.v', 'price']],
    [MIXED, MIXED_FIELDS, ['o'], []],
    [MIXED, MIXED_FIELDS, ['o.n'], ['o.n', 'o.n.v']],
    [WHOLE, MIXED_FIELDS, ['o'], ['o', 'o.k', 'o.n', 'o.n.v']],
    [WHOLE, ['o.k', 'cat'], ['o'], []],
    [WHOLE, MIXED_FIELDS, ['nothing'], []],
    [compileRules(['*']), MIXED_FIELDS, ['*'], [...MIXED_FIELDS].sort()],
    [TEA, TEA_FIELDS, [], []],
  ])('%#: %j of %j', (rules, fields, requested, expected) => {
    expect(selectFacets(requested, rules, fields)).toEqual(expected)
  })

  const TEA_PATTERNS = '_geo, active, details.grade, origin, price, tags, year'
  test.each<[FilterRules, string[], string]>([
    [TEA, ['origin', 'nope', 'zip'], unknown('nope', TEA_PATTERNS)],
    [TEA, [''], unknown('', TEA_PATTERNS)],
    [TEA, ['ORIGIN'], unknown('ORIGIN', TEA_PATTERNS)],
    [RULED, ['secret'], unknown('secret', '*_cmp, eq*, free')],
    [RULED, ['off'], forbidden('off', 2)],
    [MIXED, ['mix', 'zzz'], unknown('zzz', 'mix, o.*, p*')],
    [MIXED, ['cat'], forbidden('cat', 0)],
    [compileRules([rule(['a'], OFF), 'a']), ['a'], forbidden('a', 0)],
    [compileRules([]), ['*'], unknown('*', '')],
  ])('%#: faults of %j', (rules, requested, sentence) => {
    expect(() => selectFacets(requested, rules, [])).toThrow(
      expect.objectContaining({
        code: 'invalid_search_facets',
        message: `Invalid facet distribution: ${sentence}`,
      }),
    )
  })

  function unknown(pattern: string, patterns: string): string {
    const available =
      patterns === ''
        ? 'This index does not have configured filterable attributes.'
        : `Available filterable attributes patterns are: \`${patterns}\`.`
    return `Pattern \`${pattern}\` is not filterable. ${available}`
  }
  function forbidden(field: string, index: number): string {
    return (
      `Attribute \`${field}\` matched rule #${index} in filterableAttributes, ` +
      'but this rule does not enable filtering.\n' +
      `Hint: enable filtering in rule #${index} by modifying the features.filter object\n` +
      `Hint: prepend another rule matching \`${field}\` with appropriate filter features ` +
      `before rule #${index}`
    )
  }
})

describe('distinct', () => {
  const START = 'is not filterable and thus, cannot be used as distinct attribute.'
  test.each<[FilterRules, string, string[] | null, string]>([
    [
      TEA,
      'details',
      null,
      `Index \`x\`: Attribute \`details\` ${START} Available filterable attributes patterns are: ` +
        '`_geo, active, details.grade, origin, price, tags, year`.',
    ],
    [
      RULED,
      'secret',
      ['id', 'free'],
      `Index \`x\`: Attribute \`secret\` ${START} Available filterable attributes patterns are: ` +
        '`free, <..hidden-attributes>`.',
    ],
    [
      RULED,
      'off',
      null,
      `Index \`x\`: Attribute \`off\` ${START} Note: this attribute matches rule #2 in ` +
        'filterableAttributes, but this rule does not enable filtering.\n' +
        'Hint: enable filtering in rule #2 by adding appropriate filter features.\n' +
        'Hint: prepend another rule matching off with filter features before rule #2',
    ],
    [
      compileRules([]),
      'a',
      null,
      `Index \`x\`: Attribute \`a\` ${START} ` +
        'This index does not have configured filterable attributes.',
    ],
  ])('%#', (rules, field, displayed, message) => {
    expect(() => checkDistinct(field, rules, displayed, asIndexUid('x'))).toThrow(
      expect.objectContaining({ code: 'invalid_search_distinct', message }),
    )
  })

  test('filterable fields may be distinct', () => {
    expect(() => checkDistinct('origin.x', TEA, null, asIndexUid('x'))).not.toThrow()
    expect(() => checkDistinct('n_cmp', RULED, null, null)).not.toThrow()
  })
})

describe('facet search', () => {
  const SHIPS = compileRules([
    'port',
    'crew',
    'knots',
    'flag',
    'steam',
    rule(['note']),
    rule(['lab*'], { facetSearch: true }),
  ])
  const REMEDY = 'To make it facet-searchable add it to the `filterableAttributes` index settings.'
  test.each<[FilterRules, string, string[] | null, string]>([
    [
      SHIPS,
      'nope',
      null,
      'Attribute `nope` is not facet-searchable. Available facet-searchable attributes ' +
        'patterns are: ' +
        `\`crew, flag, knots, lab*, port, steam\`. ${REMEDY}`,
    ],
    [
      SHIPS,
      'por*',
      ['port'],
      'Attribute `por*` is not facet-searchable. Available facet-searchable attributes ' +
        'patterns are: ' +
        `\`port, <..hidden-attributes>\`. ${REMEDY}`,
    ],
    [
      SHIPS,
      'note',
      null,
      'Attribute `note` is not facet-searchable. Note: this attribute matches rule #5 in ' +
        'filterableAttributes, but this rule does not enable facetSearch.\n' +
        'Hint: enable facetSearch in rule #5 by adding `"facetSearch": true` to the rule.\n' +
        'Hint: prepend another rule matching note with facetSearch: true before rule #5',
    ],
    [
      compileRules([]),
      'a',
      null,
      'Attribute `a` is not facet-searchable. ' +
        `This index does not have configured facet-searchable attributes. ${REMEDY}`,
    ],
  ])('%#', (rules, field, displayed, message) => {
    expect(() => checkFacetSearchable(field, rules, displayed)).toThrow(
      expect.objectContaining({ code: 'invalid_facet_search_facet_name', message }),
    )
  })

  test.each(['port', 'flag.nope', 'label'])('%s may be searched', (field) => {
    expect(() => checkFacetSearchable(field, SHIPS, null)).not.toThrow()
  })
})
