// Numbers in filters and sort expressions: parses them and formats them.
import { type ExactNumber, wholeNumber } from '../../format/bytes/index.ts'

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
/** Long enough to be rounded by a double, short enough to be finite. */
const WHOLE = /^[+-]?\d{16,300}$/
const NOT_FINITE = /^([+-]?)(?:(inf|infinity)|nan)$/i

/**
 * Parses a text as a 64-bit float: decimals with an optional exponent, `inf` and `nan`; no blanks,
 * no hexadecimal, no underscores. Returns null for other texts. Too large numbers become infinite.
 */
export function parseFloatText(text: string): number | null {
  if (DECIMAL.test(text)) return Number(text)
  const named = NOT_FINITE.exec(text)
  if (named === null) return null
  if (named[2] === undefined) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/**
 * Returns the number of a literal, or null: literals that are not finite are only texts. A whole
 * number of 64 bits in digits alone is exact.
 */
export function parseExact(text: string): ExactNumber | null {
  if (WHOLE.test(text)) return wholeNumber(text)
  return parseNumber(text)
}

/** Returns the double nearest to the number of a literal, or null. */
export function parseNumber(text: string): number | null {
  const value = DECIMAL.test(text) ? Number(text) : null
  return value !== null && Number.isFinite(value) ? value : null
}

/** Returns the shortest digits that read back as `value`, never with an exponent. */
export function showFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa, exponent] = String(value).split('e')
  if (exponent === undefined) return mantissa!
  const sign = mantissa!.startsWith('-') ? '-' : ''
  const digits = mantissa!.replace(/[-.]/g, '')
  const shift = Number(exponent)
  if (shift > 0) return sign + digits.padEnd(shift + 1, '0')
  return `${sign}0.${'0'.repeat(-shift - 1)}${digits}`
}
