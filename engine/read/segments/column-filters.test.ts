// Filters over several segments with dead copies, compared with values held as plain lists.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ByteWriter,
  type ExactNumber,
  isExactNumber,
  wholeNumber,
} from '../../../format/bytes/index.ts'
import { COLUMNS_KIND, ColumnsBuilder, ColumnsReader } from '../../../format/columns/index.ts'
import { STRING_BYTES_MAX } from '../../../format/fields/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import { ColumnFilters } from './index.ts'
import type { LayerSegment } from './open-view.ts'

const FIELD = 4
const encoder = new TextEncoder()
const noCheckpoint = (): void => undefined
type Value = ExactNumber | string | null
type Documents = ReadonlyMap<number, readonly Value[]>

function segmentOf(documents: Documents, dead: readonly number[]): LayerSegment<ColumnsReader> {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
  for (const [id, values] of [...documents].sort(([a], [b]) => a - b)) {
    builder.begin(id)
    builder.exists(FIELD)
    if (values.length === 0) builder.isEmpty(FIELD)
    for (const value of values) {
      if (value === null) builder.isNull(FIELD)
      else if (isExactNumber(value)) builder.number(FIELD, value)
      else builder.string(FIELD, encoder.encode(value))
    }
  }
  const out = new ByteWriter(1024)
  builder.finish((bytes) => out.bytes(bytes))
  const frame = out.finish()
  const ids = [...documents.keys()]
  return {
    ref: {
      segment: asSegmentNo(1),
      layer: 'columns',
      documents: ids.length,
      idMin: Math.min(...ids),
      idMax: Math.max(...ids),
      bytes: frame.length,
      location: { kind: 'inline', frame },
      generation: 0,
      dead: null,
    },
    reader: ColumnsReader.open(Frame.open(frame, COLUMNS_KIND)),
    dead: IdSet.ofSorted(Uint32Array.from(dead)),
  }
}

const TEXTS = [
  'a',
  'ab',
  'abc',
  'b',
  'é',
  'zoo',
  '東京',
  '1',
  '+2',
  '3.25',
  '-1.5',
  '2024-01-01',
  '1.2.3',
  '700000000000000001',
]
const NUMBERS = [-1.5, 0, 1, 2, 3.25, 1000, 7e17, 7n * 10n ** 17n + 1n, 7n * 10n ** 17n + 2n]
/** Numbers, and texts that are numbers. */
const numbersOf = (values: readonly Value[]): ExactNumber[] =>
  values.flatMap((value) => {
    if (isExactNumber(value)) return [value]
    if (/^[+-]?[0-9]+$/.test(value ?? '')) return [wholeNumber(value!)]
    return /^[+-]?[0-9]+\.[0-9]+$/.test(value ?? '') ? [Number(value)] : []
  })
const number = fc.constantFrom(...NUMBERS)
const text = fc.constantFrom(...TEXTS)
const values = fc.array(fc.oneof(number, text, fc.constant(null)), { maxLength: 4 })
const documents = fc
  .array(fc.tuple(fc.nat(60), values), { minLength: 1, maxLength: 12 })
  .map((entries) => new Map(entries))
const model = fc.record({
  segments: fc.array(documents, { maxLength: 4 }),
  deleted: fc.uniqueArray(fc.nat(60), { maxLength: 10 }),
})

class Pair {
  readonly filters: ColumnFilters
  readonly live = new Map<number, readonly Value[]>()

  constructor(segments: readonly Documents[], deleted: readonly number[]) {
    const opened = segments.map((all, s) => {
      const isDead = (id: number) =>
        deleted.includes(id) || segments.slice(s + 1).some((later) => later.has(id))
      for (const [id, one] of all) if (!isDead(id)) this.live.set(id, one)
      return segmentOf(
        all,
        [...all.keys()].filter(isDead).sort((a, b) => a - b),
      )
    })
    this.filters = new ColumnFilters(opened, () => IdSet.of([99]))
  }

  readonly check = (found: IdSet, matches: (values: readonly Value[]) => boolean): void => {
    const expected = [...this.live].filter(([, all]) => matches(all)).map(([id]) => id)
    expect([...found.toArray()]).toEqual(expected.sort((a, b) => a - b))
  }
}

/** Same order as UTF-8 bytes, because the texts have no characters beyond the first plane. */
const isAbove = (a: string, b: string, inclusive: boolean): boolean =>
  a > b || (inclusive && a === b)

describe('filters', () => {
  it('presence, null and emptiness', () => {
    fc.assert(
      fc.property(model, ({ segments, deleted }) => {
        const pair = new Pair(segments, deleted)
        pair.check(pair.filters.exists(FIELD), () => true)
        pair.check(pair.filters.nulls(FIELD), (all) => all.includes(null))
        pair.check(pair.filters.empties(FIELD), (all) => all.length === 0)
        for (const none of [
          pair.filters.exists(9),
          pair.filters.stringContains(9, '', noCheckpoint),
        ]) {
          expect(none.isEmpty).toBe(true)
        }
        expect([...pair.filters.geoRadius(1, 2, 3).toArray()]).toEqual([99])
      }),
    )
  })

  it('numbers', () => {
    fc.assert(
      fc.property(model, number, number, fc.boolean(), fc.boolean(), (drawn, x, y, from, to) => {
        const pair = new Pair(drawn.segments, drawn.deleted)
        pair.check(pair.filters.numberEquals(FIELD, x), (all) => all.includes(x))
        const [low, high] = x < y ? [x, y] : [y, x]
        pair.check(pair.filters.numberRange(FIELD, low, from, high, to), (all) =>
          numbersOf(all).some(
            (value) =>
              (value > low || (from && value === low)) && (value < high || (to && value === high)),
          ),
        )
        const [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
        pair.check(
          pair.filters.numberRange(FIELD, min, true, max, true),
          (all) => numbersOf(all).length > 0,
        )
      }),
    )
  })

  it('texts', () => {
    const bound = fc.option(text, { nil: null })
    fc.assert(
      fc.property(model, text, bound, fc.boolean(), fc.boolean(), (drawn, x, y, from, to) => {
        const pair = new Pair(drawn.segments, drawn.deleted)
        const some = (test: (value: string) => boolean) => (all: readonly Value[]) =>
          all.some((value) => typeof value === 'string' && test(value))
        const { filters } = pair
        pair.check(filters.stringEquals(FIELD, x), (all) => all.includes(x))
        pair.check(
          filters.stringPrefix(FIELD, x),
          some((value) => value.startsWith(x)),
        )
        const part = x.slice(-1)
        pair.check(
          filters.stringContains(FIELD, part, noCheckpoint),
          some((value) => value.includes(part)),
        )
        pair.check(
          filters.stringContains(FIELD, '', noCheckpoint),
          some(() => true),
        )
        const [low, high] = y !== null && y < x ? [y, x] : [x, y]
        pair.check(
          filters.stringRange(FIELD, low, from, high, to),
          some((v) => isAbove(v, low, from) && (high === null || isAbove(high, v, to))),
        )
      }),
    )
  })

  it('beginnings of long texts, which have a hash behind their first bytes', () => {
    const long = (end: string): string => 'x'.repeat(500) + end
    const values = [long('a'), long('b'), 'x'.repeat(450), 'x'.repeat(430)].map(normalizeFacet)
    const { filters } = new Pair([new Map(values.map((value, id) => [id, [value]]))], [])
    const beginning = (text: string): number[] => {
      const form = normalizeFacet(text)
      const found = filters.stringPrefix(FIELD, form)
      const many = filters.stringsWithin(FIELD, [], [form], noCheckpoint)
      expect(many.toArray()).toEqual(found.toArray())
      return [...found.toArray()]
    }
    expect(beginning('x'.repeat(430))).toEqual([0, 1, 2, 3])
    expect(beginning('x'.repeat(440))).toEqual([0, 1, 2])
    expect(beginning(long('a'))).toEqual([0, 1])
    expect([...filters.stringEquals(FIELD, normalizeFacet(long('B'))).toArray()]).toEqual([1])
    const part = filters.stringContains(FIELD, normalizeFacet(long('')), noCheckpoint)
    expect([...part.toArray()]).toEqual([0, 1, 2])
  })

  it('texts that no value can have match nothing', () => {
    const { filters } = new Pair([new Map([[1, ['a', '']]])], [])
    expect(filters.stringEquals(FIELD, '').isEmpty).toBe(true)
    expect(filters.stringEquals(FIELD, 'x'.repeat(100_000)).isEmpty).toBe(true)
  })

  it.each([
    [STRING_BYTES_MAX, [1]],
    [STRING_BYTES_MAX + 1, []],
  ])('a text of %i bytes is found in %j', (bytes, expected) => {
    const values = ['x'.repeat(STRING_BYTES_MAX), ...TEXTS]
    const { filters } = new Pair([new Map([[1, values]])], [])
    const text = 'x'.repeat(bytes)
    expect([...filters.stringEquals(FIELD, text).toArray()]).toEqual(expected)
    expect([...filters.stringsIn(FIELD, new Set([text]), noCheckpoint).toArray()]).toEqual(expected)
  })

  it.each([
    [32, [1]],
    [33, []],
  ])('a text of %i digits is a number of %j', (digits, expected) => {
    const { filters } = new Pair([new Map([[1, ['7'.padStart(digits, '0')]]])], [])
    expect([...filters.numberRange(FIELD, 7, true, 7, true).toArray()]).toEqual(expected)
  })

  it('many numbers and ranges of numbers', () => {
    const range = fc.tuple(number, number, fc.boolean(), fc.boolean())
    fc.assert(
      fc.property(
        model,
        fc.array(number, { maxLength: 12 }),
        fc.array(range, { maxLength: 8 }),
        (drawn, some, drawnRanges) => {
          const { filters, check } = new Pair(drawn.segments, drawn.deleted)
          check(filters.numbersIn(FIELD, some, noCheckpoint), (all) =>
            all.some((value) => some.includes(value as number)),
          )
          const ranges = drawnRanges.map(([x, y, lowInclusive, highInclusive]) => ({
            low: x < y ? x : y,
            high: x < y ? y : x,
            lowInclusive,
            highInclusive,
          }))
          check(filters.numbersWithin(FIELD, ranges, noCheckpoint), (all) =>
            numbersOf(all).some((value) =>
              ranges.some(
                ({ low, lowInclusive, high, highInclusive }) =>
                  (value > low || (lowInclusive && value === low)) &&
                  (value < high || (highInclusive && value === high)),
              ),
            ),
          )
        },
      ),
    )
  })

  it('many texts, prefixes, ranges and parts', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      'ab',
      'bc',
      'abc',
      'o',
      'zoo',
      'é',
      '京',
      '東京',
      'x',
      '',
    )
    const range = fc.tuple(text, fc.option(text, { nil: null }), fc.boolean(), fc.boolean())
    fc.assert(
      fc.property(
        model,
        fc.array(fc.oneof(text, part), { maxLength: 12 }),
        fc.array(range, { maxLength: 5 }),
        fc.array(part, { minLength: 1, maxLength: 8 }),
        (drawn, some, drawnRanges, parts) => {
          const { filters, check } = new Pair(drawn.segments, drawn.deleted)
          const having = (test: (value: string) => boolean) => (all: readonly Value[]) =>
            all.some((value) => typeof value === 'string' && test(value))
          check(
            filters.stringsIn(FIELD, new Set(some.filter((one) => one !== '')), noCheckpoint),
            having((value) => some.includes(value)),
          )
          const ranges = drawnRanges.map(([x, y, lowInclusive, highInclusive]) => {
            const [low, high] = y !== null && y < x ? [y, x] : [x, y]
            return { low, high, lowInclusive, highInclusive }
          })
          check(
            filters.stringsWithin(FIELD, ranges, parts, noCheckpoint),
            having(
              (value) =>
                parts.some((prefix) => value.startsWith(prefix)) ||
                ranges.some(
                  ({ low, high, lowInclusive, highInclusive }) =>
                    isAbove(value, low, lowInclusive) &&
                    (high === null || isAbove(high, value, highInclusive)),
                ),
            ),
          )
          check(
            filters.stringsContaining(FIELD, parts, noCheckpoint),
            having((value) => parts.some((one) => value.includes(one))),
          )
          const each = filters.stringsContainingEach(FIELD, parts, noCheckpoint)
          parts.forEach((one, i) => {
            check(
              each[i]!,
              having((value) => value.includes(one)),
            )
          })
        },
      ),
    )
  })
})

describe('many parts', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `value ${i * 7919}`)
  const documents = new Map(texts.map((one, i) => [i, [one]]))

  it('take one walk over the dictionary for all', () => {
    const walks = (parts: readonly string[], each: boolean): number => {
      const segment = segmentOf(documents, [])
      const reader = segment.reader.field(FIELD)!
      let begun = 0
      const walk = reader.walkStrings.bind(reader)
      reader.walkStrings = () => {
        begun++
        return walk()
      }
      const filters = new ColumnFilters([segment], () => IdSet.empty)
      if (each) filters.stringsContainingEach(FIELD, parts, noCheckpoint)
      else filters.stringsContaining(FIELD, parts, noCheckpoint)
      return begun
    }
    const parts = Array.from({ length: 500 }, (_, i) => `e ${i}`)
    expect(walks(parts, false)).toBe(1)
    expect(walks(parts.slice(0, 20), true)).toBe(1)
  })

  it('stop when the checkpoint throws', () => {
    const filters = new ColumnFilters([segmentOf(documents, [])], () => IdSet.empty)
    let left = 2
    const impatient = (): void => {
      if (left-- === 0) throw new Error('late')
    }
    expect(() => filters.stringsContaining(FIELD, ['x', 'y'], impatient)).toThrow('late')
    left = 2
    expect(() => filters.stringContains(FIELD, 'x', impatient)).toThrow('late')
    left = 2
    expect(() => filters.stringsIn(FIELD, new Set(texts), impatient)).toThrow('late')
  })
})
