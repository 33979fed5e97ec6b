// Converts a comparison or a TO to ranges of numbers and of texts: a numeric bound applies to both.
import { compareText } from '../../../format/bytes/index.ts'
import { parseNumber } from '../../text/index.ts'
import type { BetweenNode, CompareNode, NumberRange, TextRange } from '../filter-syntax/index.ts'

/** Null for an empty range. */
export type ValueRanges = {
  readonly numbers: NumberRange | null
  readonly texts: TextRange | null
}

/** `leaf` is not an equality. */
export const valueRanges = (
  leaf: CompareNode | BetweenNode,
  normalise: (text: string) => string,
): ValueRanges =>
  leaf.kind === 'between' ? betweenRanges(leaf, normalise) : compareRanges(leaf, normalise)

function compareRanges(
  { operator, value }: CompareNode,
  normalise: (text: string) => string,
): ValueRanges {
  const number = parseNumber(value.text)
  const text = normalise(value.text)
  const isInclusive = operator === '>=' || operator === '<='
  if (operator === '>' || operator === '>=') {
    return {
      numbers: number === null ? null : above(number, isInclusive),
      texts: { low: text, lowInclusive: isInclusive, high: null, highInclusive: true },
    }
  }
  return {
    numbers: number === null ? null : below(number, isInclusive),
    texts:
      text === '' ? null : { low: '', lowInclusive: true, high: text, highInclusive: isInclusive },
  }
}

const above = (low: number, lowInclusive: boolean): NumberRange => ({
  low,
  lowInclusive,
  high: Infinity,
  highInclusive: true,
})

const below = (high: number, highInclusive: boolean): NumberRange => ({
  low: -Infinity,
  lowInclusive: true,
  high,
  highInclusive,
})

function betweenRanges(leaf: BetweenNode, normalise: (text: string) => string): ValueRanges {
  const lowText = normalise(leaf.low.text)
  const highText = normalise(leaf.high.text)
  const isEmpty = compareText(lowText, highText) > 0 || highText === ''
  const low = parseNumber(leaf.low.text)
  const high = parseNumber(leaf.high.text)
  return {
    numbers:
      low === null || high === null || isAbove(low, high)
        ? null
        : { low, lowInclusive: true, high, highInclusive: true },
    texts: isEmpty
      ? null
      : { low: lowText, lowInclusive: true, high: highText, highInclusive: true },
  }
}

/** Compares in total order: 0 is above −0. */
const isAbove = (a: number, b: number): boolean => a > b || (Object.is(a, 0) && Object.is(b, -0))
