// Whole numbers of 64 bits against BigInt.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ExactNumber,
  exactText,
  hasLarge,
  isBelow,
  isExactNumber,
  isLarge,
  wholeNumber,
} from './index.ts'

const whole = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc
    .constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, -(2n ** 63n))
    .chain((base) =>
      fc
        .integer({ min: -4, max: 0 })
        .map((less) => (base < 0n ? base - BigInt(less) : base + BigInt(less))),
    ),
)
const bigOf = (number: ExactNumber): bigint => BigInt(number)

it('is a number or a bigint', () => {
  const values = [0, Number.NaN, 1n, '1', true, null, undefined, {}]
  expect(values.map(isExactNumber)).toEqual([true, true, true, ...Array(5).fill(false)])
})

describe('a whole number of 64 bits', () => {
  it('keeps its value, as a double if there is one', () => {
    fc.assert(
      fc.property(whole, (value) => {
        const number = wholeNumber(String(value))
        expect(bigOf(number)).toBe(value)
        expect(typeof number).toBe(BigInt(Number(value)) === value ? 'number' : 'bigint')
        expect(exactText(number)).toBe(String(value))
        expect(wholeNumber(exactText(number))).toBe(number)
        if (typeof number === 'bigint') expect(isLarge(Number(number))).toBe(true)
      }),
    )
  })

  it('is ordered among others and among doubles', () => {
    fc.assert(
      fc.property(whole, whole, fc.double({ noNaN: true }), (a, b, double) => {
        const [x, y] = [wholeNumber(String(a)), wholeNumber(String(b))]
        expect(isBelow(x, y)).toBe(a < b)
        expect(x === y).toBe(a === b)
        expect(isBelow(x, double)).toBe(a < double)
        expect(isBelow(double, x)).toBe(Object.is(double, -0) ? a >= 0n : double < a)
      }),
    )
  })

  it('may have a sign and zeros before it; beyond 64 bits it is the nearest double', () => {
    expect(wholeNumber('+0009007199254740993')).toBe(2n ** 53n + 1n)
    expect(wholeNumber('-0')).toBe(0)
    expect(wholeNumber('18446744073709551616')).toBe(2 ** 64)
    expect(wholeNumber('18446744073709551617')).toBe(2 ** 64)
    expect(wholeNumber('-9223372036854775809')).toBe(-(2 ** 63))
    expect(wholeNumber('9'.repeat(30))).toBe(1e30)
  })
})

it('large numbers are found among others in order', () => {
  for (const values of [[], [-1, 5], [1e300], [-1e300, 0, 1e300], [2 ** 53 - 1]]) {
    expect(hasLarge(Float64Array.from(values))).toBe(false)
  }
  for (const values of [[2 ** 53], [-(2 ** 53), 0], [-1e300, -1e18, 5, 1e300], [2 ** 64]]) {
    expect(hasLarge(Float64Array.from(values))).toBe(true)
  }
})
