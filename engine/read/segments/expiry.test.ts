// Which numbers and texts of a field are moments, and when documents expire by them.
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { COLUMNS_KIND, ColumnsBuilder, ColumnsReader } from '../../../format/columns/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { expiredAt, secondsOf } from './expiry.ts'

const FIELD = 4

/** The moment, in milliseconds, from which on a document with a value has expired. */
function expiryOf(value: number | string): number {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
  builder.begin(1)
  builder.exists(FIELD)
  if (typeof value === 'number') builder.number(FIELD, value)
  else builder.string(FIELD, Buffer.from(value))
  const out = new ByteWriter(1024)
  builder.finish((bytes) => out.bytes(bytes))
  const reader = ColumnsReader.open(Frame.open(out.finish(), COLUMNS_KIND))
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
