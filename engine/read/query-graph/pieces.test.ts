// Typos that a word may have, and the marks of phrases.
import { describe, expect, it } from 'vitest'
import { phraseOf } from './phrase.ts'
import { QuoteMarks } from './quote-marks.ts'
import type { TermRules } from './term-rules.ts'
import { typosAllowed } from './typos.ts'

const RULES = {
  typosEnabled: true,
  oneTypoChars: 5,
  twoTyposChars: 9,
  disabledWords: new Set(['lantern']),
} as unknown as TermRules

it.each([
  ['four', 1, 0],
  ['fives', 1, 1],
  ['eightone', 1, 1],
  ['ninechars', 1, 2],
  ['ninechars', 2, 1],
  ['ninechars', 3, 0],
  ['fives', 2, 0],
  ['fives', 4, 0],
  ['lantern', 1, 0],
  ['lanterns', 1, 1],
  // Characters count, not UTF-16 units.
  ['𝒜𝒜𝒜𝒜', 1, 0],
  ['𝒜𝒜𝒜𝒜𝒜', 1, 1],
])('%s of %i parts may have %i typos', (text, parts, typos) => {
  expect(typosAllowed(text, parts, RULES)).toBe(typos)
  expect(typosAllowed(text, parts, { ...RULES, typosEnabled: false })).toBe(0)
})

describe('the marks of a separator', () => {
  it.each([
    [' ', false, false, 0],
    ['"', false, false, 1],
    ['"', true, true, 1],
    ['" "', true, true, 2],
    ['"""', false, false, 3],
    ['“', false, false, 1],
    ['”', false, true, 0],
    ['"', false, true, 1],
    ['« ', false, false, 1],
    // Of another kind than the one that has opened.
    ['”', true, true, 0],
    ['“ ”', false, false, 2],
    ['“ »', false, false, 1],
    ['“ "', false, false, 2],
    ['‹›', false, false, 2],
    ['„“', false, false, 2],
  ])('%s, inside: %j, behind a word: %j, turn %i times', (separator, isOpen, follows, turns) => {
    expect(new QuoteMarks().turns(separator, isOpen, follows)).toBe(turns)
  })

  it('close what the marks of an earlier one have opened', () => {
    const marks = new QuoteMarks()
    expect(marks.turns('“', false, false)).toBe(1)
    expect(marks.turns('»', true, true)).toBe(0)
    expect(marks.turns('”', true, true)).toBe(1)
    expect(marks.turns('«', false, false)).toBe(1)
    expect(marks.turns('”', true, true)).toBe(0)
    expect(marks.turns('«', true, true)).toBe(1)
  })
})

it('phrases have the same key exactly if they are the same', () => {
  const all = [
    phraseOf(['a', 'b']),
    phraseOf(['a', 'b'], true),
    phraseOf(['a', 'b'], false, [1]),
    phraseOf(['ab']),
    phraseOf(['b', 'a']),
    phraseOf(['a', 'b', 'c'], false, [1, 2]),
    phraseOf(['a', 'b', 'c'], false, [12]),
  ]
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
  expect(phraseOf(['a', 'b']).key).toBe(all[0]!.key)
})
