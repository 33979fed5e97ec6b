// JSON as the validators see it. Mostly what `JSON.parse` makes; two things it forgets matter here:
// whether a number was written as an integer, and integers beyond 2^53. Those appear as WholeFloat
// and bigint, and only where the text holds such a number (see `body.ts`).
import { floatText } from '../../format/json/index.ts'
import { QUOTED_CHARACTERS_MAX } from './limits.ts'

/**
 * A number written with a point or an exponent (or too large for 64 bits) whose value is whole:
 * `1.0`, `1e3`.
 */
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

/** Holds the members' order as sent, on objects where JavaScript would change it. */
export const ORDER = Symbol('order')
type Ordered = { readonly [ORDER]?: readonly string[] }

export const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value)

export const isJsonObject = (value: Json): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof WholeFloat)

/** The members of an object in the order in which they were sent. */
export const membersOf = (object: JsonObject): readonly string[] =>
  (object as Ordered)[ORDER] ?? Object.keys(object)

/** The kinds that messages tell apart, in the order in which they list them. */
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
 * The JSON text of a value without white space; numbers in the canonical style. Depth is bounded by
 * the reader.
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
 * The same, up to about `charactersMax` characters: a text that is longer ends with `…`, and what
 * it would have gone on with is not worked out.
 */
export function quotedText(value: Json, charactersMax = QUOTED_CHARACTERS_MAX): string {
  const out: Quote = { text: '', left: charactersMax }
  quote(value, out)
  return out.left < 0 ? `${out.text}…` : out.text
}

/** A text as a fault quotes it: at most so many characters of it. */
export const cut = (text: string, charactersMax = QUOTED_CHARACTERS_MAX): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`

/** `left` below zero: something was left out. */
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

/** Ordinary data: what `JSON.parse` would have made of the same text. */
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
