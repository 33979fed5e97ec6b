// Numbers of documents without loss: a double, or a bigint for a whole number of 64 bits that no
// double equals. A value has one form only, so `===`, `Object.is` and maps compare exactly, as `<`
// does between the two types.

export type ExactNumber = number | bigint

const WHOLE_MIN = -(2n ** 63n)
const WHOLE_MAX = 2n ** 64n - 1n
/** Whole numbers below this magnitude are doubles. */
export const LARGE_MIN = 2 ** 53
/** The nearest double of the largest whole number. */
export const LARGE_MAX = 2 ** 64

export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'number' || typeof value === 'bigint'

/** Returns true for a double that is the nearest one of several whole numbers of 64 bits. */
export function isLarge(value: number): boolean {
  const size = Math.abs(value)
  return size >= LARGE_MIN && size <= LARGE_MAX
}

/** Returns true if any of the ascending numbers is large. */
export function hasLarge(values: Float64Array): boolean {
  if (values.length === 0) return false
  if (values[0]! > -LARGE_MIN && values[values.length - 1]! < LARGE_MIN) return false
  return values.some(isLarge)
}

/**
 * Returns the number that decimal digits with or without a sign denote; beyond 64 bits the nearest
 * double.
 */
export function wholeNumber(digits: string): ExactNumber {
  const double = Number(digits) + 0
  if (!isLarge(double)) return double
  const whole = BigInt(digits)
  if (whole < WHOLE_MIN || whole > WHOLE_MAX) return double
  return BigInt(double) === whole ? double : whole
}

/** Returns true if `a` comes before `b` in the order of columns: -0 comes before 0. */
export const isBelow = (a: ExactNumber, b: ExactNumber): boolean =>
  a < b || (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0))

/**
 * Returns a finite number in digits without an exponent: all digits of a large whole number, for
 * others the shortest that parse to the same double, -0 with its sign. So 1e21 is a one and 21
 * zeros.
 */
export function exactText(value: ExactNumber): string {
  if (typeof value === 'bigint') return String(value)
  if (isLarge(value)) return String(BigInt(value))
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const text = String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt < 0) return text
  const exponent = Number(text.slice(exponentAt + 1))
  const sign = text.startsWith('-') ? '-' : ''
  const [whole, fraction = ''] = text.slice(sign.length, exponentAt).split('.') as [string, string?]
  const digits = whole + fraction
  const point = whole.length + exponent
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
