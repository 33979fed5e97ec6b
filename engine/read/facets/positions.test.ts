// Positions in the order of a field, the largest of many counts, and the stretches of calendars.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyView, docOf, FIELD_IDS, readerOf } from '../../../fixtures/format/columns/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { CalendarUnit } from '../../model/index.ts'
import { bucketsOf } from './buckets.ts'
import { Calendar } from './calendar.ts'
import { sortBuckets } from './sort.ts'
import { divideAt } from './sort-position.ts'
import { nthLargest, topByCount } from './top-counts.ts'

const directions = fc.constantFrom('asc' as const, 'desc' as const)

describe('a position in the order of a field', () => {
  it('divides documents as the buckets of the sort do', () => {
    const mask = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(anyView(30), mask, directions, ({ docs, segments }, chosen, direction) => {
        const some = docs.filter((_, i) => chosen[i % chosen.length]).map(({ id }) => id)
        const universe = IdSet.of(some)
        for (const field of FIELD_IDS) {
          let after = universe
          for (const { value, ids } of sortBuckets(segments, field, direction, universe)) {
            after = after.andNot(ids)
            const divided = divideAt(segments, field, direction, value, universe)
            expect([...divided.equal.toArray()]).toEqual([...ids.toArray()])
            expect([...divided.after.toArray()]).toEqual([...after.toArray()])
          }
          expect(after.isEmpty).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    ['asc', 2, [], [1, 3, 4, 5, 6]],
    ['asc', 0, [], [0, 1, 3, 4, 5, 6]],
    ['asc', 9, [], [3, 4, 5, 6]],
    ['desc', 2, [], [0, 3, 4, 5, 6]],
    ['desc', 9, [], [0, 1, 3, 4, 5, 6]],
    ['asc', 'b', [], [4, 6]],
    ['desc', 'b', [], [3, 5, 6]],
    ['asc', '', [5], [3, 4, 6]],
    ['desc', '', [5], [6]],
    ['asc', null, [6], []],
  ] as const)('%s, %j, may be that of no document: %j, %j', (direction, value, equal, after) => {
    // Ids of the documents: numbers 0 and 1, a dead 2, texts 3 and 4, a blank 5, none 6.
    const values = [1, 3, 2, 'a', 'c', '']
    const docs = [...values.map((one, id) => docOf(id, { 3: one })), docOf(6, {})]
    const segments = [{ reader: readerOf(docs), dead: IdSet.of([2]) }]
    const universe = IdSet.of([0, 1, 3, 4, 5, 6])
    const divided = divideAt(segments, 3 as never, direction, value, universe)
    expect([...divided.equal.toArray()]).toEqual(equal)
    expect([...divided.after.toArray()]).toEqual(after)
  })
})

describe('the largest of many counts', () => {
  const counts = fc.array(fc.oneof(fc.nat(5), fc.nat(100), fc.constantFrom(65_535, 65_536, 1e9)), {
    maxLength: 60,
  })

  it('are those of a sort, ties by the larger index first', () => {
    fc.assert(
      fc.property(counts, fc.nat(70), (all, wanted) => {
        const sorted = [...all.keys()].sort((a, b) => all[b]! - all[a]! || b - a)
        expect([...topByCount(Uint32Array.from(all), wanted)]).toEqual(sorted.slice(0, wanted))
      }),
    )
  })

  it('end with the n-th', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 70 }), (all, n) => {
        const sorted = all.toSorted((a, b) => b - a)
        expect(nthLargest(Uint32Array.from(all), n)).toBe(sorted[n - 1] ?? 0)
      }),
    )
  })
})

describe('the stretch of a calendar', () => {
  const DAY = 86_400
  const stretchOf = (unit: CalendarUnit, value: number, zone = 'UTC') =>
    new Calendar(unit, zone).stretchAt(value)
  const at = (text: string): number => Date.parse(text) / 1000

  it.each<[CalendarUnit, string, string, string]>([
    ['day', '2024-02-29T12:00:00Z', '2024-02-29', '2024-03-01'],
    ['week', '2024-03-03T23:59:59Z', '2024-02-26', '2024-03-04'],
    ['week', '2024-03-04T00:00:00Z', '2024-03-04', '2024-03-11'],
    ['month', '2024-02-29T12:00:00Z', '2024-02-01', '2024-03-01'],
    ['month', '2024-12-31T12:00:00Z', '2024-12-01', '2025-01-01'],
    ['quarter', '2024-03-31T12:00:00Z', '2024-01-01', '2024-04-01'],
    ['quarter', '2024-04-01T00:00:00Z', '2024-04-01', '2024-07-01'],
    ['quarter', '2024-12-01T00:00:00Z', '2024-10-01', '2025-01-01'],
    ['year', '2024-12-31T23:59:59Z', '2024-01-01', '2025-01-01'],
    ['year', '0050-06-01T00:00:00Z', '0050-01-01', '0051-01-01'],
  ])('of a %s at %s is named %s and ends before %s', (unit, moment, key, end) => {
    expect(stretchOf(unit, at(moment))).toEqual({ key, end: at(end) })
  })

  it('ends at local midnight, and where clocks change', () => {
    const zone = 'America/New_York'
    const of = (moment: string) => stretchOf('day', at(moment), zone)
    expect(of('2024-01-15T04:59:59Z')).toEqual({ key: '2024-01-14', end: at('2024-01-15T05:00Z') })
    expect(of('2024-01-15T05:00:00Z')).toEqual({ key: '2024-01-15', end: at('2024-01-16T05:00Z') })
    expect(of('2024-03-10T06:00:00Z').end).toBe(at('2024-03-10T07:00Z'))
    expect(of('2024-03-10T07:00:00Z')).toEqual({ key: '2024-03-10', end: at('2024-03-11T04:00Z') })
  })

  it('of milliseconds begins where seconds end', () => {
    expect(stretchOf('day', 1e11)).toEqual({ key: '1973-03-03', end: Date.parse('1973-03-04') })
    expect(stretchOf('year', 1e11 - 1)).toEqual({ key: '5138-01-01', end: 1e11 })
    expect(stretchOf('day', -1e11)).toMatchObject({ key: null })
    expect(stretchOf('day', -1e11 - 1)).toEqual({ key: '1966-10-31', end: -1e11 })
    expect(stretchOf('day', 1e300)).toEqual({ key: null, end: Infinity })
    expect(stretchOf('day', -DAY / 2)).toEqual({ key: '1969-12-31', end: 0 })
  })
})

it('buckets have the same name exactly if they are the same', () => {
  const nameOf = (options: object) => bucketsOf({ attribute: 'f', ...options })?.name ?? null
  const all = [
    { ranges: [{ to: 5 }, { from: 5 }] },
    { ranges: [{ to: 5 }] },
    { ranges: [{ to: 5, key: 'low' }] },
    { histogram: { interval: 5, offset: 0 } },
    { histogram: { interval: 5, offset: 1 } },
    { calendar: 'day' },
    { calendar: 'week' },
    { calendar: 'day', timezone: 'Asia/Tokyo' },
    {},
  ]
  const names = all.map(nameOf)
  expect(new Set(names).size).toBe(all.length)
  expect(names.at(-1)).toBeNull()
  expect(nameOf({ ranges: [{ from: 5 }, { to: 5 }] })).toBe(names[0])
  expect(nameOf({ calendar: 'day', timezone: 'UTC' })).toBe(names[5])
})
