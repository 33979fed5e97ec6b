// Which texts are numbers, how numbers and fragments are shown, where columns are.
import { describe, expect, test } from 'vitest'
import { columnOf, isBlank, shown, wordAt } from '../read/filter-syntax/characters.ts'
import { suggestion } from '../read/filter-syntax/suggestion.ts'
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

describe('characters', () => {
  test.each([
    ['\'a"\\', '\\\'a\\"\\\\'],
    ['a\tb\n\r\0', 'a\\tb\\n\\r\\0'],
    ['\u007f\u200b\u00a0x y', '\\u{7f}\\u{200b}\\u{a0}x y'],
    ['\u0301e\u0301', '\\u{301}e\u0301'],
    ['🍓é日本', '🍓é日本'],
  ])('%j is shown as %s', (fragment, text) => {
    expect(shown(fragment)).toBe(text)
  })

  test('columns are code points since the start of the line', () => {
    expect(columnOf('abc', 0)).toBe(1)
    expect(columnOf('🍓é=', 3)).toBe(3)
    expect(columnOf('a\nbc', 2)).toBe(1)
    expect(columnOf('a\nbc', 3)).toBe(2)
    expect(columnOf('\n', 0)).toBe(1)
    expect(columnOf('\n', 1)).toBe(1)
  })

  test('words and blanks', () => {
    expect(wordAt('a-b_c.1 x', 0)).toBe('a-b_c.1')
    expect(wordAt('aé日🍓', 0)).toBe('aé日')
    expect(wordAt('a', 1)).toBe('')
    expect(isBlank(' \t\n\u3000')).toBe(true)
    expect(isBlank('\ufeff')).toBe(false)
  })
})

test.each([
  ['drak', ['dark', 'pale'], ' Did you mean `dark`?'],
  ['dork', ['pale', 'dark', 'fork'], ' Did you mean `dark`?'],
  ['ghost', ['dark', 'pale'], ''],
  ['', ['ab', 'abc'], ' Did you mean `ab`?'],
  ['x'.repeat(100_000), ['dark'], ''],
])('a suggestion for %.20j', (text, known, words) => {
  expect(suggestion(text, known)).toBe(words)
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
