// How fragments of a filter are shown, where its columns and words are, and which word is suggested.
import { describe, expect, test } from 'vitest'
import { columnOf, isBlank, shown, skipBlanks, wordAt } from './characters.ts'
import { suggestion } from './suggestion.ts'

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
    const blanks = ' \t\n\r\u00a0\u2009\u202f\u3000\u200b\u2060\ufeff'
    expect(skipBlanks(`${blanks}a `, 0)).toBe(blanks.length)
    expect(skipBlanks('\u00ad', 0)).toBe(0)
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
