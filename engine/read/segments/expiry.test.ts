// Which numbers and texts of a field are moments, and when documents expire by them.
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { COLUMNS_KIND, ColumnsBuilder, ColumnsReader } from '../../../format/columns/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Expiry, expiredAt, secondsOf } from './expiry.ts'

const FIELD = 4

/** A segment of documents with these values, by id. */
function segmentOf(values: readonly (readonly [id: number, value: number | string])[]) {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
  for (const [id, value] of values) {
    builder.begin(id)
    builder.exists(FIELD)
    if (typeof value === 'number') builder.number(FIELD, value)
    else builder.string(FIELD, Buffer.from(value))
  }
  const out = new ByteWriter(1024)
  builder.finish((bytes) => out.bytes(bytes))
  return ColumnsReader.open(Frame.open(out.finish(), COLUMNS_KIND))
}

/** The moment, in milliseconds, from which on a document with a value has expired. */
function expiryOf(value: number | string): number {
  const reader = segmentOf([[1, value]])
  const at = (now: number) => expiredAt([{ reader, dead: IdSet.empty }], FIELD, now)
  const { ids, next } = at(Number.MIN_SAFE_INTEGER)
  expect(ids.isEmpty).toBe(true)
  if (next === Number.POSITIVE_INFINITY) return next
  expect(at(next - 1)).toEqual({ ids: IdSet.empty, next })
  const expired = at(next)
  expect([[...expired.ids.toArray()], expired.next]).toEqual([[1], Number.POSITIVE_INFINITY])
  return next
}

const NEVER = Number.POSITIVE_INFINITY

describe('a document expires', () => {
  it.each([
    [-5, -5000],
    [0, 0],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
  ])('by the number %d at %d ms', (value, moment) => {
    expect([expiryOf(value), secondsOf(value)]).toEqual([moment, moment / 1000])
  })

  it.each([
    ['2001-09-09t01:46:40z', 1e12],
    ['2001-09-09 01:46:40z', 1e12],
    ['2001-09-09t01:46:40', NEVER],
    ['2001-09-09', NEVER],
    ['2001-09-09t03:46:40.123456789+02:00', 1e12 + 124],
    ['2001-09-09t03:46:40.1234567890+02:00', NEVER],
    ['2001-02-29t00:00:00z', NEVER],
    ['2001-09-08t23:59:60z', 1e12 - 6400 * 1000],
    ['2001-09-08t23:59:61z', NEVER],
    ['2001-09-08t23:60:00z', NEVER],
    ['2001-09-08t24:00:00z', NEVER],
    ['2001-09-09t23:46:40+23:59', 1e12 - 7_140_000],
    ['2001-09-09t23:46:40+24:00', NEVER],
    ['2001-09-09t00:46:40-01:60', NEVER],
    ['2001-09-09t00:46:40-01:00', 1e12],
  ])('by the text %s at %d ms', (text, moment) => {
    expect(expiryOf(text)).toBe(moment)
  })
})

describe('the documents that last', () => {
  const live = IdSet.of([1, 2, 3, 4])
  const segments = [
    {
      reader: segmentOf([
        [1, 10],
        [2, 'no date'],
        [3, 30],
      ]),
      dead: IdSet.of([3]),
    },
    { reader: segmentOf([[3, 20]]), dead: IdSet.empty },
  ]
  let now = 0
  let reads = 0
  const expiry = () => {
    reads = 0
    const read = () => {
      reads++
      return segments
    }
    return new Expiry(read, FIELD as never, () => now)
  }
  const idsIn = (set: IdSet): readonly number[] => [...set.toArray()]

  it('are the same until the next one expires', () => {
    const lasting = expiry()
    now = 0
    expect(lasting.lasting(live)).toBe(live)
    now = 9999
    expect([lasting.lasting(live), reads]).toEqual([live, 1])
    now = 10_000
    const first = lasting.lasting(live)
    expect([idsIn(first), reads]).toEqual([[2, 3, 4], 2])
    now = 19_999
    expect(lasting.lasting(live)).toBe(first)
    now = 20_000
    expect([idsIn(lasting.lasting(live)), reads]).toEqual([[2, 4], 3])
    // The moment of a dead copy costs a reading; after it, no document is left that can expire.
    now = 30_000
    expect([idsIn(lasting.lasting(live)), reads]).toEqual([[2, 4], 4])
    now = 1e15
    expect([idsIn(lasting.lasting(live)), reads]).toEqual([[2, 4], 4])
  })

  it('are computed again when the clock was set back', () => {
    const lasting = expiry()
    now = 20_000
    expect(idsIn(lasting.lasting(live))).toEqual([2, 4])
    now = 19_999
    expect(idsIn(lasting.lasting(live))).toEqual([2, 3, 4])
  })

  it('are all if the segments lack the field', () => {
    const other = new Expiry(
      () => segments,
      9 as never,
      () => 1e15,
    )
    expect(other.lasting(live)).toBe(live)
  })
})
