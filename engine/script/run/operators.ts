// Operators on one or two values. Clients know the texts of faults; those of arithmetic have no
// position.
import {
  arithmetic,
  compareValues,
  displayText,
  equalValues,
  functionNotFound,
  isNumber,
  type Meter,
  mismatch,
  type Position,
  Range,
  ScriptMap,
  signatureOf,
  textOfString,
  typeName,
  type Value,
  weightOf,
} from '../language/index.ts'

/** Applies a unary operator. @throws ScriptFault */
export function applyUnary(operator: string, value: Value, at: Position): Value {
  if (operator === '!' && typeof value === 'boolean') return !value
  if (operator === '-') {
    if (typeof value === 'number') return -value
    if (typeof value === 'bigint') {
      return checkedInteger(-value, () => `Negation overflow: -${value}`)
    }
  }
  if (operator === '+' && isNumber(value)) return value
  throw functionNotFound(operator, signatureOf([value]), at)
}

/**
 * Applies a binary operator. The result is a new value unless it is one of the operands. @throws
 * ScriptFault
 */
export function applyBinary(
  operator: string,
  left: Value,
  right: Value,
  at: Position,
  meter: Meter,
): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const result = applyToIntegers(operator, left, right)
    if (result !== undefined) return result
  } else if (isNumber(left) && isNumber(right)) {
    const result = applyToFloats(operator, Number(left), Number(right))
    if (result !== undefined) return result
  }
  switch (operator) {
    case '==':
    case '!=':
      meter.touch(weightOf(left) + weightOf(right), at)
      return equalValues(left, right) === (operator === '==')
    case '<':
    case '<=':
    case '>':
    case '>=':
      meter.touch(Math.min(weightOf(left), weightOf(right)), at)
      return compare(operator, left, right, at)
    case '+':
      return add(left, right, at, meter)
    case '-':
      return subtract(left, right, at, meter)
    case '&':
    case '|':
    case '^':
      if (typeof left === 'boolean' && typeof right === 'boolean') {
        return operator === '&' ? left && right : operator === '|' ? left || right : left !== right
      }
  }
  throw functionNotFound(operator, signatureOf([left, right]), at)
}

const SHIFT_MAX = 64n
const I64_MIN = -(2n ** 63n)

function applyToIntegers(operator: string, a: bigint, b: bigint): Value | undefined {
  switch (operator) {
    case '+':
      return checkedInteger(a + b, () => `Addition overflow: ${a} + ${b}`)
    case '-':
      return checkedInteger(a - b, () => `Subtraction overflow: ${a} - ${b}`)
    case '*':
      return checkedInteger(a * b, () => `Multiplication overflow: ${a} * ${b}`)
    case '/':
      if (b === 0n) throw arithmetic(`Division by zero: ${a} / ${b}`)
      return checkedInteger(a / b, () => `Division overflow: ${a} / ${b}`)
    case '%':
      // The remainder is that of a division, and the division overflows for -1.
      if (b === 0n || (a === I64_MIN && b === -1n)) {
        throw arithmetic(`Modulo division by zero or overflow: ${a} % ${b}`)
      }
      return a % b
    case '**':
      return power(a, b)
    case '<<':
      return shifted(a, b)
    case '>>':
      return shifted(a, -b)
    case '&':
      return a & b
    case '|':
      return a | b
    case '^':
      return a ^ b
    default:
      return undefined
  }
}

function shifted(a: bigint, left: bigint): bigint {
  if (left >= SHIFT_MAX) return 0n
  if (left <= -SHIFT_MAX) return a < 0n ? -1n : 0n
  return left >= 0n ? BigInt.asIntN(64, a << left) : a >> -left
}

function power(a: bigint, b: bigint): bigint {
  if (b < 0n) throw arithmetic(`Integer raised to a negative power: ${a} ** ${b}`)
  const overflow = (): string => `Exponential overflow: ${a} ** ${b}`
  if (a === 0n || a === 1n) return b === 0n ? 1n : a
  if (a === -1n) return b % 2n === 0n ? 1n : -1n
  if (b >= SHIFT_MAX) throw arithmetic(overflow())
  return checkedInteger(a ** b, overflow)
}

/** Returns the value. @throws ScriptFault if it needs more than 64 bits */
export function checkedInteger(value: bigint, overflow: () => string): bigint {
  if (BigInt.asIntN(64, value) !== value) throw arithmetic(overflow())
  return value
}

function applyToFloats(operator: string, a: number, b: number): Value | undefined {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
    case '**':
      return a ** b
    default:
      return undefined
  }
}

/** Compares two values. Values of different kinds have no order: all comparisons are false. */
function compare(operator: string, left: Value, right: Value, at: Position): boolean {
  const order = compareValues(left, right)
  if (order === null) {
    const isOneKind = typeName(left) === typeName(right) && !isNumber(left)
    if (isOneKind) throw functionNotFound(operator, signatureOf([left, right]), at)
    return false
  }
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

function add(left: Value, right: Value, at: Position, meter: Meter): Value {
  if (textOfString(left) !== null || textOfString(right) !== null) {
    const [text, other] = [displayText(left), displayText(right)]
    meter.checkLength(text.length + other.length, at)
    meter.build(text.length > other.length ? other.length + 1 : text.length + 1, at)
    return text + other
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    meter.checkCount(left.length + right.length, at)
    meter.touch(left.length + right.length, at)
    return meter.copy([...left, ...right], at)
  }
  if (left instanceof ScriptMap && right instanceof ScriptMap) {
    const sum = meter.copy(left, at) as ScriptMap
    for (const name of right.names()) sum.set(name, meter.copy(right.get(name)!, at))
    meter.checkSize(sum, at)
    return sum
  }
  throw functionNotFound('+', signatureOf([left, right]), at)
}

/** Returns a string without the occurrences of another. */
function subtract(left: Value, right: Value, at: Position, meter: Meter): Value {
  const part = textOfString(right)
  if (typeof left === 'string' && part !== null) {
    meter.touch(left.length, at)
    return part === '' ? left : left.replaceAll(part, '')
  }
  throw functionNotFound('-', signatureOf([left, right]), at)
}

/** Returns whether `container` contains `value`. @throws ScriptFault */
export function contains(container: Value, value: Value, at: Position, meter: Meter): boolean {
  meter.touch(weightOf(container), at)
  if (Array.isArray(container)) return container.some((item) => equalValues(item, value))
  const text = textOfString(value)
  if (typeof container === 'string' && text !== null) return container.includes(text)
  if (container instanceof ScriptMap && typeof value === 'string') return container.has(value)
  if (container instanceof Range && typeof value === 'bigint') return container.has(value)
  throw functionNotFound('contains', signatureOf([container, value]), at)
}

/** Checks that a value is a boolean. @throws ScriptFault */
export function boolean(value: Value, at: Position): boolean {
  if (typeof value !== 'boolean') throw mismatch(typeName(value), 'bool', at)
  return value
}
