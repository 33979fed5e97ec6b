// Numbers as text: which are integers, and how a float is written · rules: ./JSON.md "The trusting readers"

import { refuse } from '../errors.ts'

const POSITIVE_MAX = '18446744073709551615' // 2^64 − 1
const NEGATIVE_MAX = '9223372036854775808' // 2^63, the magnitude of the smallest
const SAFE_DIGITS = 15
const FIXED_POINT_MAX = 16
const FIXED_POINT_MIN = -5
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** Whether the JSON number bytes[from, to) is an integer of 64 bits, signed or unsigned, written as one. */
export function isInteger(bytes: Uint8Array, from: number, to: number): boolean {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  const digits = to - first
  if (digits <= 0 || digits > 20) return false
  for (let at = first; at < to; at++) {
    if (bytes[at]! < ZERO || bytes[at]! > NINE) return false
  }
  if (negative && bytes[first] === ZERO) return false
  if (digits <= 18) return true
  const largest = negative ? NEGATIVE_MAX : POSITIVE_MAX
  if (digits !== largest.length) return digits < largest.length
  for (let i = 0; i < digits; i++) {
    const difference = bytes[first + i]! - largest.charCodeAt(i)
    if (difference !== 0) return difference < 0
  }
  return true
}

/** The double nearest to the JSON number bytes[from, to); infinite beyond the range. */
export function numberValue(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  if (to - first > SAFE_DIGITS) return Number(numberText(bytes, from, to))
  let value = 0
  for (let at = first; at < to; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) return Number(numberText(bytes, from, to))
    value = value * 10 + digit
  }
  return negative ? -value : value
}

export function numberText(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > 64) return new TextDecoder('latin1').decode(bytes.subarray(from, to))
  let text = ''
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!)
  return text
}

/** A finite double in the canonical style: `1.0`, `0.25`, `1e-6`, `1.5e+300`, `-0.0`. */
export function floatText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const scientific = Math.abs(value).toExponential()
  const mark = scientific.indexOf('e')
  const digits = scientific[0] + scientific.slice(2, mark)
  const exponent = Number(scientific.slice(mark + 1))
  return (value < 0 ? '-' : '') + placed(digits, exponent)
}

/** `digits` with a point after the first, times 10^exponent. */
function placed(digits: string, exponent: number): string {
  const whole = exponent + 1
  if (whole > FIXED_POINT_MAX || whole <= FIXED_POINT_MIN) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
  }
  if (whole <= 0) return `0.${'0'.repeat(-whole)}${digits}`
  if (whole >= digits.length) return `${digits}${'0'.repeat(whole - digits.length)}.0`
  return `${digits.slice(0, whole)}.${digits.slice(whole)}`
}

/**
 * Whether the JSON number bytes[from, to) is canonical as it stands: an integer, or a decimal of up to 15
 * digits without an exponent or a superfluous zero. Such a decimal is its double's shortest text. May say
 * no of numbers that are canonical all the same.
 */
export function isCanonicalNumber(bytes: Uint8Array, from: number, to: number): boolean {
  if (isInteger(bytes, from, to)) return true
  const first = bytes[from] === MINUS ? from + 1 : from
  if (to - first > SAFE_DIGITS + 1) return false
  let point = -1
  for (let at = first; at < to; at++) {
    const c = bytes[at]!
    if (c === 0x2e) point = at
    else if (c < ZERO || c > NINE) return false
  }
  if (point < 0) return false
  if (bytes[to - 1] === ZERO) return to - point === 2 && bytes[first] !== ZERO
  if (bytes[first] !== ZERO) return true
  let zeros = 0
  while (bytes[point + 1 + zeros] === ZERO) zeros++
  return zeros < -FIXED_POINT_MIN
}

/** The canonical text of the JSON number bytes[from, to), which is not beyond the range of doubles. */
export function canonicalNumber(bytes: Uint8Array, from: number, to: number): string {
  const text = numberText(bytes, from, to)
  if (isInteger(bytes, from, to)) return text
  const value = Number(text)
  if (!Number.isFinite(value)) refuse('json', from, 'bad_value', 'a finite number', text)
  return floatText(value)
}
