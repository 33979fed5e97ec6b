// The values of scripts. `()` is null, integers of 64 bits are bigints, floats are numbers; arrays
// and maps are copied when they are stored, so that each owner has a separate value.
import { compareText } from '../../../format/bytes/index.ts'
import { Char } from './char.ts'
import { ScriptFault } from './faults.ts'
import { STRING_LENGTH_MAX } from './limits.ts'
import type { FunctionDefinition } from './tree.ts'

export { Char }

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Char
  | Value[]
  | ScriptMap
  | Range
  | Blob
  | Stream
  | FunctionPointer

/** A stored member that has not been decoded yet. */
export class Unread {
  readonly bytes: Uint8Array
  readonly read: (bytes: Uint8Array) => Value

  constructor(bytes: Uint8Array, read: (bytes: Uint8Array) => Value) {
    this.bytes = bytes
    this.read = read
  }
}

/** Members by name, listed in the order of their UTF-8 bytes. */
export class ScriptMap {
  readonly #members = new Map<string, Value | Unread>()

  get size(): number {
    return this.#members.size
  }

  has(name: string): boolean {
    return this.#members.has(name)
  }

  get(name: string): Value | undefined {
    const member = this.#members.get(name)
    if (!(member instanceof Unread)) return member
    const value = member.read(member.bytes)
    this.#members.set(name, value)
    return value
  }

  /** Returns the member without decoding it. */
  peek(name: string): Value | Unread | undefined {
    return this.#members.get(name)
  }

  set(name: string, value: Value | Unread): void {
    this.#members.set(name, value)
  }

  delete(name: string): void {
    this.#members.delete(name)
  }

  clear(): void {
    this.#members.clear()
  }

  /** Returns the members in no particular order, without decoding them. */
  entries(): Iterable<readonly [string, Value | Unread]> {
    return this.#members
  }

  names(): string[] {
    return [...this.#members.keys()].sort(compareText)
  }
}

/** Integers from `start` up to `end`. */
export class Range {
  readonly start: bigint
  readonly end: bigint
  readonly isInclusive: boolean

  constructor(start: bigint, end: bigint, isInclusive: boolean) {
    this.start = start
    this.end = end
    this.isInclusive = isInclusive
  }

  has(value: bigint): boolean {
    return value >= this.start && (this.isInclusive ? value <= this.end : value < this.end)
  }
}

export class Blob {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A sequence that can only be iterated. */
export class Stream {
  readonly values: () => Iterable<Value>

  constructor(values: () => Iterable<Value>) {
    this.values = values
  }
}

/** The storage of a variable; closures share it with the scope that they captured it from. */
export type Cell = { readonly name: string; value: Value; readonly isConstant: boolean }

export class FunctionPointer {
  readonly name: string
  /** null: looked up by name at the call. */
  readonly definition: FunctionDefinition | null
  /** Variables that a closure captured. */
  readonly captured: readonly Cell[]
  /** Arguments that were bound beforehand. */
  readonly curried: readonly Value[]

  constructor(
    name: string,
    definition: FunctionDefinition | null,
    captured: readonly Cell[],
    curried: readonly Value[],
  ) {
    this.name = name
    this.definition = definition
    this.captured = captured
    this.curried = curried
  }
}

/** Returns the type of a value as messages name it. */
export function typeName(value: Value): string {
  if (value === null) return '()'
  switch (typeof value) {
    case 'bigint':
      return 'i64'
    case 'number':
      return 'f64'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
  }
  if (Array.isArray(value)) return 'array'
  if (value instanceof ScriptMap) return 'map'
  if (value instanceof Char) return 'char'
  if (value instanceof FunctionPointer) return 'Fn'
  if (value instanceof Blob) return 'blob'
  if (value instanceof Range) {
    return `core::ops::range::Range${value.isInclusive ? 'Inclusive' : ''}<i64>`
  }
  return 'range'
}

/** Returns the type of a value as `type_of` names it. */
export const shortTypeName = (value: Value): string =>
  value instanceof Range ? (value.isInclusive ? 'range=' : 'range') : typeName(value)

/** Returns the types of arguments as faults list them. */
export const signatureOf = (values: readonly Value[]): string =>
  values
    .map((value) =>
      typeof value === 'string' ? '&str | ImmutableString | String' : shortTypeName(value),
    )
    .join(', ')

export function equalValues(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b
  if (isNumber(a) && isNumber(b)) return equalNumbers(a, b)
  const [text, other] = [textOfString(a), textOfString(b)]
  if (text !== null && other !== null) return text === other
  if (typeof a === 'boolean') return a === b
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => equalValues(item, b[i]!))
  }
  if (a instanceof ScriptMap && b instanceof ScriptMap) {
    return (
      a.size === b.size &&
      a.names().every((name) => b.has(name) && equalValues(a.get(name)!, b.get(name)!))
    )
  }
  if (a instanceof Range && b instanceof Range) {
    return a.start === b.start && a.end === b.end && a.isInclusive === b.isInclusive
  }
  return false
}

/** Floats that differ only by rounding are equal; therefore infinity equals nothing. */
const equalNumbers = (a: bigint | number, b: bigint | number): boolean =>
  typeof a === 'bigint' && typeof b === 'bigint'
    ? a === b
    : Math.abs(Number(a) - Number(b)) <= Number.EPSILON

export const isNumber = (value: Value): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number'

/** Returns the text of a string or a character, else null. */
export const textOfString = (value: Value): string | null =>
  typeof value === 'string' ? value : value instanceof Char ? value.text : null

/** Returns a negative number, zero or a positive number; null if the values have no order. */
export function compareValues(a: Value, b: Value): number | null {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a >= b ? 0 : null
  const [text, other] = [textOfString(a), textOfString(b)]
  if (text !== null && other !== null) return compareText(text, other)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return a === null && b === null ? 0 : null
}

/**
 * A limit on the total length of a text: strings may occur in many places, so that a small value
 * has a long text.
 */
export class TextBudget {
  #left: number

  constructor(lengthMax: number) {
    this.#left = lengthMax
  }

  /** Counts a text. @throws ScriptFault if the limit is exceeded */
  take(text: string): string {
    this.#left -= text.length
    if (this.#left >= 0) return text
    throw new ScriptFault('ErrorDataTooLarge', 'Length of string too long', null)
  }
}

/** Returns a value as text, as inside of templates. */
export function displayText(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  return value instanceof Char ? value.text : debugText(value)
}

/** Returns a value as text, as inside of arrays and maps. */
export function debugText(value: Value, budget = new TextBudget(STRING_LENGTH_MAX)): string {
  if (value === null) return '()'
  switch (typeof value) {
    case 'string':
      return budget.take(JSON.stringify(value))
    case 'number':
      return floatAsText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => debugText(item, budget)).join(', ')}]`
  if (value instanceof ScriptMap) {
    const members = value.names().map((name) => {
      const key = budget.take(JSON.stringify(name))
      return `${key}: ${debugText(value.get(name) ?? null, budget)}`
    })
    return `#{${members.join(', ')}}`
  }
  if (value instanceof Char) return `'${value.text}'`
  if (value instanceof FunctionPointer) return `Fn(${value.name})`
  if (value instanceof Blob) return `[${Buffer.from(value.bytes).toString('hex')}]`
  if (value instanceof Range) return `${value.start}${value.isInclusive ? '..=' : '..'}${value.end}`
  return typeName(value)
}

/** Returns the work of comparing a value: its elements, members and characters. */
export function weightOf(value: Value | Unread): number {
  if (typeof value === 'string') return value.length + 1
  if (value instanceof Unread) return value.bytes.length
  let weight = 1
  if (Array.isArray(value)) for (const item of value) weight += weightOf(item)
  else if (value instanceof ScriptMap) {
    for (const [name, member] of value.entries()) weight += name.length + weightOf(member)
  }
  return weight
}

const FIXED_END = 1e16

function floatAsText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const isWhole = Number.isInteger(value) && Math.abs(value) < FIXED_END
  return isWhole ? `${Object.is(value, -0) ? '-0' : value}.0` : String(value)
}
