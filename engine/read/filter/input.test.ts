// Faults of the form of a filter in a request, and of features that are not enabled.
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { filterWording } from '../filter-syntax/wording.ts'
import { type FilterInput, parseFilter, parseRequiredFilter } from './input.ts'

const open: FilterInput = {
  wording: filterWording('search', 'parsing', asIndexUid('x')),
  features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
  takesForeign: true,
}
const closed: FilterInput = {
  ...open,
  features: { containsFilter: false, foreignKeys: false, multimodal: false, network: false },
}

const faultOf = (json: unknown, input = open): EngineFault => {
  try {
    parseFilter(json, input)
  } catch (error) {
    if (error instanceof EngineFault) return error
    throw error
  }
  throw new Error('the filter was accepted')
}

const NO_VALUE = 'Was expecting a value but instead got nothing.'

describe('faults of the shape', () => {
  test('a fault in an array quotes the faulty expression', () => {
    expect(faultOf(['s = 1', ['n =', 's = 2']]).message).toBe(`${NO_VALUE}\n4:4 n =`)
  })

  test.each([
    [5, 'String, Array, found: 5'],
    [true, 'String, Array, found: true'],
    [{}, 'String, Array, found: {}'],
    [{ a: 1 }, 'String, Array, found: {"a":1}'],
    [[3], 'String, [String], found: 3'],
    [['c = a', 1], 'String, [String], found: 1'],
    [['n = 5', null], 'String, [String], found: null'],
    [[{ a: 1 }], 'String, [String], found: {"a":1}'],
    [[['n = 5', 5]], 'String, found: 5'],
    [[[['n = 5']]], 'String, found: ["n = 5"]'],
    [[[[[]]]], 'String, found: [[]]'],
  ])('%j', (filter, expected) => {
    expect(faultOf(filter).message).toBe(
      `Invalid syntax for the filter parameter: \`expected ${expected}\`.`,
    )
  })

  test('null is an empty filter, which required filters refuse', () => {
    expect(parseFilter(null, open)).toBeNull()
    expect(() => parseRequiredFilter(null, open)).toThrow(
      'Invalid syntax for the filter parameter: `expected String, Array, found: null`.',
    )
  })

  test('a deeply nested value is refused without being printed', () => {
    let json: unknown = 1
    for (let i = 0; i < 100_000; i++) json = [json]
    expect(faultOf(json).message).toBe(
      'Invalid syntax for the filter parameter: `expected String, found: …`.',
    )
  })

  test.each([
    [127, `${'['.repeat(127)}1${']'.repeat(127)}`],
    [128, '…'],
  ])('a value in %i arrays is shown as %s', (levels, shown) => {
    let json: unknown = 1
    for (let i = 0; i < levels + 2; i++) json = [json]
    expect(faultOf(json).message).toContain(`found: ${shown}\``)
  })

  test.each([[''], ['  '], [' \u00a0'], [[]], [['']], [[[]]], [[[''], ' ']]])(
    '%j says nothing',
    (filter) => {
      expect(parseFilter(filter, open)).toBeNull()
      expect(() => parseRequiredFilter(filter, open)).toThrow(
        'Sending an empty filter is forbidden.',
      )
    },
  )
})

describe('gates', () => {
  test.each([
    ['t CONTAINS x', 'Using `CONTAINS` in a filter', 'contains filter', '3:11'],
    ['t NOT CONTAINS x', 'Using `CONTAINS` in a filter', 'contains filter', '7:15'],
    ['a = 1 AND (t CONTAINS x)', 'Using `CONTAINS` in a filter', 'contains filter', '14:22'],
    ['_vectors.dark EXISTS', 'using a vector filter', 'multimodal', '1:9'],
    ['_foreign(origin, a = 1)', 'using a foreign filter', 'foreign_keys', '10:16'],
    ['_shard = a', 'using a shard filter', 'network', '1:7'],
  ])('%s', (filter, action, feature, place) => {
    const fault = faultOf(filter, closed)
    expect(fault.code).toBe('feature_not_enabled')
    expect(fault.message.replace(/https:\S+/, 'LINK')).toBe(
      `${action} requires enabling the \`${feature}\` experimental feature. See LINK\n${place} ${filter}`,
    )
    expect(parseFilter(filter, open)).not.toBeNull()
  })

  test('hold inside of a foreign condition', () => {
    const linked = { ...closed, features: { ...closed.features, foreignKeys: true } }
    const fault = faultOf('_foreign(origin, a CONTAINS b)', linked)
    expect(fault.code).toBe('feature_not_enabled')
    expect(fault.message).toMatch(/^Using `CONTAINS` in a filter/)
    expect(parseFilter('_foreign(origin, a = b)', linked)).not.toBeNull()
  })

  test('name the place in a foreign condition, wherever it stands', () => {
    const { message } = faultOf('a = 1 AND _foreign(origin, a = 1)', closed)
    expect(message).toMatch(/\n10:16 _foreign\(origin, a = 1\)$/)
  })

  test('some endpoints accept no foreign condition', () => {
    const wording = filterWording('deletion', 'parsing', asIndexUid('books'))
    const input = { ...open, wording, takesForeign: false }
    const fault = faultOf('_foreign(author, age > 40)', input)
    expect(fault.code).toBe('invalid_document_filter')
    expect(fault.message).toBe(
      'Filter condition `_foreign` is not supported for this endpoint.\n' +
        '10:16 _foreign(author, age > 40)',
    )
  })

  test('an edition names its index in every fault but the empty one', () => {
    const input = { ...closed, wording: filterWording('edition', 'parsing', asIndexUid('e')) }
    expect(faultOf('n =', input).message).toBe(`Index \`e\`: ${NO_VALUE}\n4:4 n =`)
    expect(faultOf('n CONTAINS 1', input).message).toMatch(/^Index `e`: Using `CONTAINS`/)
    expect(() => parseRequiredFilter('', input)).toThrow(/^Sending an empty filter/)
  })
})
