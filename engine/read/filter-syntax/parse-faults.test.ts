// Every fault of the grammar: its message and its position. The rows are answers of the reference.
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { Ceilings } from './ceilings.ts'
import { parseExpression } from './parse.ts'
import type { FilterTree } from './tree.ts'
import { filterWording } from './wording.ts'

const wording = filterWording('search', 'parsing', asIndexUid('x'))
const parse = (filter: string): FilterTree =>
  parseExpression(filter, wording, new Ceilings(wording, () => undefined))

const faultOf = (filter: string): EngineFault => {
  try {
    parse(filter)
  } catch (error) {
    if (error instanceof EngineFault) return error
    throw error
  }
  throw new Error('the filter was accepted')
}

const OPERATIONS =
  'Was expecting an operation `=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, ' +
  '`NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, `CONTAINS`, `NOT ' +
  'CONTAINS`, ' +
  '`STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`'
const NO_OPERATION = `${OPERATIONS} but instead got nothing.`
const noOperationAt = (rest: string) => `${OPERATIONS} at \`${rest}\`.`
const NO_VALUE = 'Was expecting a value but instead got nothing.'
const badValue = (text: string) => `Was expecting a value but instead got \`${text}\`.`
const keyword = (word: string) =>
  `Was expecting a value but instead got \`${word}\`, which is a reserved keyword. ` +
  `To use \`${word}\` as a field name or a value, surround it by quotes.`
const trailing = (rest: string) =>
  `Found unexpected characters at the end of the filter: \`${rest}\`. ` +
  'You probably forgot an `OR` or an `AND` rule.'
const habit = (rest: string, instead: string, written: string) =>
  `Found unexpected characters at the end of the filter: \`${rest}\`. ` +
  `Write \`${instead}\` instead of \`${written}\`.`
const unclosed = (text: string, mark: string) =>
  `Expression \`${text}\` is missing the following closing delimiter: \`${mark}\`.`
const reserved = (word: string) =>
  `\`${word}\` is a reserved keyword and thus can't be used as a filter expression. ` +
  'Use the `_geoRadius(latitude, longitude, distance)` or ' +
  '`_geoBoundingBox([latitude, longitude], [latitude, longitude])` built-in rules to filter on ' +
  '`_geo` coordinates.'
const NO_BRACKET = 'Expected `[` after `IN` keyword.'
const OPEN_LIST = 'Expected matching `]` after the list of field names given to `IN[`'
const badList = (rest: string) =>
  `Expected only comma-separated field names inside \`IN[..]\` but instead found \`${rest}\`.`
const RADIUS_FORM =
  'The `_geoRadius` filter must be in the form: ' +
  '`_geoRadius(latitude, longitude, radius, optionalResolution)`.'
const BOX_FORM =
  'The `_geoBoundingBox` filter expects two pairs of arguments: ' +
  '`_geoBoundingBox([latitude, longitude], [latitude, longitude])`.'
const POLYGON_FORM =
  "The `_geoPolygon` filter doesn't match the expected format: " +
  '`_geoPolygon([latitude, longitude], [latitude, longitude])`.'
const elementForm = (path: string) =>
  'Expected a condition on the attributes of one element after `[`: ' +
  `\`${path}[attribute = value]\`. ` +
  'Names in it begin below the path, and conditions are joined by `AND`, `OR` and `NOT`.'
const noBracket = (rest: string) =>
  'Expected `]` after the condition on one element, or `AND` or `OR` and another one, ' +
  `but instead found ${rest}.`
const FOREIGN_FORM = 'The `_foreign` filter must be in the form: `_foreign(field, condition)`.'
const UNKNOWN_PART =
  'Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or ' +
  'nothing, but instead found ``.'
const SECOND_PART = (first: string, second: string) =>
  'Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` or ' +
  `\`regenerate\`, but found both \`${first}\` and \`${second}\`.`
const written = (rest: string, instead: string, found: string) =>
  `${noOperationAt(rest)} Write \`${instead}\` instead of \`${found}\`.`

/** Filter, sentence, position. */
const FAULTS: readonly (readonly [string, string, string])[] = [
  ['c =', NO_VALUE, '4:4'],
  ['price', noOperationAt('price'), '1:6'],
  ['price = ', NO_VALUE, '9:9'],
  ['price TO 3', noOperationAt('price TO 3'), '1:11'],
  [
    '_geoRadius(1,2)',
    'Was expecting 3 or 4 arguments for `_geoRadius`, but instead found 2.',
    '16:16',
  ],
  ['_geo EXISTS', reserved('_geo'), '1:12'],
  ['_geo IS NULL', reserved('_geo'), '1:13'],
  ['crew =', NO_VALUE, '7:7'],
  ['_geo = 3', reserved('_geo'), '1:9'],
  ['_geoPoint(1,2) = 3', reserved('_geoPoint'), '1:19'],
  ['_geoDistance < 3', reserved('_geoDistance'), '1:17'],
  ['_geoRadius(9, 20, x)', RADIUS_FORM, '17:21'],
  ['_geoBoundingBox([30, 120])', BOX_FORM, '27:27'],
  [
    '_geoPolygon([0,0],[1,1])',
    'The `_geoPolygon` filter expects at least 3 points but only 2 were specified',
    '22:23',
  ],
  ['origin', noOperationAt('origin'), '1:7'],
  ['origin = ', NO_VALUE, '10:10'],
  ['= China', noOperationAt('= China'), '1:8'],
  ['origin = China AND', NO_OPERATION, '19:19'],
  ['origin == China', `${NO_VALUE} Write \`=\` instead of \`==\`.`, '9:9'],
  ['origin IN China', NO_BRACKET, '11:16'],
  ['origin IN [China', OPEN_LIST, '17:17'],
  ['origin IN [AND]', badList('AND]'), '12:16'],
  ['year 2000 TO', noOperationAt('year 2000 TO'), '1:13'],
  ['year TO 3', noOperationAt('year TO 3'), '1:10'],
  ['(origin = China', unclosed('(origin = China', ')'), '1:16'],
  ['origin = China)', trailing(')'), '15:16'],
  ["origin = 'China", unclosed("\\'China", "'"), '10:16'],
  ['origin EXIST', noOperationAt('origin EXIST'), '1:13'],
  ['origin IS', noOperationAt('origin IS'), '1:10'],
  ['year = 2021 year', trailing('year'), '13:17'],
  ['AND', keyword('AND'), '1:4'],
  ['origin = OR', keyword('OR'), '10:12'],
  ['origin = China\nOR year = nope1 1', trailing('1'), '17:18'],
  ['origin = 🍵', badValue('🍵'), '10:11'],
  ['null', noOperationAt('null'), '1:5'],
  ['nope', noOperationAt('nope'), '1:5'],
  ['n >> 3', NO_VALUE, '4:4'],
  [
    '_vectors.fragments.x EXISTS',
    'Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or ' +
      'nothing, but instead found `x`.',
    '20:21',
  ],
  ['_vectors.dark.fragments EXISTS', 'The vector filter is missing a fragment name.', '24:31'],
  [
    '_vectors.dark.usrProvided EXISTS',
    'Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or ' +
      'nothing, but instead found `usrProvided`. Did you mean `userProvided`?',
    '15:26',
  ],
  [
    '_vectors.dark.other EXISTS',
    'Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or ' +
      'nothing, but instead found `other`.',
    '15:20',
  ],
  [
    '_vectors.dark.userProvided.regenerate EXISTS',
    'Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` or ' +
      '`regenerate`, but found both `userProvided` and `regenerate`.',
    '28:38',
  ],
  [
    '_vectors.dark.userProvided.x EXISTS',
    'Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` or ' +
      '`regenerate`, but found both `userProvided` and `x`.',
    '28:29',
  ],
  ['_vectors. EXISTS', 'Was expecting embedder name but found nothing.', '10:11'],
  ['_vectors.dark', 'The vector filter has leftover tokens.', '14:14'],
  ['_vectors', noOperationAt('_vectors'), '1:9'],
  ['_vectors.dark EXISTS _vectors.pale EXISTS', trailing(' _vectors.pale EXISTS'), '21:42'],
  ['_vectors.dark."userProvided" EXISTS', 'Was expecting this part to be unquoted.', '16:28'],
  [
    '_vectors . dark EXISTS',
    'Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter.',
    '10:23',
  ],
  [
    '_vectors.dark exists',
    'Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter.',
    '15:21',
  ],
  ['bad =', NO_VALUE, '6:6'],
  ['s CONTAINS', NO_VALUE, '11:11'],
  ['CONTAINS red', keyword('CONTAINS'), '1:9'],
  [
    's STARTS  WITH red',
    `${noOperationAt('s STARTS  WITH red')} Write \`STARTS WITH\` instead of \`STARTS  WITH\`.`,
    '1:19',
  ],
  ['s STARTSWITH red', written('s STARTSWITH red', 'STARTS WITH', 'STARTSWITH'), '1:17'],
  [
    's starts with red',
    `${noOperationAt('s starts with red')} Write \`STARTS WITH\` instead of \`starts with\`.`,
    '1:18',
  ],
  ['s STARTS red', noOperationAt('s STARTS red'), '1:13'],
  ['s STARTS WITH', NO_VALUE, '14:14'],
  ['s', noOperationAt('s'), '1:2'],
  ['s =', NO_VALUE, '4:4'],
  ['= red', noOperationAt('= red'), '1:6'],
  ['s = = red', NO_VALUE, '5:5'],
  ['s:red', `${noOperationAt('s:red')} Write \`=\` instead of \`:\`.`, '1:6'],
  ['s == red', `${NO_VALUE} Write \`=\` instead of \`==\`.`, '4:4'],
  ['n => 5', `${NO_VALUE} Did you mean \`>=\` instead of \`=>\`?`, '4:4'],
  ['n=<5', `${NO_VALUE} Did you mean \`<=\` instead of \`=<\`?`, '3:3'],
  ['s <> red', `${NO_VALUE} Write \`!=\` instead of \`<>\`.`, '4:4'],
  ['s =! red', `${NO_VALUE} Write \`!=\` instead of \`=!\`.`, '4:4'],
  ['s ! = red', written('s ! = red', '!=', '! ='), '1:10'],
  ['s red', noOperationAt('s red'), '1:6'],
  ['s red n', noOperationAt('s red n'), '1:8'],
  ['s = red green', trailing('green'), '9:14'],
  ['s = red,', trailing(','), '8:9'],
  ['s = red;', trailing(';'), '8:9'],
  ['s = red AND', NO_OPERATION, '12:12'],
  ['AND s = red', keyword('AND'), '1:4'],
  ['s = red OR', NO_OPERATION, '11:11'],
  ['OR', keyword('OR'), '1:3'],
  ['NOT', NO_OPERATION, '4:4'],
  ['NOT s', noOperationAt('s'), '5:6'],
  ['s = red AND AND n = 5', keyword('AND'), '13:16'],
  ['s = red && n = 5', habit('&& n = 5', 'AND', '&&'), '9:17'],
  [
    's = red || n = 5',
    'Found unexpected characters at the end of the filter: `|| n = 5`. ' +
      'Write `OR` instead of `||`.',
    '9:17',
  ],
  ['s = red | n = 5', habit('| n = 5', 'OR', '|'), '9:16'],
  ['s = red and n = 5', habit('and n = 5', 'AND', 'and'), '9:18'],
  ['(s = red', unclosed('(s = red', ')'), '1:9'],
  ['s = red)', trailing(')'), '8:9'],
  ['()', noOperationAt(')'), '2:3'],
  ['(', NO_OPERATION, '2:2'],
  [')', noOperationAt(')'), '1:2'],
  ['((s = red)', unclosed('((s = red)', ')'), '1:11'],
  ["s = 'red", unclosed("\\'red", "'"), '5:9'],
  ['s = "red', unclosed('\\"red', '"'), '5:9'],
  ['s = \'red"', unclosed('\\\'red\\"', "'"), '5:10'],
  ["'s = red", unclosed("\\'s = red", "'"), '1:9'],
  ["s = '", unclosed("\\'", "'"), '5:6'],
  ['s IN', NO_BRACKET, '5:5'],
  ['s IN red', NO_BRACKET, '6:9'],
  ['s IN [', OPEN_LIST, '7:7'],
  ['s IN ]', NO_BRACKET, '6:7'],
  ['s IN [red', OPEN_LIST, '10:10'],
  ['s IN [red green]', badList('green]'), '11:17'],
  ['s IN [,]', badList(',]'), '7:9'],
  ['s IN [AND]', badList('AND]'), '7:11'],
  ['s IN (red)', NO_BRACKET, '6:11'],
  ['s IN [[red]]', badList('[red]]'), '7:13'],
  ["s IN ['red]", unclosed("\\'red]", "'"), '7:12'],
  ['s NOT', noOperationAt('s NOT'), '1:6'],
  ['s NOT red', noOperationAt('s NOT red'), '1:10'],
  ['s NOT =', written('s NOT =', '!=', 'NOT ='), '1:8'],
  ['s NOT IN', NO_BRACKET, '9:9'],
  ['s NOT IN red', NO_BRACKET, '10:13'],
  ['s IN NOT [red]', NO_BRACKET, '6:15'],
  ['s TO', noOperationAt('s TO'), '1:5'],
  ['s 1 TO', noOperationAt('s 1 TO'), '1:7'],
  ['s TO 5', noOperationAt('s TO 5'), '1:7'],
  ['n 1 TO 2 TO 3', trailing('TO 3'), '10:14'],
  ['n 1 to 2', written('n 1 to 2', '1 TO 2', '1 to 2'), '1:9'],
  ['n 1 - 2', noOperationAt('n 1 - 2'), '1:8'],
  ['s EXIST', noOperationAt('s EXIST'), '1:8'],
  ['s EXISTS EXISTS', trailing(' EXISTS'), '9:16'],
  ['s EXISTS red', trailing(' red'), '9:13'],
  ['EXISTS', keyword('EXISTS'), '1:7'],
  ['s NOT NOT EXISTS', noOperationAt('s NOT NOT EXISTS'), '1:17'],
  ['s IS', noOperationAt('s IS'), '1:5'],
  ['s IS NOT', noOperationAt('s IS NOT'), '1:9'],
  ['s IS red', written('s IS red', '=', 'IS'), '1:9'],
  ['s IS EXISTS', written('s IS EXISTS', '=', 'IS'), '1:12'],
  ['s IS NOT 5', written('s IS NOT 5', '!=', 'IS NOT'), '1:11'],
  ['s ISNULL', noOperationAt('s ISNULL'), '1:9'],
  ['s IS null', `${noOperationAt('s IS null')} Write \`IS NULL\` instead of \`IS null\`.`, '1:10'],
  ['s IS NULL NULL', trailing(' NULL'), '10:15'],
  ['s IS EMPTY n', trailing(' n'), '11:13'],
  ['s > AND', keyword('AND'), '5:8'],
  ['s = OR', keyword('OR'), '5:7'],
  ['s = NULL', keyword('NULL'), '5:9'],
  ['s = EMPTY', keyword('EMPTY'), '5:10'],
  ['s = IN', keyword('IN'), '5:7'],
  ['s = TO', keyword('TO'), '5:7'],
  ['s = EXISTS', keyword('EXISTS'), '5:11'],
  ['s = CONTAINS', keyword('CONTAINS'), '5:13'],
  ['s = WITH', keyword('WITH'), '5:9'],
  ['IN = 1', keyword('IN'), '1:3'],
  ['NULL = 1', keyword('NULL'), '1:5'],
  ['s = red, n = 5', habit(', n = 5', 'AND', ','), '8:15'],
  ['s = 1,000', trailing(',000'), '6:10'],
  ['s = L’Oréal', trailing('’Oréal'), '6:12'],
  ["s = 'L'Oréal", trailing('Oréal'), '8:13'],
  ['s = “red”', `${badValue('“red”')} Write \`"\` instead of \`“\`.`, '5:10'],
  ['“s” = red', written('“s” = red', '"', '“'), '1:10'],
  ['my name = red', noOperationAt('my name = red'), '1:14'],
  ['a:b = 7', written('a:b = 7', '=', ':'), '1:8'],
  ['!s = red', written('!s = red', 'NOT', '!'), '1:9'],
  ['s ≥ 5', written('s ≥ 5', '>=', '≥'), '1:6'],
  ['s gte 5', written('s gte 5', '>=', 'gte'), '1:8'],
  ['s BETWEEN 1 AND 5', written('s BETWEEN 1 AND 5', '1 TO 5', 'BETWEEN 1 AND 5'), '1:18'],
  ['s:[1 TO 5]', written('s:[1 TO 5]', '1 TO 5', ':[1 TO 5]'), '1:11'],
  ['s [1 TO 5]', written('s [1 TO 5]', '1 TO 5', '[1 TO 5]'), '1:11'],
  ['s 1..5', written('s 1..5', '1 TO 5', '1..5'), '1:7'],
  ['s does not exist', written('s does not exist', 'NOT EXISTS', 'does not exist'), '1:17'],
  ['geoRadius(1,2,3)', written('geoRadius(1,2,3)', '_geoRadius', 'geoRadius'), '1:17'],
  ['s = re/d', trailing('/d'), '7:9'],
  ['s = a:b', trailing(':b'), '6:8'],
  ['s = a@b', trailing('@b'), '6:8'],
  ['s = #', badValue('#'), '5:6'],
  ['s = red!', trailing('!'), '8:9'],
  ['s = 10€', trailing('€'), '7:8'],
  ['s = 5%', trailing('%'), '6:7'],
  ['s = {}', badValue('{}'), '5:7'],
  ['s = [red]', badValue('[red]'), '5:10'],
  ['s = (red)', NO_VALUE, '5:5'],
  ['@s = red', noOperationAt('@s = red'), '1:9'],
  ['s = red\nAND\n', NO_OPERATION, '1:1'],
  ['s = "a\\', 'Malformed value: `a\\\\`.', '6:8'],
  [
    "s = '\\u12'",
    'The filter is incomplete and requires Unknown additional bytes to be parsed.',
    '1:11',
  ],
  ["s = '\\xZZ'", 'Found an invalid escaped sequence number: `\\\\xZZ`.', '6:10'],
  ["s = '\\u{110000}'", 'Malformed value: `\\\\u{110000}`.', '6:16'],
  ['s > = 5', NO_VALUE, '5:5'],
  ['s >== 5', `${NO_VALUE} Write \`=\` instead of \`==\`.`, '5:5'],
  ['n = - 5', trailing('5'), '7:8'],
  ['s = 日本 語', trailing('語'), '8:9'],
  ['🍓 = 1', noOperationAt('🍓 = 1'), '1:6'],
  ['s = \u0000', badValue('\\0'), '5:6'],
  ['s = redAND n = 5', trailing('n = 5'), '12:17'],
  ['s = "red" "green"', trailing('\\"green\\"'), '11:18'],
  ['s LIKE red', `${noOperationAt('s LIKE red')} Write \`CONTAINS\` instead of \`LIKE\`.`, '1:11'],
  ['s = red LIMIT 5', trailing('LIMIT 5'), '9:16'],
  ['-- s = red', noOperationAt('-- s = red'), '1:11'],
  ['s = $x', badValue('$x'), '5:7'],
  ['*', noOperationAt('*'), '1:2'],
  ['* = 1', noOperationAt('* = 1'), '1:6'],
  ['s* = red', noOperationAt('s* = red'), '1:9'],
  ['_geoRadius("48.85", "2.35", "10")', RADIUS_FORM, '12:34'],
  [
    '_geoRadius(1,2,3,4,5)',
    'Was expecting 3 or 4 arguments for `_geoRadius`, but instead found 5.',
    '22:22',
  ],
  ['_geoRadius(a,2,3)', RADIUS_FORM, '12:18'],
  ['_geoRadius()', RADIUS_FORM, '12:13'],
  ['_geoRadius', RADIUS_FORM, '11:11'],
  ['_geoRadius = 1', RADIUS_FORM, '11:15'],
  ['_geoRadius(1 2 3)', RADIUS_FORM, '14:18'],
  ['_geoRadius(1,2,3', RADIUS_FORM, '17:17'],
  ['_geoRadius 1,2,3', RADIUS_FORM, '11:17'],
  ['_GEORADIUS(1,2,3)', noOperationAt('_GEORADIUS(1,2,3)'), '1:18'],
  [
    '_geoBoundingBox([10,20,30],[0,0])',
    'Was expecting 2 coordinates but instead found 3.',
    '18:20',
  ],
  ['_geoBoundingBox([10],[0,0])', 'Was expecting 2 coordinates but instead found 1.', '18:20'],
  ['_geoBoundingBox([10,20])', BOX_FORM, '25:25'],
  ['_geoBoundingBox((10,20),(0,0))', BOX_FORM, '17:31'],
  ['_geoBoundingBox([10,20],[0,0],[1,1])', BOX_FORM, '37:37'],
  ['_geoBoundingBox', BOX_FORM, '16:16'],
  ['_geoBoundingBox = 5', BOX_FORM, '16:20'],
  ['_geoBoundingBox([a,b],[c,d])', BOX_FORM, '18:29'],
  [
    '_geoPolygon([60,0],[60,20])',
    'The `_geoPolygon` filter expects at least 3 points but only 2 were specified',
    '24:26',
  ],
  ['_geoPolygon()', POLYGON_FORM, '13:14'],
  ['_geoPolygon', POLYGON_FORM, '12:12'],
  ['_geoPoint(1,2)', reserved('_geoPoint'), '1:15'],
  ['_geo = 1', reserved('_geo'), '1:9'],
  ['_geo(1,2)', reserved('_geo'), '1:10'],
  ['_geoDistance < 5', reserved('_geoDistance'), '1:17'],
  ['_geoPoint = 1', reserved('_geoPoint'), '1:14'],
  [
    'id = _geoRadius(1,2,3)',
    "The `_geoRadius` filter is an operation and can't be used as a value.",
    '6:23',
  ],
  ['id > _geoPoint(1,2)', reserved('_geoPoint'), '6:20'],
  [
    'id IN [_geoRadius(1,2,3)]',
    "The `_geoRadius` filter is an operation and can't be used as a value.",
    '8:26',
  ],
  ['id = _geo', reserved('_geo'), '6:10'],
  ['AND = 1', keyword('AND'), '1:4'],
  ['s = NOT', keyword('NOT'), '5:8'],
  ['s = 🍓', badValue('🍓'), '5:6'],
  ['n>5AND s=red', trailing('s=red'), '8:13'],
  ["s = '\\q'", 'Malformed value: `\\\\q`.', '6:8'],
  ['n = +5', badValue('+5'), '5:7'],
  [
    '(((((((((((((((((((((((((((((((((((((n = 5)))))))))))))))))))))))))))))))))))))',
    'The filter exceeded the maximum depth limit. Try rewriting the filter so that it contains ' +
      'fewer nested conditions.',
    '38:80',
  ],
  ['a[]', elementForm('a'), '2:4'],
  ['a[0] = 1', elementForm('a'), '2:9'],
  ['a.b[ * ] EXISTS', elementForm('b'), '4:16'],
  ['a[b = 1', noBracket('nothing'), '8:8'],
  ['a[b = 1 c]', noBracket('`c]`'), '9:11'],
  ['a[b]', noOperationAt('b]'), '3:5'],
  ['a[_vectors EXISTS x]', noBracket('`x]`'), '19:21'],
  ['_foreign(a)', FOREIGN_FORM, '11:12'],
  ['_foreign(, a = 1)', FOREIGN_FORM, '10:18'],
  ['_foreign(a, b = 1', FOREIGN_FORM, '18:18'],
  ['_foreign (a, b = 1)', noOperationAt('_foreign (a, b = 1)'), '1:20'],
  ['_vectors.dark. EXISTS', UNKNOWN_PART, '15:15'],
  ['_vectors.dark.fragments.x.y EXISTS', SECOND_PART('fragments', 'y'), '27:28'],
  ['_vectors.a.regenerate. EXISTS', SECOND_PART('regenerate', ''), '23:23'],
  ["_vectors.dark.'fragments' EXISTS", 'Was expecting this part to be unquoted.', '16:25'],
  ['s IS NOT null', written('s IS NOT null', 'IS NOT NULL', 'IS NOT null'), '1:14'],
  ['s is empty', written('s is empty', 'IS EMPTY', 'is empty'), '1:11'],
  ['s not null', written('s not null', 'IS NOT NULL', 'not null'), '1:11'],
  ['s not exists', written('s not exists', 'NOT EXISTS', 'not exists'), '1:13'],
  ['s exists', written('s exists', 'EXISTS', 'exists'), '1:9'],
  ['s between 1', written('s between 1', 'TO', 'between'), '1:12'],
  ['s = a =~ b', habit('=~ b', 'CONTAINS', '=~'), '7:11'],
]

describe('faults of the grammar', () => {
  test.each(FAULTS)('%j', (filter, sentence, place) => {
    const fault = faultOf(filter)
    expect(fault.code).toBe('invalid_search_filter')
    expect(fault.message).toBe(`${sentence}\n${place} ${filter}`)
  })

  test('depth is counted on both sides of a NOT', () => {
    const DEPTH =
      'The filter exceeded the maximum depth limit. ' +
      'Try rewriting the filter so that it contains fewer nested conditions.'
    const nots = `${'NOT '.repeat(160)}n = 5`
    expect(faultOf(nots).message).toBe(`${DEPTH}\n597:646 ${nots}`)
    expect(parse(`${'NOT '.repeat(140)}n = 5`)?.kind).toBe('compare')
    expect(parse(`${'('.repeat(36)}n = 5${')'.repeat(36)}`)?.kind).toBe('compare')
    const chain = Array.from({ length: 3000 }, (_, i) => `n = ${i}`).join(' AND ')
    expect(parse(chain)?.kind).toBe('and')
  })
})
