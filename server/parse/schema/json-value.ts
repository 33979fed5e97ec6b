// JSON as the validators see it. Mostly the result of `JSON.parse`; two things that it loses matter
// here: whether a number was written as an integer, and integers beyond 2^53. These appear as
// WholeFloat and bigint, and only if the text contains such a number (see `body.ts`).
import { floatText } from '../../../format/json/index.ts'
import { QUOTED_CHARACTERS_MAX } from './limits.ts'

/** A whole number written with a point or an exponent, or too large for 64 bits: `1.0`, `1e3`. */
export class WholeFloat {
  constructor(readonly value: number) {}
}

export type JsonObject = { readonly [member: string]: Json }
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | WholeFloat
  | readonly Json[]
  | JsonObject

/** Holds the order of the members in the text, on objects where JavaScript would change it. */
export const ORDER = Symbol('order')
type Ordered = { readonly [ORDER]?: readonly string[] }

export const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value)

export const isJsonObject = (value: Json): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof WholeFloat)

/** Returns the members of an object in the order of the text. */
export const membersOf = (object: JsonObject): readonly string[] =>
  (object as Ordered)[ORDER] ?? Object.keys(object)

/** The types that messages name, in the order in which they list them. */
export const KINDS = [
  'null',
  'a boolean',
  'a positive integer',
  'a negative integer',
  'a number',
  'a string',
  'an array',
  'an object',
] as const
export type KindName = (typeof KINDS)[number]

export function kindOf(value: Json): KindName {
  switch (typeof value) {
    case 'boolean':
      return 'a boolean'
    case 'string':
      return 'a string'
    case 'number':
      if (!Number.isInteger(value)) return 'a number'
      return value < 0 ? 'a negative integer' : 'a positive integer'
    case 'bigint':
      return value < 0n ? 'a negative integer' : 'a positive integer'
    default:
      if (value === null) return 'null'
      if (value instanceof WholeFloat) return 'a number'
      return Array.isArray(value) ? 'an array' : 'an object'
  }
}

/**
 * Returns the JSON text of a value without white space, numbers in their canonical form. The reader
 * has limited the depth.
 */
export function compactText(value: Json): string {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? String(value) : floatText(value)
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (value instanceof WholeFloat) return floatText(value.value)
      if (isJsonArray(value)) return `[${value.map(compactText).join(',')}]`
      return `{${membersOf(value)
        .map((name) => memberText(value, name))
        .join(',')}}`
    default:
      return JSON.stringify(value)
  }
}

const memberText = (object: JsonObject, name: string): string =>
  `${JSON.stringify(name)}:${compactText(object[name]!)}`

/**
 * The same, up to about `charactersMax` characters: a longer text ends with `…`, and its rest is
 * not computed.
 */
export function quotedText(value: Json, charactersMax = QUOTED_CHARACTERS_MAX): string {
  const out: Quote = { text: '', left: charactersMax }
  quote(value, out)
  return out.left < 0 ? `${out.text}…` : out.text
}

/** Cuts a text for quoting to `charactersMax` characters. */
export const cut = (text: string, charactersMax = QUOTED_CHARACTERS_MAX): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`

/** `left` is the number of characters left; below zero, something was omitted. */
type Quote = { text: string; left: number }

const quote = (value: Json, out: Quote): void => {
  if (typeof value === 'string') put(JSON.stringify(value.slice(0, out.left + 1)), out)
  else if (typeof value !== 'object' || value === null || value instanceof WholeFloat) {
    put(compactText(value), out)
  } else if (isJsonArray(value)) {
    put('[', out)
    for (let i = 0; i < value.length && out.left >= 0; i++) {
      if (i > 0) put(',', out)
      quote(value[i]!, out)
    }
    put(']', out)
  } else quoteObject(value, out)
}

const quoteObject = (value: JsonObject, out: Quote): void => {
  let isFirst = true
  put('{', out)
  for (const name of membersOf(value)) {
    if (out.left < 0) return
    put(`${isFirst ? '' : ','}${JSON.stringify(name.slice(0, out.left + 1))}:`, out)
    quote(value[name]!, out)
    isFirst = false
  }
  put('}', out)
}

const put = (text: string, out: Quote): void => {
  if (out.left < 0) return
  out.text += text.slice(0, out.left)
  out.left -= text.length
}

/** Converts to plain data: the result that `JSON.parse` would give for the same text. */
export function plain(value: Json): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof WholeFloat) return value.value
  if (isJsonArray(value)) return value.some(isSpecial) ? value.map(plain) : value
  const members = Object.entries(value)
  if (!members.some(([, member]) => isSpecial(member))) return value
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
}

const isSpecial = (value: Json): boolean =>
  typeof value === 'bigint' || (typeof value === 'object' && value !== null)
