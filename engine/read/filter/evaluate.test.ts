// The matches of filters. The tables are the results of the reference for the same documents: the
// matching ids, or after a minus sign the ids that do not match.
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import { FOREIGN_DOCUMENTS_MAX } from '../filter-syntax/limits.ts'
import type { FilterTree } from '../filter-syntax/tree.ts'
import { filterWording } from '../filter-syntax/wording.ts'
import type { FilterContext } from './context.ts'
import { evaluateFilter } from './evaluate.ts'
import { parseFilter } from './input.ts'
import { type JsonObject, memoryContext } from './test-filter.ts'

const parse = (filter: unknown): FilterTree =>
  parseFilter(filter, {
    wording: filterWording('search', 'parsing', asIndexUid('x')),
    features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
    takesForeign: true,
  })!

const found = (filter: unknown, context: FilterContext, documents: readonly JsonObject[]) =>
  [...evaluateFilter(parse(filter), context).toArray()].map((at) => documents[at]!['id'])

const expected = (ids: string, documents: readonly JsonObject[]) => {
  const all = documents.map((document) => document['id'] as number)
  const listed = ids.replace('-', '').split(' ').filter(Boolean).map(Number)
  return ids.startsWith('-') ? all.filter((id) => !listed.includes(id)) : listed
}

const faultOf = (filter: unknown, context: FilterContext): EngineFault | null => {
  try {
    evaluateFilter(parse(filter), context)
    return null
  } catch (error) {
    if (error instanceof EngineFault) return error
    throw error
  }
}

const ATTRIBUTES = ['s', 'n', 'b', 'l', 'o', 'id', 'missing', 'AND', 'a b']
const DOCUMENTS: readonly JsonObject[] = [
  { id: 1, s: 'red', n: 5, b: true, l: ['a', 'b'], o: { k: 'x', n: 1 } },
  { id: 2, s: 'Red', n: 5, b: false, l: ['b'], o: { k: 'y' } },
  { id: 3, s: ' red ', n: -3, l: [], o: {} },
  { id: 4, s: 'réd', n: 0, l: 'a', o: null },
  {
    id: 5,
    s: '',
    n: 10000000000,
    l: [1, 2, 30],
    o: [
      { k: 'x', n: 1 },
      { k: 'y', n: 2 },
    ],
  },
  { id: 6, s: null, n: null, l: null },
  { id: 7 },
  { id: 8, s: '5', n: '5', b: 'true', l: ['A', 5] },
  { id: 9, s: 'red car', n: 'five', b: 1, l: [''] },
  { id: 10, s: 'REDDISH', n: 0.1, l: [null] },
  { id: 11, s: "l'eau", n: 0.005, l: ['x y'] },
  { id: 12, s: 'say "hi"', n: 0, l: [['a', 'c']] },
  { id: 13, s: 'back\\slash', n: 4.999999, l: [true] },
  { id: 14, s: 'NOT', n: 100, l: ['red', 'blue'] },
  { id: 15, s: 'Straße', n: 99, l: ['é'] },
  { id: 16, s: 'STRASSE', n: 5.5 },
  { id: 17, s: 'a.b-c_d', n: 6 },
  { id: 18, s: '日本', n: 7 },
  { id: 19, s: '🍓', n: 8 },
  { id: 20, s: 'tab\there', n: 9 },
]
const NESTED: readonly JsonObject[] = [...DOCUMENTS, { id: 30, AND: 1, 'a b': 2, o: { 'x.y': 3 } }]
const PLACES: readonly JsonObject[] = [
  { id: 1, _geo: { lat: 48.85, lng: 2.35 } },
  { id: 2, _geo: { lat: 45.76, lng: 4.83 } },
  { id: 3, _geo: { lat: 43.3, lng: 5.37 } },
  { id: 4, _geo: { lat: -17.7, lng: 178.06 } },
  { id: 5, _geo: { lat: -13.8, lng: -172.1 } },
  { id: 6, _geo: { lat: 0, lng: 180 } },
  { id: 7, _geo: { lat: 0, lng: -180 } },
  { id: 8, _geo: { lat: 0, lng: 0 } },
  { id: 9, _geo: { lat: 90, lng: 0 } },
  { id: 10, _geo: { lat: -90, lng: 0 } },
  { id: 11, _geo: { lat: 10, lng: 10 } },
  { id: 12, _geo: { lat: 52.5, lng: 13.4 } },
  { id: 20 },
  { id: 21, _geo: null },
]

type Row = readonly [filter: unknown, ids: string]
const PLAIN: readonly Row[] = [
  ['s = red', '1 2 3'],
  ['s = RED', '1 2 3'],
  ["s = ' red '", '1 2 3'],
  ['s = réd', '4'],
  ['s != red', '-1 2 3'],
  ['s = ""', ''],
  ["s != ''", '-'],
  ['s = 5', '8'],
  ['n = 5', '1 2 8'],
  ['n = 5.0', '1 2'],
  ['n = "5"', '1 2 8'],
  ['n = 5e0', '1 2'],
  ['n = -0', '4 12'],
  ['n = 0', '4 12'],
  ['n = -3', '3'],
  ['n = five', '9'],
  ['n != 5', '-1 2 8'],
  ['n > 5', '5 14 15 16 17 18 19 20'],
  ['n >= 5', '-3 4 6 7 9 10 11 12 13'],
  ['n < 0', '3'],
  ['n <= 0', '3 4 12'],
  ['n > five', ''],
  ['n < a', '8'],
  ['s > red', '4 9 10 12 15 16 18 19 20'],
  ['s >= red', '-5 6 7 8 11 13 14 17'],
  ['s < b', '8 17'],
  ['s > 5', ''],
  ['s >= 5', '8'],
  ['n 0 TO 5', '1 2 4 8 10 11 12 13'],
  ['n 5 TO 0', ''],
  ['n 100 TO 100', '14'],
  ['n a TO z', '9'],
  ['s a TO s', '1 2 3 4 9 10 11 13 14 17'],
  ['s red TO red', '1 2 3'],
  ['n -3 TO 0.1', '3 4 10 11 12'],
  ['b = true', '1 8'],
  ['b = TRUE', '1 8'],
  ['b = 1', '9'],
  ['b != true', '-1 8'],
  ['b > a', '1 2 8'],
  ['n = NaN', ''],
  ['n > Infinity', ''],
  ['n = inf', ''],
  ['n < 1e400', ''],
  ['n = 0x5', ''],
  ['n = 1_000', ''],
  ['s EXISTS', '-7'],
  ['s NOT EXISTS', '7'],
  ['NOT s EXISTS', '7'],
  ['s IS NULL', '6'],
  ['s IS NOT NULL', '-6'],
  ['s IS EMPTY', '5'],
  ['s IS NOT EMPTY', '-5'],
  ['l EXISTS', '-7 16 17 18 19 20'],
  ['l IS EMPTY', '3'],
  ['l IS NULL', '6'],
  ['l IS NOT EMPTY', '-3'],
  ['o IS NULL', '4'],
  ['o IS EMPTY', '3'],
  ['o EXISTS', '1 2 3 4 5'],
  ['o.k EXISTS', '1 2 5'],
  ['o.k NOT EXISTS', '-1 2 5'],
  ['missing EXISTS', ''],
  ['missing = 1', ''],
  ['missing != 1', ''],
  ['NOT missing = 1', '-'],
  ['missing NOT IN [1]', '-'],
  ['missing IS NULL', ''],
  ['missing IS NOT NULL', '-'],
  ['n IN [5, -3, 0]', '1 2 3 4 8 12'],
  ['n NOT IN [5]', '-1 2 8'],
  ['s IN [red, "red car"]', '1 2 3 9'],
  ['s IN []', ''],
  ['s NOT IN []', '-'],
  ['s IN [red,]', '1 2 3'],
  ["s IN ['', 5]", '8'],
  ['n = 5 OR n = 0 AND s = red', '1 2 8'],
  ['(n = 5 OR n = 0) AND s = réd', '4'],
  ['NOT n = 5 AND s = red', '3'],
  ['NOT (n = 5 OR s = red)', '-1 2 3 8'],
  ['NOT NOT n = 5', '1 2 8'],
  ['NOT NOT NOT n = 5', '-1 2 8'],
  ['n = 5 AND NOT s = red', '8'],
  ['n=0 OR n=6 OR n=7 AND s=日本', '4 12 17 18'],
  ['NOT n = 5 OR n = 5', '-'],
  ['s = red AND s != red', ''],
  [['n = 5', 's = red'], '1 2'],
  [[['n = 5', 'n = 0']], '1 2 4 8 12'],
  [[['n = 5', 'n = 0'], 's = réd'], '4'],
  [['n = 5', ['s = red', 's = "5"']], '1 2 8'],
  [[' ', 'n = 0'], '4 12'],
  [[['', 'n = 0']], '4 12'],
  [['n = 5 OR n = 0', 's = red'], '1 2'],
  [[['n = 5 AND s = red', 'n = 7']], '1 2 18'],
  ['s CONTAINS red', '1 2 3 9 10'],
  ['s CONTAINS RED', '1 2 3 9 10'],
  ['s NOT CONTAINS red', '-1 2 3 9 10'],
  ['NOT s CONTAINS red', '-1 2 3 9 10'],
  ['s CONTAINS ""', '-5 6 7'],
  ["s CONTAINS ' '", '-5 6 7'],
  ['s CONTAINS é', '4'],
  ['s CONTAINS e', '1 2 3 4 9 10 11 15 16 20'],
  ['n CONTAINS 5', '8'],
  ['l CONTAINS a', '1 4 8 12'],
  ['o.k CONTAINS x', '1 5'],
  ['s CONTAINS "\'"', '11'],
  ['s CONTAINS 本', '18'],
  ['s CONTAINS ss', '16'],
  ['s CONTAINS ß', '15'],
  ['s CONTAINS red OR n = 0', '1 2 3 4 9 10 12'],
  ['s STARTS WITH red', '1 2 3 9 10'],
  ['s STARTS WITH RED', '1 2 3 9 10'],
  ['s NOT STARTS WITH red', '-1 2 3 9 10'],
  ['NOT s STARTS WITH red', '-1 2 3 9 10'],
  ['s STARTS WITH ""', '-7'],
  ['s STARTS WITH re', '1 2 3 4 9 10'],
  ['s STARTS WITH ré', '4'],
  ['s STARTS WITH "red "', '1 2 3 9 10'],
  ["s STARTS WITH ' red'", '1 2 3 9 10'],
  ['n STARTS WITH 5', '8'],
  ['n STARTS WITH f', '9'],
  ['l STARTS WITH a', '1 4 8 12'],
  ['b STARTS WITH t', '1 8'],
  ['s STARTS WITH 日', '18'],
  ['missing STARTS WITH a', ''],
  ['missing CONTAINS a', ''],
]
const DEEP: readonly Row[] = [
  ['l = a', '1 4 8 12'],
  ['l = A', '1 4 8 12'],
  ['l != a', '-1 4 8 12'],
  ['l = 5', '8'],
  ['l = ""', ''],
  ['l > 1', '5 8'],
  ['l > 1 AND l < 2', '5'],
  ['l < 2 AND l > 29', '5'],
  ['l 2 TO 29', '5 8'],
  ['l IN [a, 30]', '1 4 5 8 12'],
  ['l NOT IN [a]', '-1 4 8 12'],
  ['l = red AND l = blue', '14'],
  ['l = c', '12'],
  ['l = true', '13'],
  ['l = é', '15'],
  ['l = e', ''],
  ['o.k = x', '1 5'],
  ['o.k != x', '-1 5'],
  ['o.n = 1 AND o.k = y', '5'],
  ['o.n > 1', '5'],
  ['o = x', ''],
  ['o.x = 1', ''],
  ['o.x.y = 3', '30'],
  ['"o.x.y" = 3', '30'],
  ['"AND" = 1', '30'],
  ["'a b' = 2", '30'],
  ['"a b" EXISTS', '30'],
  ["s = 'l\\'eau'", '11'],
  ['s = "l\'eau"', '11'],
  ['s = \'say "hi"\'', '12'],
  ['s = "say \\"hi\\""', '12'],
  ['s = "back\\\\slash"', '13'],
  ["s = 'tab\\there'", '20'],
  ['s = "tab\there"', '20'],
  ["s = 'NOT'", '14'],
  ["s = 'Straße'", '15'],
  ['s = strasse', '16'],
  ['s = a.b-c_d', '17'],
  ['s = 日本', '18'],
  ["s = '🍓'", '19'],
  ['s="red"', '1 2 3'],
  ['s=red', '1 2 3'],
  ['s  =\n red', '1 2 3'],
  ['n>=5', '-3 4 6 7 9 10 11 12 13 30'],
  ['(s=red)', '1 2 3'],
  ['((s = red))', '1 2 3'],
  ["'s' = 'red'", '1 2 3'],
  ['"n" > "5"', '5 14 15 16 17 18 19 20'],
  ['s = "\\u0072ed"', '1 2 3'],
  ["s = '\\x72ed'", '1 2 3'],
  ["s = '\\162ed'", '1 2 3'],
  ["s = '\\u{1F353}'", '19'],
]
const GEO: readonly Row[] = [
  ['_geoRadius(48.85, 2.35, 0)', '1'],
  ['_geoRadius(48.85,2.35,400000)', '1 2'],
  ['_geoRadius(48.85,2.35,1000000) AND id > 1', '2 3 12'],
  ['NOT _geoRadius(48.85,2.35,1000000)', '-1 2 3 12'],
  ['_geoRadius(0, 180, 10)', '6 7'],
  ['_geoRadius(-15, 179, 1500000)', '4 5'],
  ['_geoRadius(90, 0, 100)', '9'],
  ['_geoRadius(48.85,2.35,400000,200)', '1 2'],
  ['_geoRadius(1,2,-5)', ''],
  ['_geoRadius(0,0,20037508)', '-20 21'],
  ['_geoBoundingBox([60,20],[40,0])', '1 2 3 12'],
  ['_geoBoundingBox([10,-170],[-20,170])', '4 5 6 7'],
  ['_geoBoundingBox([10,170],[-20,-170])', '8 11'],
  ['_geoBoundingBox([90,180],[-90,-180])', '-20 21'],
  ['_geoBoundingBox([0,0],[0,0])', '8'],
  ['_geoBoundingBox([60,20],[40,0]) OR id = 20', '1 2 3 12 20'],
  ['NOT _geoBoundingBox([60,20],[40,0])', '-1 2 3 12'],
  ['_geo.lat > 45', '1 2 9 12'],
  ['_geo.lng < 0', '5 7'],
  ['_geo.lat EXISTS', '-20 21'],
]

describe('values', () => {
  const context = memoryContext(DOCUMENTS, ATTRIBUTES)
  test.each(PLAIN)('%j', (filter, ids) => {
    expect(found(filter, context, DOCUMENTS)).toEqual(expected(ids, DOCUMENTS))
  })
})

describe('lists and nested fields', () => {
  const context = memoryContext(NESTED, ATTRIBUTES)
  test.each(DEEP)('%j', (filter, ids) => {
    expect(found(filter, context, NESTED)).toEqual(expected(ids, NESTED))
  })
})

describe('places', () => {
  const context = memoryContext(PLACES, ['_geo', 'id'])
  test.each(GEO)('%j', (filter, ids) => {
    expect(found(filter, context, PLACES)).toEqual(expected(ids, PLACES))
  })

  test('both zeros are one meridian and one equator', () => {
    const zeros = [
      { id: 1, _geo: { lat: -0, lng: 0 } },
      { id: 2, _geo: { lat: 0, lng: -0 } },
    ]
    const both = memoryContext(zeros, ['_geo'])
    for (const zero of ['0', '-0']) {
      expect(found(`_geoBoundingBox([${zero},${zero}],[${zero},${zero}])`, both, zeros)).toEqual([
        1, 2,
      ])
      expect(found(`_geoBoundingBox([1,${zero}],[${zero},1])`, both, zeros)).toEqual([1, 2])
    }
  })

  test('shapes are searched beside points', () => {
    const shapes = {
      radius: (...circle: number[]) => IdSet.of([circle.length]),
      box: (...sides: number[]) => IdSet.of(sides),
      polygon: (points: readonly (readonly [number, number])[]) => IdSet.of(points.flat()),
    }
    const rules = memoryContext(PLACES, ['_geojson']).rules
    const only: FilterContext = { ...context, rules, geojson: shapes }
    const ids = (filter: string, where: FilterContext) => [
      ...evaluateFilter(parse(filter), where).toArray(),
    ]
    expect(ids('_geoRadius(48.85,2.35,1,7)', only)).toEqual([4])
    expect(ids('_geoBoundingBox([60,20],[40,0])', only)).toEqual([0, 20, 40, 60])
    expect(ids('_geoPolygon([1,2],[3,4],[5,6])', only)).toEqual([1, 2, 3, 4, 5, 6])
    const mixed = { ...only, rules: memoryContext(PLACES, ['_geojson', '_geo']).rules }
    expect(ids('_geoRadius(48.85,2.35,1)', mixed)).toEqual([0, 4])
  })
})

describe('fields that are not filterable', () => {
  const tea = memoryContext([], ['origin', 'year', 'price', '_geo'], 'tea')
  const PATTERNS = 'Available filterable attribute patterns are: `_geo`, `origin`, `price`, `year`.'
  test.each([
    ['name = x', 'name', '2:6 "name" = "x"'],
    ['origin = China OR nope > 3', 'nope', '27:31 ("origin" = "China") OR ("nope" > "3")'],
    ['origin = a AND x EXISTS', 'x', '24:25 ("origin" = "a") AND ("x" EXISTS)'],
    ['"" = 1', '', '2:2 "" = "1"'],
    ['_vectors.dark IN [1]', '_vectors.dark', '2:15 "_vectors.dark" IN ["1"]'],
    [['hue = 1', 'origin = "a\\"b"'], 'hue', '3:6 ("hue" = "1") AND ("origin" = "a\\"b")'],
    ['NOT ("x\ny" = 1)', 'x\ny', '7:10 NOT ("x\ny" = "1")'],
  ])('%j', (filter, name, echo) => {
    const fault = faultOf(filter, tea)
    expect(fault?.code).toBe('invalid_search_filter')
    expect(fault?.message).toBe(
      `Index \`tea\`: Attribute \`${name}\` is not filterable. ${PATTERNS}\n${echo}`,
    )
  })

  test('other endpoints quote the text as sent', () => {
    const wording = filterWording('documents', 'running', asIndexUid('tea'))
    expect(faultOf(['origin = a', ' name  = x'], { ...tea, wording })?.message).toBe(
      `Attribute \`name\` is not filterable. ${PATTERNS}\n2:6  name  = x`,
    )
  })

  test.each(['spec.*', '*.w'])('a plain name that looks like a pattern is named: %s', (name) => {
    expect(faultOf('spec.w = 1', memoryContext([], [name]))?.message).toBe(
      'Index `x`: Attribute `spec.w` is not filterable. Available filterable attribute patterns ' +
        `are: \`${name}\`. \`${name}\` is a plain name there: write ` +
        `\`{"attributePatterns": ["${name}"]}\` in the \`filterableAttributes\` index settings.` +
        '\n2:8 "spec.w" = "1"',
    )
  })

  test('a plain name before which a rule disables the filter is no pattern', () => {
    const features = { facetSearch: true, filter: { equality: false, comparison: false } }
    const off = { attributePatterns: ['w'], features }
    expect(faultOf('w = 1', memoryContext([], [off, 'w']))?.message).toBe(
      'Index `x`: Attribute `w` is not filterable. Available filterable attribute patterns are: ' +
        '`w`.\n2:3 "w" = "1"',
    )
  })

  test('an index without filterable attributes says so', () => {
    expect(faultOf('a = 1', memoryContext([], []))?.message).toBe(
      'Index `x`: Attribute `a` is not filterable. ' +
        'This index does not have configured filterable attributes.\n2:3 "a" = "1"',
    )
  })
})

describe('operators that a rule does not enable', () => {
  const rules: readonly FilterableAttribute[] = [
    rule(['s', 'eq*'], true, false),
    rule(['n'], false, true),
    rule(['b'], false, false),
    'l',
  ]
  const context = memoryContext(DOCUMENTS, rules, 'fl')
  const EQUALITY = 'OR, AND, NOT, =, !=, IN, IS EMPTY, IS NULL, EXISTS'
  const COMPARISON = 'OR, AND, NOT, <, >, <=, >=, TO, IS EMPTY, IS NULL, EXISTS'
  test.each([
    ['s > red', '>', 's', 0, EQUALITY, 'comparison'],
    ['s a TO z', 'TO', 's', 0, EQUALITY, 'comparison'],
    ['n = 5', '=', 'n', 1, COMPARISON, 'equality'],
    ['n != 5', '!=', 'n', 1, COMPARISON, 'equality'],
    ['n IN [5]', '=', 'n', 1, COMPARISON, 'equality'],
    ['s = red AND n = 5', '=', 'n', 1, COMPARISON, 'equality'],
    ['n = 5 OR s = red', '=', 'n', 1, COMPARISON, 'equality'],
    ['NOT eq1 <= 5', '<=', 'eq1', 0, EQUALITY, 'comparison'],
  ])('%s', (filter, operator, field, index, allowed, feature) => {
    expect(faultOf(filter, context)?.message).toBe(
      `Index \`fl\`: Filter operator \`${operator}\` is not allowed for the attribute ` +
        `\`${field}\`.\n` +
        `  - Note: allowed operators: ${allowed}.\n` +
        `  - Note: field \`${field}\` matched rule #${index} in \`filterableAttributes\`\n` +
        `  - Hint: enable ${feature} in rule #${index} by modifying the features.filter object\n` +
        `  - Hint: prepend another rule matching \`${field}\` with appropriate filter features ` +
        `before rule #${index}`,
    )
  })

  test.each(['s EXISTS', 'n IS NULL', 'n 1 TO 5', 's STARTS WITH r', 'n CONTAINS 5', 'n IN []'])(
    '%s is allowed',
    (filter) => {
      expect(faultOf(filter, context)).toBeNull()
    },
  )

  test('a faulty condition after an empty one does not fail', () => {
    expect(faultOf('s = nowhere AND n = 5', context)).toBeNull()
    expect(faultOf('n = 5 AND s = nowhere', context)).not.toBeNull()
    expect(faultOf('s = nowhere AND b = true', context)?.message).toMatch(/`b` is not filterable/)
  })
})

describe('invalid points', () => {
  const context = memoryContext(PLACES, ['_geo', 'id'], 'geo')
  const latitude = (shown: string) =>
    `Bad latitude \`${shown}\`. Latitude must be contained between -90 and 90 degrees.`
  const longitude = (shown: string, hint: string) =>
    `Bad longitude \`${shown}\`. Longitude must be contained between -180 and 180 degrees. ` +
    `Hint: try using \`${hint}\` instead.`
  test.each([
    ['_geoRadius(91,0,5)', latitude('91'), '12:14 _geoRadius(91, 0, 5)'],
    ['_geoRadius(-91,0,5)', latitude('-91'), '12:15 _geoRadius(-91, 0, 5)'],
    ['_geoRadius(1e400,0,5)', latitude('inf'), '12:17 _geoRadius(1e400, 0, 5)'],
    ['_geoRadius(0,181,5)', longitude('181', '-179'), '15:18 _geoRadius(0, 181, 5)'],
    ['_geoRadius(0,-190,5)', longitude('-190', '170'), '15:19 _geoRadius(0, -190, 5)'],
    ['_geoRadius(0,360,5)', longitude('360', '0'), '15:18 _geoRadius(0, 360, 5)'],
    [
      '_geoRadius(0,1e21,5)',
      longitude('1000000000000000000000', '100'),
      '15:19 _geoRadius(0, 1e21, 5)',
    ],
    [
      '_geoRadius(48.85,2.35,400000,2)',
      'Invalid resolution `2`. Resolution must be between 3 and 1000.',
      '33:34 _geoRadius(48.85, 2.35, 400000, 2)',
    ],
    [
      '_geoRadius(48.85,2.35,400000,1001)',
      'Invalid resolution `1001`. Resolution must be between 3 and 1000.',
      '33:37 _geoRadius(48.85, 2.35, 400000, 1001)',
    ],
    [
      '_geoBoundingBox([40,0],[60,20])',
      'The top latitude `40` is below the bottom latitude `60`.',
      '31:33 _geoBoundingBox([40, 0], [60, 20])',
    ],
    ['_geoBoundingBox([91,0],[0,0])', latitude('91'), '18:20 _geoBoundingBox([91, 0], [0, 0])'],
    [
      '_geoBoundingBox([10,200],[0,0])',
      longitude('200', '-160'),
      '22:25 _geoBoundingBox([10, 200], [0, 0])',
    ],
    [
      '_geoPolygon([91,0],[60,20],[40,20])',
      'Attribute `_geojson` is not filterable. Available filterable attribute patterns are: ' +
        '`_geo`, `id`.',
      '14:16 _geoPolygon([91, 0], [60, 20], [40, 20])',
    ],
  ])('%s', (filter, sentence, echo) => {
    expect(faultOf(filter, context)?.message).toBe(`Index \`geo\`: ${sentence}\n${echo}`)
  })

  test.each([3, 1000])('a circle may have the resolution %i', (resolution) => {
    expect(faultOf(`_geoRadius(48.85,2.35,400000,${resolution})`, context)).toBeNull()
  })

  test.each([[['id']], [['id', 'no']], [[rule(['_geo', '*'], true, true)]]])(
    '%j does not open them',
    (rules) => {
      const closed = memoryContext(PLACES, rules, 'geo')
      const fault = faultOf('_geoRadius(1,1,1)', closed)
      expect(fault?.message).toMatch(/^Index `geo`: Attribute `_geo\/_geojson` is not filterable\./)
      expect(fault?.message.split('\n')[1]).toBe('12:13 _geoRadius(1, 1, 1)')
    },
  )
})

describe('vectors', () => {
  const ids = (...list: number[]) => IdSet.of(list)
  const context: FilterContext = {
    ...memoryContext(DOCUMENTS, ['s'], 'ink'),
    vectors: {
      embedders: () => ['dark', 'pale'],
      fragments: (embedder) => (embedder === 'pale' ? ['cover'] : []),
      any: () => ids(0, 1),
      of: (embedder, part) => ids(embedder.length, part.length),
      ofFragment: () => ids(7),
    },
  }
  const at = (filter: string) => [...evaluateFilter(parse(filter), context).toArray()]

  test('each form selects its kind of vectors', () => {
    expect(at('_vectors EXISTS')).toEqual([0, 1])
    expect(at('_vectors.dark EXISTS')).toEqual([3, 4])
    expect(at('_vectors.dark.userProvided EXISTS')).toEqual([4, 12])
    expect(at('_vectors.pale.fragments.cover EXISTS')).toEqual([7])
    expect(at('NOT _vectors.pale.fragments.cover EXISTS AND s = red')).toEqual([0, 1, 2])
    expect(at('_vectors = 1')).toEqual([])
    expect(at('"_vectors" EXISTS')).toEqual([])
    expect([
      ...evaluateFilter(parse('_vectors EXISTS'), { ...context, vectors: null }).toArray(),
    ]).toEqual([])
  })

  test.each([
    [
      '_vectors.drak EXISTS',
      'The embedder `drak` does not exist. Available embedders are: `dark`, `pale`. Did you ' +
        'mean `dark`?',
      '11:15 _vectors."drak" EXISTS',
    ],
    [
      '_vectors.ghost EXISTS',
      'The embedder `ghost` does not exist. Available embedders are: `dark`, `pale`.',
      '11:16 _vectors."ghost" EXISTS',
    ],
    [
      '_vectors.dark.fragments.x EXISTS',
      'The fragment `x` does not exist on embedder `dark`. This embedder does not have any ' +
        'configured fragments.',
      '28:29 _vectors."dark".fragments."x" EXISTS',
    ],
    [
      '_vectors.pale.fragments.covr EXISTS',
      'The fragment `covr` does not exist on embedder `pale`. Available fragments on this ' +
        'embedder are: `cover`. Did you mean `cover`?',
      '28:32 _vectors."pale".fragments."covr" EXISTS',
    ],
  ])('%s', (filter, sentence, echo) => {
    expect(faultOf(filter, context)?.message).toBe(`Index \`ink\`: ${sentence}\n${echo}`)
  })

  test('an index without embedders says so', () => {
    expect(faultOf('_vectors.dark EXISTS', memoryContext([], [], 'dry'))?.message).toBe(
      'Index `dry`: The embedder `dark` does not exist. ' +
        'This index does not have any configured embedders.\n11:15 _vectors."dark" EXISTS',
    )
  })
})

describe('shards', () => {
  const context: FilterContext = {
    ...memoryContext(DOCUMENTS, [], 'parks'),
    shards: {
      has: (name) => name === 's1' || name === 's2',
      union: (names) =>
        (names.includes('s1') ? IdSet.of([1, 2]) : IdSet.empty).or(
          names.includes('s2') ? IdSet.of([5]) : IdSet.empty,
        ),
    },
  }
  const at = (filter: string) => evaluateFilter(parse(filter), context).size

  test('equality in every form', () => {
    expect(at('_shard = s1')).toBe(2)
    expect(at('_shard != s1')).toBe(18)
    expect(at('_shard IN [s1]')).toBe(2)
    expect(at('_shard IN [s1, s2, s1]')).toBe(3)
    expect(at('_shard NOT IN [s1]')).toBe(18)
    expect(at('_shard NOT IN [s1, s2]')).toBe(17)
    expect(at('_shard IN []')).toBe(0)
  })

  test.each([
    ['_shard = a', 'Shard `a` does not exist'],
    ['_shard IN [s1, a]', 'Shard `a` does not exist'],
    ['_shard EXISTS', specialOperator('EXISTS')],
    ['_shard > a', specialOperator('>')],
    ['_shard a TO b', specialOperator('TO')],
    ['_shard IS NOT NULL', specialOperator('IS NULL')],
  ])('%s', (filter, sentence) => {
    expect(faultOf(filter, context)?.message).toBe(`Index \`parks\`: ${sentence}`)
  })
})

describe('foreign conditions', () => {
  const people = [
    { id: 1, age: 30 },
    { id: 2, age: 50 },
  ]
  const there: FilterContext = {
    ...memoryContext(people, ['age'], 'people'),
    wording: filterWording('foreign', 'running', asIndexUid('people')),
  }
  const books = [{ id: 10, author: 1 }, { id: 11, author: [2, 'p3'] }, { id: 12 }]
  const context: FilterContext = {
    ...memoryContext(books, ['author', 'title'], 'books'),
    foreign: {
      isForeignKey: (field) => field === 'author',
      match: (_, condition) =>
        [...evaluateFilter(condition, there).toArray()].map((at) => String(people[at]!.id)),
    },
  }

  test('matches become ids for the field', () => {
    expect(found('_foreign(author, age > 40)', context, books)).toEqual([11])
    expect(found('NOT _foreign(author, age > 40)', context, books)).toEqual([10, 12])
  })

  test('faults inside name the other index', () => {
    const fault = faultOf('_foreign(author, ghost = 1)', context)
    expect(fault?.code).toBe('invalid_document_filter')
    expect(fault?.message).toBe(
      'Index `people`: Attribute `ghost` is not filterable. ' +
        'Available filterable attribute patterns are: `age`.\n18:23 _foreign(author, ghost = 1)',
    )
  })

  test.each([
    ['_foreign(title, age > 4)', 'Field `title` is not a foreign key'],
    ['_foreign(author, _foreign(a, b = 1))', 'Nested foreign filters are not supported'],
  ])('%s', (filter, sentence) => {
    expect(faultOf(filter, context)?.message).toBe(`Index \`books\`: ${sentence}`)
  })

  test('more than a thousand are too many', () => {
    const faultOfMany = (count: number): string | undefined => {
      const match = () => Array.from({ length: count }, (_, i) => String(i))
      const foreign = { isForeignKey: () => true, match }
      return faultOf('_foreign(author, a = 1)', { ...context, foreign })?.message
    }
    expect(faultOfMany(FOREIGN_DOCUMENTS_MAX)).toBeUndefined()
    expect(faultOfMany(FOREIGN_DOCUMENTS_MAX + 1)).toMatch(
      /matches more than 1000 documents of the foreign index$/,
    )
  })
})

function specialOperator(operator: string): string {
  return (
    `Filter operator \`${operator} is not allowed for the special attribute \`_shard\`.\n` +
    '  - Note: allowed operators: =, !=, IN. \n' +
    '  - Note: other operators are not allowed for the special attribute `_shard`.'
  )
}

function rule(
  attributePatterns: readonly string[],
  equality: boolean,
  comparison: boolean,
): FilterableAttribute {
  return { attributePatterns, features: { facetSearch: false, filter: { equality, comparison } } }
}

describe('a canceled filter', () => {
  test('ends between two conditions', () => {
    const documents = [{ id: 1 }, { id: 2 }]
    let left = 2
    const checkpoint = () => {
      if (left-- === 0) throw new Error('called off')
    }
    const context: FilterContext = { ...memoryContext(documents, ['id'], 'x'), checkpoint }
    expect(() => found('id = 1 OR id = 2 OR id = 3', context, documents)).toThrow('called off')
    left = 2
    expect(found('id = 1 OR id = 2', context, documents)).toEqual([1, 2])
  })
})
