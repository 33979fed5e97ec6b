// Reads well-formed JSON without loss of information about numbers and the order of members. Much
// slower than `JSON.parse`, so it is used only for texts in which the difference matters, and for
// messages.
import {
  BACKSLASH,
  BRACE_END,
  BRACKET_END,
  COMMA,
  POINT,
  QUOTE,
} from '../../../format/bytes/index.ts'
import { type Json, ORDER, WholeFloat } from './json-value.ts'

const U64_MAX = 18446744073709551615n
const I64_MIN = -9223372036854775808n

type Reader = { readonly text: string; at: number }

/** Reads a text that the checking reader has accepted, which also limits its depth. */
export function exactJson(text: string): Json {
  const reader: Reader = { text, at: 0 }
  return readValue(reader)
}

const readValue = (reader: Reader): Json => {
  skipSpace(reader)
  switch (reader.text[reader.at]) {
    case '{':
      return readObject(reader)
    case '[':
      return readArray(reader)
    case '"':
      return readString(reader)
    case 't':
      reader.at += 4
      return true
    case 'f':
      reader.at += 5
      return false
    case 'n':
      reader.at += 4
      return null
    default:
      return readNumber(reader)
  }
}

const skipSpace = (reader: Reader): void => {
  while (reader.text.charCodeAt(reader.at) <= 0x20) reader.at++
}

const readArray = (reader: Reader): Json => {
  const elements: Json[] = []
  reader.at++
  skipSpace(reader)
  while (reader.text.charCodeAt(reader.at) !== BRACKET_END) {
    elements.push(readValue(reader))
    skipSeparator(reader)
  }
  reader.at++
  return elements
}

/** Skips white space and one comma, if there is one. */
const skipSeparator = (reader: Reader): void => {
  skipSpace(reader)
  if (reader.text.charCodeAt(reader.at) === COMMA) reader.at++
  skipSpace(reader)
}

const readObject = (reader: Reader): Json => {
  // A repeated member keeps its first position and takes its last value, as in JSON.parse.
  const object: { [name: string]: Json } = {}
  // The names in order, set once there is a name that JavaScript may reorder.
  let order: Set<string> | null = null
  reader.at++
  skipSpace(reader)
  while (reader.text.charCodeAt(reader.at) !== BRACE_END) {
    const name = readString(reader)
    if (order === null && isDigitUnit(name.charCodeAt(0))) order = new Set(Object.keys(object))
    order?.add(name)
    skipSpace(reader)
    reader.at++ // skips the colon
    const value = readValue(reader)
    if (name === '__proto__') define(object, name, value)
    else object[name] = value
    skipSeparator(reader)
  }
  reader.at++
  if (order !== null) Object.defineProperty(object, ORDER, { value: [...order] })
  return object
}

/** Defines a plain member, even for names such as `__proto__`. */
const define = (object: object, name: string, value: Json): void => {
  const asMember = { writable: true, enumerable: true, configurable: true }
  Object.defineProperty(object, name, { value, ...asMember })
}

const readString = (reader: Reader): string => {
  const { text } = reader
  const start = reader.at
  let at = start + 1
  let isEscaped = false
  for (;;) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) break
    if (unit === BACKSLASH) {
      isEscaped = true
      at++
    }
    at++
  }
  reader.at = at + 1
  if (!isEscaped) return text.slice(start + 1, at)
  return JSON.parse(text.slice(start, at + 1)) as string
}

const isDigitUnit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

/** Returns true for the characters of numbers: digit, sign, point, exponent. */
const isNumberUnit = (unit: number): boolean =>
  isDigitUnit(unit) ||
  unit === POINT ||
  unit === 0x2d ||
  unit === 0x2b ||
  unit === 0x65 ||
  unit === 0x45

const readNumber = (reader: Reader): Json => {
  const { text, at: start } = reader
  let at = start
  while (isNumberUnit(text.charCodeAt(at))) at++
  reader.at = at
  return exactNumber(text.slice(start, at))
}

/** Converts a JSON number to a 64-bit integer or a float. */
export function exactNumber(text: string): Json {
  const value = Number(text)
  if (!Number.isInteger(value)) return value
  const isInteger = /^-?\d+$/.test(text) && text !== '-0'
  if (!isInteger) return new WholeFloat(value)
  if (Number.isSafeInteger(value)) return value
  const integer = BigInt(text)
  return integer >= I64_MIN && integer <= U64_MAX ? integer : new WholeFloat(value)
}
