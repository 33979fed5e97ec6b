// Library functions on numbers.
import {
  compareValues,
  debugText,
  displayText,
  isNumber,
  type Position,
  ScriptFault,
  type Value,
} from './language/index.ts'
import { checkedInteger, type Native, type Natives } from './run/index.ts'

/** Returns a function of one float; integers are not accepted. */
const onFloat =
  (compute: (value: number) => Value): Native =>
  ([value, ...rest]) =>
    typeof value === 'number' && rest.length === 0 ? compute(value) : undefined

const onNumber =
  (onInteger: (value: bigint) => Value, onFloats: (value: number) => Value): Native =>
  ([value, ...rest]) => {
    if (rest.length > 0) return undefined
    if (typeof value === 'bigint') return onInteger(value)
    return typeof value === 'number' ? onFloats(value) : undefined
  }

const inRadix =
  (radix: number): Native =>
  ([value, ...rest]) =>
    typeof value === 'bigint' && rest.length === 0
      ? BigInt.asUintN(64, value).toString(radix)
      : undefined

const constant =
  (value: number): Native =>
  (args) =>
    args.length === 0 ? value : undefined

/**
 * Returns a function that selects one of two values: the smaller for sign 1, the greater for -1.
 */
const extreme =
  (sign: number): Native =>
  (args) => {
    const [a, b] = args
    if (a === undefined || b === undefined || args.length > 2) return undefined
    if (isNumber(a) !== isNumber(b) || typeof a === 'boolean') return undefined
    const order = compareValues(a, b)
    if (order === null) return undefined
    const chosen = order * sign <= 0 ? a : b
    // With an integer and a float the result is a float.
    return typeof a !== typeof b && isNumber(chosen) ? Number(chosen) : chosen
  }

/** Rounds half away from zero. */
const rounded = (value: number): number => Math.sign(value) * Math.round(Math.abs(value))

function parseInteger([text, radix, ...rest]: readonly Value[], at: Position): Value | undefined {
  if (typeof text !== 'string' || rest.length > 0) return undefined
  if (radix !== undefined && typeof radix !== 'bigint') return undefined
  const base = Number(radix ?? 10n)
  if (base < 2 || base > 36) {
    throw new ScriptFault('ErrorArithmetic', `Invalid radix: '${base}'`, at)
  }
  const fault = (reason: string): ScriptFault =>
    new ScriptFault('ErrorParsing', `Error parsing integer number '${text}': ${reason}`, at)
  const trimmed = text.trim()
  if (trimmed === '') throw fault('cannot parse integer from empty string')
  const digits = trimmed.replace(/^[-+]/, '')
  if (digits === '' || digits.length > DIGITS_MAX) throw fault('invalid digit found in string')
  let value = 0n
  for (const c of digits) {
    const digit = Number.parseInt(c, 36)
    if (Number.isNaN(digit) || digit >= base) throw fault('invalid digit found in string')
    value = value * BigInt(base) + BigInt(digit)
  }
  if (trimmed.startsWith('-')) value = -value
  if (BigInt.asIntN(64, value) === value) return value
  throw fault(`number too ${value < 0n ? 'small' : 'large'} to fit in target type`)
}

const DIGITS_MAX = 1000
const FLOAT = /^[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|infinity|nan)$/i

function parseFloating([text, ...rest]: readonly Value[], at: Position): Value | undefined {
  if (typeof text !== 'string' || rest.length > 0) return undefined
  const trimmed = text.trim()
  if (trimmed.length <= DIGITS_MAX && FLOAT.test(trimmed))
    return Number(trimmed.replace(/inf(?:inity)?/i, 'Infinity'))
  const reason = trimmed === '' ? 'cannot parse float from empty string' : 'invalid float literal'
  throw new ScriptFault(
    'ErrorParsing',
    `Error parsing floating-point number '${text}': ${reason}`,
    at,
  )
}

function toInteger(value: number, at: Position): bigint {
  const whole = Math.trunc(value)
  if (Math.abs(whole) < 2 ** 63) return BigInt(whole)
  throw new ScriptFault('ErrorArithmetic', `Integer overflow: to_int(${debugText(value)})`, at)
}

export const NUMBER_FUNCTIONS: Natives = {
  abs: onNumber(
    (value) => checkedInteger(value < 0n ? -value : value, () => `Negation overflow: -${value}`),
    Math.abs,
  ),
  sign: onNumber(
    (value) => (value > 0n ? 1n : value < 0n ? -1n : 0n),
    (value) => BigInt(value > 0 ? 1 : value < 0 ? -1 : 0),
  ),
  is_zero: onNumber(
    (value) => value === 0n,
    (value) => value === 0,
  ),
  is_odd: ([value, ...rest]) =>
    typeof value === 'bigint' && rest.length === 0 ? value % 2n !== 0n : undefined,
  is_even: ([value, ...rest]) =>
    typeof value === 'bigint' && rest.length === 0 ? value % 2n === 0n : undefined,
  min: extreme(1),
  max: extreme(-1),
  floor: onFloat(Math.floor),
  ceiling: onFloat(Math.ceil),
  round: onFloat(rounded),
  int: onFloat(Math.trunc),
  fraction: onFloat((value) => value - Math.trunc(value)),
  is_nan: onFloat(Number.isNaN),
  is_finite: onFloat(Number.isFinite),
  is_infinite: onFloat((value) => Math.abs(value) === Infinity),
  to_int: ([value, ...rest], { at }) => {
    if (rest.length > 0) return undefined
    if (typeof value === 'bigint') return value
    return typeof value === 'number' ? toInteger(value, at) : undefined
  },
  to_float: onNumber(Number, (value) => value),
  to_degrees: onFloat((value) => (value * 180) / Math.PI),
  to_radians: onFloat((value) => (value * Math.PI) / 180),
  sqrt: onFloat(Math.sqrt),
  exp: onFloat(Math.exp),
  ln: onFloat(Math.log),
  log: ([value, base, ...rest]) => {
    if (typeof value !== 'number' || rest.length > 0) return undefined
    if (base === undefined) return Math.log10(value)
    if (base === 2) return Math.log2(value)
    return typeof base === 'number' ? Math.log(value) / Math.log(base) : undefined
  },
  sin: onFloat(Math.sin),
  cos: onFloat(Math.cos),
  tan: onFloat(Math.tan),
  asin: onFloat(Math.asin),
  acos: onFloat(Math.acos),
  atan: onFloat(Math.atan),
  sinh: onFloat(Math.sinh),
  cosh: onFloat(Math.cosh),
  tanh: onFloat(Math.tanh),
  hypot: ([x, y, ...rest]) =>
    typeof x === 'number' && typeof y === 'number' && rest.length === 0
      ? Math.hypot(x, y)
      : undefined,
  PI: constant(Math.PI),
  E: constant(Math.E),
  to_hex: inRadix(16),
  to_octal: inRadix(8),
  to_binary: inRadix(2),
  parse_int: (args, { at }) => parseInteger(args, at),
  parse_float: (args, { at }) => parseFloating(args, at),
  to_string: ([value, ...rest], { meter, at }) => {
    if (value === undefined || rest.length > 0) return undefined
    const text = displayText(value)
    meter.build(text.length, at)
    return text
  },
  to_debug: ([value, ...rest], { meter, at }) => {
    if (value === undefined || rest.length > 0) return undefined
    const text = debugText(value)
    meter.build(text.length, at)
    return text
  },
}
