// The lookups of a filter in columns: their order, which of them are made together, and how often the
// filter checks whether to go on.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { type FilterColumns, filterWording } from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'
import { evaluateFilter } from './evaluate.ts'
import { parseFilter } from './input.ts'
import { type JsonObject, memoryContext } from './test-filter.ts'

const WORDS = Array.from({ length: 129 }, (_, at) => `t${at}.`).join(' ')
const DOCUMENTS: readonly JsonObject[] = Array.from({ length: 60 }, (_, at) => ({
  id: at,
  color: ['red', 'green', 'blue'][at % 3]!,
  size: at % 7,
  variants: [{ color: 'red', size: at % 5 }],
  _geo: { lat: at, lng: at },
  text: WORDS,
}))
const PLAIN = memoryContext(DOCUMENTS, ['color', 'size', 'variants', '_geo', 'later', 'text'])

type Lookups = {
  readonly context: FilterContext
  /** Names of the methods of columns, and the number of their values if they take several. */
  readonly calls: string[]
  readonly keys: (string | null)[]
  checks: number
}
function asking(): Lookups {
  const calls: string[] = []
  const keys: (string | null)[] = []
  const columns = new Proxy(PLAIN.columns, {
    get: (target, name: keyof FilterColumns) => {
      const method = target[name] as (...given: unknown[]) => unknown
      return (...given: readonly unknown[]) => {
        const [, several] = given
        const list: unknown = several instanceof Set ? [...several] : several
        const count = Array.isArray(list) ? list.length : null
        calls.push(count === null ? name : `${name} ${count}`)
        if (name === 'elements') keys.push(several as string | null)
        return method(...given)
      }
    },
  })
  const asked: Lookups = {
    calls,
    keys,
    checks: 0,
    context: { ...PLAIN, columns, checkpoint: () => void asked.checks++ },
  }
  return asked
}

function lookUp(filter: unknown): Lookups {
  const asked = asking()
  const wording = filterWording('search', 'parsing', asIndexUid('x'))
  const features = { containsFilter: true, foreignKeys: true, multimodal: true, network: true }
  const tree = parseFilter(filter, { wording, features, takesForeign: true })!
  const found = evaluateFilter(tree, asked.context)
  const expected = evaluateFilter(tree, PLAIN)
  expect([...found.toArray()]).toEqual([...expected.toArray()])
  return asked
}

const CIRCLE = '_geoRadius(1, 1, 500000)'
const some = (count: number, of: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => of(at))

describe('a filter looks up', () => {
  it.each<[string, string]>([
    ['color CONTAINS re AND size > 1 AND color = red', 'stringEquals, numberRange, stringContains'],
    [
      `${CIRCLE} AND (color = red OR size = 2) AND size 1 TO 5 AND color EXISTS`,
      'exists, numberRange, stringEquals, stringEquals, numberEquals, geoRadius',
    ],
    ['color CONTAINS x AND color = none', 'stringEquals'],
    [
      'color = red AND NOT size = 3 AND size != 4',
      'stringEquals, stringEquals, numberEquals, stringEquals, numberEquals',
    ],
    [
      'color = red AND NOT (size > 3) AND NOT (size < 2) AND color EXISTS',
      'stringEquals, exists, numberRange, numberRange',
    ],
    [
      'color = red AND size != 1 AND size != 2 AND NOT size = 3 AND NOT size = 4',
      'stringEquals, stringsIn 4, numbersIn 4',
    ],
    [
      'color = none AND NOT size = 1 AND NOT size = 2 AND NOT size = 3 AND NOT size = 4',
      'stringEquals',
    ],
    ['color = none AND NOT size = 1 AND NOT size = 2', 'stringEquals'],
    [
      'color = red OR color = blue OR size = 3',
      'stringEquals, stringEquals, stringEquals, numberEquals',
    ],
    [
      'color = red OR color = blue OR size = 3 OR size = 5',
      'stringsIn 2, stringsIn 2, numbersIn 2',
    ],
    [
      'color = red OR size = 4 OR size = 6 OR (color = blue OR size = 3 OR (size > 5 OR color CONTAINS g))',
      'stringsIn 2, stringsContaining 1, stringsIn 3, numbersIn 3, numbersWithin 1',
    ],
    [
      `color STARTS WITH r OR color STARTS WITH "" OR size 1 TO 2 OR ${CIRCLE}`,
      'exists, stringsWithin 0, numbersWithin 1, geoCircles',
    ],
    ['later = 1 OR later > 2 OR later CONTAINS x OR color != red', 'stringEquals'],
    ['later != 1', ''],
    ['color > blue AND size >= 3', 'stringRange, numberRange'],
    ['variants[color = red AND size > 1]', 'elements'],
  ])('%s', (filter, calls) => {
    expect(lookUp(filter).calls.join(', ')).toBe(calls)
  })

  it('more than eight values of a list together', () => {
    const of = (count: number): readonly string[] => {
      const list = some(count, (at) => (at === 0 ? 'red' : `${at}`))
      return lookUp(`color IN [${list.join(', ')}]`).calls
    }
    const numbers = Array.from({ length: 7 }, () => ['stringEquals', 'numberEquals']).flat()
    expect(of(8)).toEqual(['stringEquals', ...numbers])
    expect(of(9)).toEqual(['stringsIn 9', 'numbersIn 8'])
  })

  it('up to 128 parts of the texts of a field in one walk', () => {
    const of = (count: number) => lookUp(some(count, (at) => `text CONTAINS "t${at}."`)).calls
    expect(of(1)).toEqual(['stringContains'])
    expect(of(2)).toEqual(['stringsContainingEach 2'])
    expect(of(128)).toEqual(['stringsContainingEach 128'])
    expect(of(129)).toEqual(['stringsContainingEach 128', 'stringsContainingEach 1'])
    const repeated = ['text CONTAINS "t1."', 'text CONTAINS "T1."', 'color CONTAINS e']
    expect(lookUp(repeated).calls).toEqual(['stringContains', 'stringContains', 'stringContains'])
  })
})

describe('the results of conditions on elements', () => {
  const keysOf = (condition: string) => lookUp(`variants[${condition}]`).keys
  const values = (count: number) => some(count, (at) => `${at}`).join(', ')
  const conditions = (count: number) => some(count, (at) => `size = ${at}`).join(' OR ')

  it('are cached for short ones, of known fields', () => {
    expect(keysOf('size = 1')).toEqual(['"variants"["size" = "1"]'])
    expect(keysOf(conditions(8)).map((key) => key !== null)).toEqual([true])
    expect(keysOf(conditions(9))).toEqual([null])
    expect(keysOf(`size IN [${values(16)}]`).map((key) => key !== null)).toEqual([true])
    expect(keysOf(`size IN [${values(17)}]`)).toEqual([null])
    expect(keysOf('size = 1 AND later = 1')).toEqual([null])
  })
})

describe('a filter checks whether to go on', () => {
  it.each<[string, unknown, number]>([
    ['a condition', 'color = red', 1],
    ['two conditions', 'color = red AND size = 1', 2],
    ['alternatives', 'color = red OR size = 1', 2],
    ['alternatives together', 'color = red OR size = 1 OR size = 2 OR size > 4', 8],
    ['elements', 'variants[size = 1]', 2],
    // Two are looked up, because no document has both.
    ['255 conditions', some(255, (at) => `size = ${at}`), 2],
    ['256 conditions', some(256, (at) => `size = ${at}`), 3],
    ['256 values', `size IN [${some(256, (at) => `${at}`)}]`, 2],
    ['257 values', `size IN [${some(257, (at) => `${at}`)}]`, 3],
  ])('at %s', (_, filter, checks) => {
    expect(lookUp(filter).checks).toBe(checks)
  })
})
