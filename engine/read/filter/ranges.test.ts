// The ranges of comparisons: of numbers for a number, of texts for another text.
import { describe, expect, it } from 'vitest'
import type { CompareOperator, Token } from '../filter-syntax/index.ts'
import { valueRanges } from './ranges.ts'

const token = (text: string): Token => ({ text, source: text, from: 0, to: text.length })
const normalise = (text: string): string => text.toLowerCase()
const field = token('f')

const compared = (operator: CompareOperator, value: string) =>
  valueRanges({ kind: 'compare', field, operator, value: token(value) }, normalise)
const between = (low: string, high: string) =>
  valueRanges({ kind: 'between', field, low: token(low), high: token(high) }, normalise)

const range = (low: unknown, lowInclusive: boolean, high: unknown, highInclusive: boolean) => ({
  low,
  lowInclusive,
  high,
  highInclusive,
})

describe('a comparison', () => {
  it.each<[CompareOperator, string, object]>([
    ['>', '5', range(5, false, Infinity, true)],
    ['>=', '-1.5e1', range(-15, true, Infinity, true)],
    ['<', '5', range(-Infinity, true, 5, false)],
    ['<=', '9007199254740993', range(-Infinity, true, 9007199254740993n, true)],
  ])('%s %s takes numbers', (operator, value, numbers) => {
    expect(compared(operator, value)).toEqual({ numbers, texts: null })
  })

  it.each<[CompareOperator, string, object | null]>([
    ['>', 'Bc', range('bc', false, null, true)],
    ['>=', 'b', range('b', true, null, true)],
    ['<', 'b', range('', true, 'b', false)],
    ['<=', 'b', range('', true, 'b', true)],
    ['>', '2024-01', range('2024-01', false, ':', false)],
    ['>=', '2024-01', range('2024-01', true, ':', false)],
    ['<', '2024-01', range('0', true, '2024-01', false)],
    ['<=', '2024-01', range('0', true, '2024-01', true)],
    ['<', '', null],
    ['<=', '', null],
    ['>', '', range('', false, null, true)],
  ])('%s %s takes texts', (operator, value, texts) => {
    expect(compared(operator, value)).toEqual({ numbers: null, texts })
  })
})

it.each<[string, string, object | null, object | null]>([
  ['1', '5', range(1, true, 5, true), null],
  ['5', '5', range(5, true, 5, true), null],
  ['5', '1', null, null],
  ['10', '9', null, null],
  ['A', 'b', null, range('a', true, 'b', true)],
  ['b', 'b', null, range('b', true, 'b', true)],
  ['b', 'a', null, null],
  ['1', 'b', null, range('1', true, 'b', true)],
  ['a', '5', null, null],
  ['', '', null, null],
  ['', 'b', null, range('', true, 'b', true)],
])('%s TO %s', (low, high, numbers, texts) => {
  expect(between(low, high)).toEqual({ numbers, texts })
})
