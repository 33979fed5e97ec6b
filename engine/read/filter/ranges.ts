// Converts a comparison or a TO to a range of numbers or of texts: a number is compared with numbers
// and with texts that are numbers, another text with texts.
import { compareText, type ExactNumber } from '../../../format/bytes/index.ts'
import { parseExact } from '../../text/index.ts'
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
  const number = parseExact(value.text)
  const text = normalise(value.text)
  const isInclusive = operator === '>=' || operator === '<='
  const isLow = operator === '>' || operator === '>='
  if (number !== null) {
    return { numbers: isLow ? above(number, isInclusive) : below(number, isInclusive), texts: null }
  }
  // A date is compared with what begins with a digit too, not with `n/a` beside it.
  const isDigits = /^[0-9]/.test(text)
  if (isLow) {
    const high = isDigits ? BEHIND_DIGITS : null
    return {
      numbers: null,
      texts: { low: text, lowInclusive: isInclusive, high, highInclusive: !isDigits },
    }
  }
  if (text === '') return { numbers: null, texts: null }
  const low = isDigits ? '0' : ''
  return {
    numbers: null,
    texts: { low, lowInclusive: true, high: text, highInclusive: isInclusive },
  }
}

/** The first text behind all that begin with a digit. */
const BEHIND_DIGITS = ':'

const above = (low: ExactNumber, lowInclusive: boolean): NumberRange => ({
  low,
  lowInclusive,
  high: Infinity,
  highInclusive: true,
})

const below = (high: ExactNumber, highInclusive: boolean): NumberRange => ({
  low: -Infinity,
  lowInclusive: true,
  high,
  highInclusive,
})

function betweenRanges(leaf: BetweenNode, normalise: (text: string) => string): ValueRanges {
  const lowText = normalise(leaf.low.text)
  const highText = normalise(leaf.high.text)
  const isEmpty = compareText(lowText, highText) > 0 || highText === ''
  const low = parseExact(leaf.low.text)
  const high = parseExact(leaf.high.text)
  if (low !== null && high !== null) {
    const isEmptyRange = low > high
    const numbers = isEmptyRange ? null : { low, lowInclusive: true, high, highInclusive: true }
    return { numbers, texts: null }
  }
  return {
    numbers: null,
    texts: isEmpty
      ? null
      : { low: lowText, lowInclusive: true, high: highText, highInclusive: true },
  }
}
