// Parses a JSON array of numbers into 32-bit floats. Embeddings are most of the bytes of their
// documents, so digits are read directly, without a text for each number.
import {
  BRACKET_END,
  COMMA,
  LETTER_E,
  MINUS,
  NINE,
  PLUS,
  POINT,
  UPPER_E,
  ZERO,
} from '../../../format/bytes/index.ts'
import { numberText, skipSpace, skipValue } from '../../../format/json/index.ts'

/** Powers of ten that are exact. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => 10 ** i)
/**
 * Digits that are read exactly enough for a double: the error is far below the precision of a
 * 32-bit float.
 */
const DIGITS_MAX = 17

/** The first item that is not a number. */
export type NumbersFault = { readonly item: number; readonly at: number }

/**
 * Parses the array whose bracket is at `from`; the JSON must be valid. Numbers beyond the range
 * become infinite.
 */
export function numbersOf(
  bytes: Uint8Array,
  from: number,
): { readonly numbers: Float32Array; readonly fault: NumbersFault | null } {
  let numbers = new Float32Array(64)
  let count = 0
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === BRACKET_END) return { numbers: new Float32Array(0), fault: null }
  for (;;) {
    const first = bytes[at]!
    if (first !== MINUS && (first < ZERO || first > NINE)) {
      return { numbers, fault: { item: count, at } }
    }
    if (count === numbers.length) {
      const grown = new Float32Array(count * 2)
      grown.set(numbers)
      numbers = grown
    }
    at = readNumber(bytes, at)
    numbers[count++] = value
    if (bytes[at]! <= 32) at = skipSpace(bytes, at)
    if (bytes[at] !== COMMA) return { numbers: numbers.slice(0, count), fault: null }
    at++
    if (bytes[at]! <= 32) at = skipSpace(bytes, at)
  }
}

/** The result of `readNumber`. */
let value = 0

/** Reads the number at `at` into `value`; returns the offset after it. */
function readNumber(bytes: Uint8Array, at: number): number {
  const start = at
  const isNegative = bytes[at] === MINUS
  if (isNegative) at++
  let mantissa = 0
  let digits = 0
  let exponent = 0
  let c = bytes[at]!
  for (; c >= ZERO && c <= NINE; c = bytes[++at]!) {
    if (digits < DIGITS_MAX) {
      mantissa = mantissa * 10 + (c - ZERO)
      if (mantissa > 0) digits++
    } else exponent++
  }
  if (c === POINT) {
    for (c = bytes[++at]!; c >= ZERO && c <= NINE; c = bytes[++at]!) {
      if (digits >= DIGITS_MAX) continue
      mantissa = mantissa * 10 + (c - ZERO)
      if (mantissa > 0) digits++
      exponent--
    }
  }
  if (c === LETTER_E || c === UPPER_E) {
    c = bytes[++at]!
    const isBelow = c === MINUS
    if (isBelow || c === PLUS) c = bytes[++at]!
    let power = 0
    for (; c >= ZERO && c <= NINE; c = bytes[++at]!) power = Math.min(9999, power * 10 + c - ZERO)
    exponent += isBelow ? -power : power
  }
  if (exponent > 22 || exponent < -22) {
    value = Number(numberText(bytes, start, skipValue(bytes, start)))
    return at
  }
  const size = exponent < 0 ? mantissa / POWERS[-exponent]! : mantissa * POWERS[exponent]!
  value = isNegative ? -size : size
  return at
}
