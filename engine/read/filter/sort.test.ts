// Sort expressions: their meaning, and the messages for invalid ones, as in the reference.
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { checkSortable, parseSort, type SortChecks } from './sort.ts'

const GEO_FORM =
  'Invalid syntax for the geo parameter: expected expression formated like ' +
  '`_geoPoint(latitude, longitude)` and ending by `:asc` or `:desc`, found'
const HINT =
  'Use the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates.'
const reserved = (name: string) =>
  `\`${name}\` is a reserved keyword and thus can't be used as a sort expression.`
const latitude = (shown: string) =>
  `Bad latitude \`${shown}\`. Latitude must be contained between -90 and 90 degrees.`
const longitude = (shown: string, hint: string) =>
  `Bad longitude \`${shown}\`. Longitude must be contained between -180 and 180 degrees. ` +
  `Hint: try using \`${hint}\` instead.`

describe('expressions', () => {
  test.each([
    ['a:asc', { kind: 'field', field: 'a', direction: 'asc' }],
    ['a.b:desc', { kind: 'field', field: 'a.b', direction: 'desc' }],
    ['a:b:asc', { kind: 'field', field: 'a:b', direction: 'asc' }],
    [':asc', { kind: 'field', field: '', direction: 'asc' }],
    [' a :asc', { kind: 'field', field: ' a ', direction: 'asc' }],
    ['_geo.lat:asc', { kind: 'field', field: '_geo.lat', direction: 'asc' }],
    ['_rankingScore:asc', { kind: 'field', field: '_rankingScore', direction: 'asc' }],
    ['geoPoint(0,0):asc', { kind: 'field', field: 'geoPoint(0,0)', direction: 'asc' }],
    ['_geoPoint(1,2):asc', { kind: 'geo', latitude: 1, longitude: 2, direction: 'asc' }],
    ['_geoPoint( 1.5 , 2 ):desc', { kind: 'geo', latitude: 1.5, longitude: 2, direction: 'desc' }],
    [
      '_geoPoint(1e1,-179.9):asc',
      { kind: 'geo', latitude: 10, longitude: -179.9, direction: 'asc' },
    ],
    ['_geoPoint(-0.0, 0):asc', { kind: 'geo', latitude: -0, longitude: 0, direction: 'asc' }],
  ])('%s', (expression, key) => {
    expect(parseSort([expression], 'invalid_search_sort')).toEqual([key])
  })

  test.each(['', 'a', 'a:up', 'a:ASC', 'a: asc', 'asc', '_geoPoint(0,0)', '_geoPoint(0,0):up'])(
    '%j has no direction',
    (expression) => {
      expect(() => parseSort([expression], 'invalid_document_sort')).toThrow(
        expect.objectContaining({
          code: 'invalid_document_sort',
          message:
            'Invalid syntax for the sort parameter: ' +
            `expected expression ending by \`:asc\` or \`:desc\`, found \`${expression}\`.`,
        }),
      )
    },
  )

  test.each([
    ['_geoPoint', `${GEO_FORM} \`_geoPoint\`.`],
    ['_geoPoint()', `${GEO_FORM} \`_geoPoint()\`.`],
    ['_geoPoint(0)', `${GEO_FORM} \`_geoPoint(0)\`.`],
    ['_geoPoint(0,1,2)', `${GEO_FORM} \`_geoPoint(0,1,2)\`.`],
    ['_geoPoint(a,b)', `${GEO_FORM} \`_geoPoint(a,b)\`.`],
    ['_geoPoint(0;0)', `${GEO_FORM} \`_geoPoint(0;0)\`.`],
    ['_geoPoint(91,0)', latitude('91')],
    ['_geoPoint(-90.1,0)', latitude('-90.1')],
    ['_geoPoint(NaN,0)', latitude('NaN')],
    ['_geoPoint(inf,0)', latitude('inf')],
    ['_geoPoint(0,181)', longitude('181', '-179')],
    ['_geoPoint(0,-180.5)', longitude('-180.5', '179.5')],
    ['_geo', `${reserved('_geo')} ${HINT}`],
    ['_geo(1,2)', reserved('_geo(1,2)')],
    ['_geoDistance', reserved('_geoDistance')],
    ['_geoRadius(1,2,3)', `${reserved('_geoRadius')} ${HINT}`],
    ['_geoBoundingBox([1,1],[2,2])', `${reserved('_geoBoundingBox')} ${HINT}`],
    ['_geojson', reserved('_geojson')],
  ])('%s is none', (name, message) => {
    expect(() => parseSort(['a:asc', `${name}:asc`], 'invalid_search_sort')).toThrow(
      expect.objectContaining({ code: 'invalid_search_sort', message }),
    )
  })
})

describe('fields', () => {
  const tea: SortChecks = {
    code: 'invalid_search_sort',
    sortableAttributes: ['year', 'price', 'name', '_geo'],
    displayedAttributes: null,
    rankingRules: ['words', 'sort'],
    indexUid: asIndexUid('tea'),
  }
  const check = (expressions: readonly string[], checks: SortChecks) => () =>
    checkSortable(parseSort(expressions, checks.code), checks)

  test('sortable fields and fields nested in them are accepted', () => {
    expect(check(['year:asc', 'price.net:desc', '_geoPoint(1,2):asc'], tea)).not.toThrow()
    expect(check([], { ...tea, rankingRules: [] })).not.toThrow()
  })

  test.each<[string[], Partial<SortChecks>, string]>([
    [
      ['name:asc', 'origin:desc'],
      {},
      'Index `tea`: Attribute `origin` is not sortable. ' +
        'Available sortable attributes are: `_geo, name, price, year`.',
    ],
    [
      ['year:asc:desc'],
      {},
      'Index `tea`: Attribute `year:asc` is not sortable. ' +
        'Available sortable attributes are: `_geo, name, price, year`.',
    ],
    [
      ['_geoPoint(1,2):asc'],
      { sortableAttributes: ['id'] },
      'Index `tea`: Attribute `_geo` is not sortable. Available sortable attributes are: `id`.',
    ],
    [
      ['year:asc'],
      { sortableAttributes: ['owner', 'no*', 'owner'] },
      'Index `tea`: Attribute `year` is not sortable. Available sortable attributes are: `no*, ' +
        'owner`.',
    ],
    [
      ['year:asc'],
      { sortableAttributes: ['y*'] },
      'Index `tea`: Attribute `year` is not sortable. Available sortable attributes are: `y*`. ' +
        'Of patterns only `*` is known there: list the names.',
    ],
    [
      ['s:asc'],
      { sortableAttributes: ['a:b', 'asc', 'v'], displayedAttributes: ['id', 'v'] },
      'Index `tea`: Attribute `s` is not sortable. ' +
        'Available sortable attributes are: `v, <..hidden-attributes>`.',
    ],
    [
      ['a:asc'],
      { sortableAttributes: [] },
      'Index `tea`: Attribute `a` is not sortable. ' +
        'This index does not have configured sortable attributes.',
    ],
    [
      ['nope:asc'],
      { rankingRules: ['words', 'typo'] },
      'Index `tea`: You must specify where `sort` is listed in the rankingRules setting ' +
        'to use the sort parameter at search time.',
    ],
    [
      ['dim:asc'],
      {
        code: 'invalid_document_sort',
        sortableAttributes: ['dim.w'],
        rankingRules: null,
        indexUid: null,
      },
      'Attribute `dim` is not sortable. Available sortable attributes are: `dim.w`.',
    ],
  ])('%j %j', (expressions, changed, message) => {
    const checks = { ...tea, ...changed }
    expect(check(expressions, checks)).toThrow(
      expect.objectContaining({ code: checks.code, message }),
    )
  })
})
