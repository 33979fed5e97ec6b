// Which texts are numbers, and how numbers are shown.
import { describe, expect, test } from 'vitest'
import { parseExact, parseFloatText, parseNumber, showFloat } from './numbers.ts'

describe('numbers', () => {
  test.each([
    ['5', 5],
    ['5.', 5],
    ['.5', 0.5],
    ['+5', 5],
    ['-0', -0],
    ['5e0', 5],
    ['1E-2', 0.01],
    ['9007199254740993', 9007199254740992],
    ['1e400', null],
    ['-1e400', null],
    ['', null],
    ['-', null],
    ['.', null],
    ['--5', null],
    [' 5', null],
    ['0x5', null],
    ['1_000', null],
    ['1e', null],
    ['inf', null],
    ['NaN', null],
    ['٣', null],
  ])('%j', (text, value) => {
    expect(parseNumber(text)).toBe(value)
  })

  test('named numbers are floats as well', () => {
    expect(parseFloatText('nan')).toBeNaN()
    expect(parseFloatText('-Infinity')).toBe(Number.NEGATIVE_INFINITY)
    expect(parseFloatText('+INF')).toBe(Number.POSITIVE_INFINITY)
    expect(parseFloatText('1e400')).toBe(Number.POSITIVE_INFINITY)
    expect(parseFloatText('infinite')).toBeNull()
  })

  test.each([
    [91, '91'],
    [-90.1, '-90.1'],
    [-0, '-0'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ])('%d is shown as %s', (value, text) => {
    expect(showFloat(value)).toBe(text)
    if (!Number.isNaN(value)) expect(parseFloatText(text)).toBe(value)
  })
})

describe('literals of filters', () => {
  test.each<[string, number | bigint | null]>([
    ['7', 7],
    ['-0', -0],
    ['9007199254740992', 2 ** 53],
    ['9007199254740993', 2n ** 53n + 1n],
    ['+0009007199254740993', 2n ** 53n + 1n],
    ['-9223372036854775808', -(2 ** 63)],
    ['-9223372036854775807', -(2n ** 63n) + 1n],
    ['18446744073709551615', 2n ** 64n - 1n],
    // Beyond 64 bits, and with a point or an exponent, the nearest double.
    ['18446744073709551617', 2 ** 64],
    ['9007199254740993.0', 2 ** 53],
    ['9007199254740993e0', 2 ** 53],
    ['9'.repeat(400), null],
    ['9007199254740993x', null],
    ['--9007199254740993', null],
    ['', null],
  ])('%s is %s', (text, value) => {
    expect(parseExact(text)).toBe(value)
  })
})
