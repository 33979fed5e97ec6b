// Sets of conditions that are kept while a search runs: parts of its filter are read from them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { filterWording } from '../filter-syntax/wording.ts'
import type { FilterContext, KnownSets } from './context.ts'
import { evaluateFilter } from './evaluate.ts'
import { parseFilter } from './input.ts'
import { splitFilter } from './own-conditions.ts'
import { memoryContext } from './test-filter.ts'

const FIELDS = ['color', 'size', 'variants.color', 'variants.size'] as const
const DOCUMENTS = Array.from({ length: 60 }, (_, at) => ({
  id: at,
  color: ['red', 'green', 'blue'][at % 3]!,
  size: at % 7,
  variants: [
    { color: ['red', 'blue'][at % 2]!, size: at % 5 },
    { color: 'green', size: at % 4 },
  ],
}))

const CONDITIONS = [
  'color = red',
  'NOT color = blue',
  'color != green',
  'color = red OR color = green OR size = 3 OR size = 5',
  'size > 2',
  'size 1 TO 4 AND size != 3',
  'variants[color = red AND size > 1]',
  'NOT variants[color = green AND size = 0]',
  'variants.color = red OR variants[size = 4]',
] as const

const parse = (conditions: readonly string[]) =>
  parseFilter(conditions, {
    wording: filterWording('search', 'parsing', asIndexUid('x')),
    features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
    takesForeign: true,
  })!

/** Counts the conditions that are looked up in columns. */
function counting(context: FilterContext): { readonly context: FilterContext; lookups: number } {
  const counted = { context, lookups: 0 }
  const columns = new Proxy(context.columns, {
    get: (target, name, receiver) => {
      const member = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        counted.lookups++
        return Reflect.apply(member, target, args)
      }
    },
  })
  return Object.assign(counted, { context: { ...context, columns } })
}

describe('known sets', () => {
  const plain = memoryContext(DOCUMENTS, [...FIELDS, 'variants'])

  test('change no result of a filter and of its parts', () => {
    const several = fc.subarray([...CONDITIONS], { minLength: 1 })
    fc.assert(
      fc.property(several, fc.subarray([...FIELDS]), (conditions, fields) => {
        const tree = parse(conditions)
        const context = { ...plain, known: new Map() as KnownSets }
        const { own, rest } = splitFilter(tree, new Set(fields))
        for (const part of [tree, ...own.values(), rest ?? tree]) {
          const expected = evaluateFilter(part, plain).toArray()
          expect(evaluateFilter(part, context).toArray()).toEqual(expected)
        }
      }),
    )
  })

  test('are not looked up again', () => {
    const tree = parse(['color = red', 'NOT size = 3', 'variants[size > 2]'])
    const { own, rest } = splitFilter(tree, new Set(['color', 'size']))
    const parts = [...own.values(), rest!]
    const counted = counting({ ...plain, known: new Map() })
    evaluateFilter(tree, counted.context)
    const { lookups } = counted
    expect(lookups).toBeGreaterThanOrEqual(parts.length)
    for (const part of parts) evaluateFilter(part, counted.context)
    expect(counted.lookups).toBe(lookups)
    for (const part of parts) evaluateFilter(part, { ...counted.context, known: null })
    expect(counted.lookups).toBeGreaterThan(lookups)
  })

  test('are so many at most', () => {
    const known: KnownSets = new Map()
    const all = Array.from({ length: 200 }, (_, at) => `size != ${at + 100}`)
    const left = evaluateFilter(parse([...all, 'color = red']), { ...plain, known })
    expect(left.size).toBe(20)
    expect(known.size).toBeLessThanOrEqual(64)
    const nested = Array.from({ length: 200 }, (_, at) => `NOT (color = red AND size = ${at})`)
    expect(evaluateFilter(parse(nested), { ...plain, known }).size).toBe(40)
    expect(known.size).toBe(64)
  })
})
