// Counts by buckets compared with plain counts, one document at a time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyView,
  docOf,
  FIELD_IDS,
  numbersOf,
  readerOf,
} from '../../../fixtures/format/columns/model.ts'
import type { ExactNumber } from '../../../format/bytes/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { CalendarUnit, FacetOptions } from '../../model/index.ts'
import { bucketsOf } from './buckets.ts'
import { FacetScope } from './index.ts'

const TOO_MANY = new Error('too many buckets')
const tooMany = (): never => {
  throw TOO_MANY
}

type Requested = Omit<FacetOptions, 'attribute'>

const counted = (scope: FacetScope, id: number, requested: Requested, bucketsMax = 1000) => [
  ...scope.buckets(id, bucketsOf({ attribute: 'f', ...requested })!, bucketsMax, tooMany),
]

const anyBound = fc.oneof(
  fc.integer({ min: -30, max: 30 }),
  fc.double({ min: -5, max: 5, noNaN: true }),
)
const anyRanges = fc.uniqueArray(
  fc
    .record({
      from: fc.option(anyBound, { nil: undefined }),
      to: fc.option(anyBound, { nil: undefined }),
    })
    .filter(
      ({ from = -Infinity, to = Infinity }) => from < to && (from > -Infinity || to < Infinity),
    )
    .map(({ from, to }) => ({
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      key: `${from}<${to}`,
    })),
  { selector: ({ key }) => key, minLength: 1, maxLength: 6 },
)

const anyMask = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 })

describe('ranges', () => {
  it('count each candidate once for each range', () => {
    fc.assert(
      fc.property(anyView(30), anyMask, anyRanges, ({ docs, segments }, mask, ranges) => {
        const candidates = docs.filter((_, i) => mask[i % mask.length])
        const scope = new FacetScope(segments, IdSet.of(candidates.map(({ id }) => id)))
        for (const id of FIELD_IDS) {
          const ascending = [...ranges].sort((a, b) => {
            const [m, n] = [a.from ?? -Infinity, b.from ?? -Infinity]
            const [s, t] = [a.to ?? Infinity, b.to ?? Infinity]
            return m < n ? -1 : m > n ? 1 : s < t ? -1 : s > t ? 1 : 0
          })
          const expected = ascending.map(({ key, from = -Infinity, to = Infinity }) => {
            const isIn = (value: ExactNumber) => value >= from && value < to
            const found = candidates.filter((doc) => numbersOf(doc.fields.get(id)).some(isIn))
            return [key, found.length]
          })
          expect(counted(scope, id, { ranges })).toEqual(expected)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('name their ends without a key', () => {
    const scope = new FacetScope(
      [{ reader: readerOf([docOf(1, { 3: [10, -0.5] })]), dead: null }],
      IdSet.of([1]),
    )
    const ranges = [{ from: 10 }, { to: 10 }, { from: -1, to: -0.25, key: 'low' }, { from: 1e21 }]
    expect(counted(scope, 3, { ranges })).toEqual([
      ['..10', 1],
      ['low', 1],
      ['10..', 1],
      ['1000000000000000000000..', 0],
    ])
  })

  it('tell whole numbers of 64 bits apart, and take both zeros as one', () => {
    const docs = [docOf(1, { 3: 2n ** 60n + 1n }), docOf(2, { 3: 2 ** 60 }), docOf(3, { 3: -0 })]
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.of([1, 2, 3]))
    const ranges = [{ to: 0 }, { from: 0, to: 2 ** 60 }, { from: 2 ** 60, to: 2 ** 60 + 256 }]
    expect(counted(scope, 3, { ranges }).map(([, count]) => count)).toEqual([0, 1, 2])
  })
})

describe('histograms', () => {
  const anyHistogram = fc.record({
    interval: fc.constantFrom(0.1, 0.25, 1, 7, 50),
    offset: fc.constantFrom(0, 0.5, -3, 20),
  })

  it('count each candidate once for each bucket', () => {
    fc.assert(
      fc.property(anyView(30), anyMask, anyHistogram, ({ docs, segments }, mask, histogram) => {
        const candidates = docs.filter((_, i) => mask[i % mask.length])
        const scope = new FacetScope(segments, IdSet.of(candidates.map(({ id }) => id)))
        for (const id of FIELD_IDS) {
          const small = (value: ExactNumber) => Math.abs(Number(value)) < 1e6
          if (!candidates.every((doc) => numbersOf(doc.fields.get(id)).every(small))) continue
          const buckets = counted(scope, id, { histogram })
          const starts = buckets.map(([key]) => Number(key))
          expect(starts).toEqual([...starts].sort((a, b) => a - b))
          for (const [i, [, count]] of buckets.entries()) {
            const from = starts[i]!
            const to = Number((from + histogram.interval).toPrecision(15))
            const steps = (from - histogram.offset) / histogram.interval
            expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-6)
            const isIn = (value: ExactNumber) => value >= from && value < to
            const found = candidates.filter((doc) => numbersOf(doc.fields.get(id)).some(isIn))
            expect(count).toBe(found.length)
          }
          const isCounted = (value: ExactNumber) =>
            starts.some((from) => value >= from && value < from + histogram.interval * 1.001)
          for (const doc of candidates) {
            expect(numbersOf(doc.fields.get(id)).every(isCounted)).toBe(true)
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('begin at multiples of decimal fractions', () => {
    const docs = [0.3, 0.1, 0.7, 0.65].map((value, id) => docOf(id, { 3: value }))
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.range(0, 4))
    expect(counted(scope, 3, { histogram: { interval: 0.1, offset: 0 } })).toEqual([
      ['0.1', 1],
      ['0.3', 1],
      ['0.6', 1],
      ['0.7', 1],
    ])
  })

  it.each([0, 0.3, -3])('have exact decimals near zero with the offset %d', (offset) => {
    const docs = [-0.15, -5e-324, 0, 0.05].map((value, id) => docOf(id, { 3: value }))
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.range(0, 4))
    expect(counted(scope, 3, { histogram: { interval: 0.1, offset } })).toEqual([
      ['-0.2', 1],
      ['-0.1', 1],
      ['0', 2],
    ])
  })

  it('are refused with too many buckets, and with buckets that doubles cannot tell apart', () => {
    const docs = [0, 10, 1e300].map((value, id) => docOf(id, { 3: value }))
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.range(0, 3))
    const histogram = { interval: 1e299, offset: 0 }
    expect(counted(scope, 3, { histogram }, 2)).toHaveLength(2)
    expect(() => counted(scope, 3, { histogram }, 1)).toThrow(TOO_MANY)
    expect(() => counted(scope, 3, { histogram: { interval: 1, offset: 0 } })).toThrow(TOO_MANY)
    expect(() => counted(scope, 3, { histogram: { interval: 1e-300, offset: 0 } })).toThrow(
      TOO_MANY,
    )
  })
})

const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  // Clocks were set back a minute after midnight until 2011.
  'America/St_Johns',
  // Midnight is left out when clocks are set forward.
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  // 30 December 2011 is left out.
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
]

/** Returns the date in a time zone, by another format than the counts use. */
function localDate(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms)
  return parts
}

/** Returns the first day of the period of a date. */
function firstDay(date: string, unit: CalendarUnit): string {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))]
  switch (unit) {
    case 'day':
      return date
    case 'week': {
      const day = new Date(date)
      while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1)
      return day.toISOString().slice(0, 10)
    }
    case 'month':
      return `${date.slice(0, 7)}-01`
    case 'quarter':
      return `${year}-${String(Math.floor((month - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
    case 'year':
      return `${year}-01-01`
  }
}

describe('calendars', () => {
  const near = fc.constantFrom(
    '2010-11-07T02:31:00Z',
    '2011-12-30T10:00:00Z',
    '2018-11-04T03:00:00Z',
    '2021-03-27T22:00:00Z',
    '2024-03-31T01:00:00Z',
    '2024-10-27T01:00:00Z',
    '1999-12-31T23:00:00Z',
  )
  const moments = fc.oneof(
    fc
      .tuple(near, fc.integer({ min: -7200, max: 7200 }))
      .map(([at, s]) => Date.parse(at) + s * 1000),
    fc.integer({ min: Date.UTC(1974, 0), max: Date.UTC(2040, 0) }),
  )

  it('count by local days, over clock changes, seconds and milliseconds alike', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(moments, fc.boolean()), { maxLength: 3 }), { maxLength: 12 }),
        fc.constantFrom(...UNITS),
        fc.constantFrom(...ZONES),
        (rows, calendar, timezone) => {
          const docs = rows.map((row, id) =>
            docOf(id, { 3: row.map(([ms, isSeconds]) => (isSeconds ? ms / 1000 : ms)) }),
          )
          const segments = [0, 1].flatMap((half) => {
            const some = docs.filter(({ id }) => id % 2 === half)
            return some.length === 0 ? [] : [{ reader: readerOf(some), dead: null }]
          })
          const scope = new FacetScope(segments, IdSet.range(0, docs.length))
          const expected = new Map<string, number>()
          for (const row of rows) {
            const keys = row.map(([ms]) => firstDay(localDate(ms, timezone), calendar))
            for (const key of new Set(keys)) expected.set(key, (expected.get(key) ?? 0) + 1)
          }
          expect(counted(scope, 3, { calendar, timezone })).toEqual(
            [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
          )
        },
      ),
      { numRuns: 100 },
    )
  }, 30_000)

  it('leave out years without four digits', () => {
    const docs = [1e16, -1e14, -9e10, 0, 1e11, -1e11, 1e11 - 1].map((n, id) => docOf(id, { 3: n }))
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.range(0, 7))
    expect(counted(scope, 3, { calendar: 'year' })).toEqual([
      ['1970-01-01', 1],
      ['1973-01-01', 1],
      ['5138-01-01', 1],
    ])
  })
})
