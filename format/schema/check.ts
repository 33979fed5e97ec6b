// Is a value what its schema says? The check is TypeBox's, which reads the schema as it goes: no
// code is generated, which would take some milliseconds a schema at first use, and a check
// allocates next to nothing. What is wrong, and where, is looked for only when a check fails.
// Checks are linear in the size of the value: no schema here holds a pattern over names.
import type { TSchema } from '@sinclair/typebox'
import { Errors, ValueErrorType } from '@sinclair/typebox/errors'
import { Check } from '@sinclair/typebox/value'
import { refuse } from '../errors.ts'
import type { Schema } from './schema.ts'

/** Whether a value is what the schema says. */
export const isValid = <T>(schema: Schema<T>, value: unknown): value is T =>
  Check(schema as TSchema, value)

/** Whether a value is an object of JSON: neither null nor a list. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is wrong with a value. */
export type SchemaFault = {
  /** Names and positions, each with a slash in front; empty for the value itself. */
  readonly path: string
  /** What was expected there: "a text". */
  readonly expected: string
  /** What is there. */
  readonly found: unknown
}

/** The first fault of a value, in the order of the schema; null: none. */
export function faultOf(schema: Schema<unknown>, value: unknown): SchemaFault | null {
  const fault = Errors(schema as TSchema, value).First()
  if (fault === undefined) return null
  const isMore = fault.type === ValueErrorType.ObjectAdditionalProperties
  const expected = isMore ? 'no member of this name' : wordsFor(fault.schema)
  return { path: fault.path, expected, found: fault.value }
}

const KINDS: { readonly [type: string]: string } = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
}

/** What a schema asks for: its title, or the kind of value and its bounds. */
function wordsFor(schema: TSchema): string {
  const { title, anyOf, enum: words, type, pattern, minimum, maximum } = schema
  if (title !== undefined) return title
  if (anyOf !== undefined) return (anyOf as readonly TSchema[]).map(wordsFor).join(' or ')
  if (words !== undefined) return `one of ${(words as readonly string[]).join(', ')}`
  const bounds = [
    ...(pattern === undefined ? [] : [`like ${pattern}`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ]
  return [KINDS[type as string] ?? 'another value', ...bounds].join(' ')
}

/** The kind of a value: what it holds may be a secret, and goes into no message. */
const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * The value as what the schema says. @throws CorruptionError of `section`, with the place of the
 * first fault
 */
export function checkedValue<T>(schema: Schema<T>, value: unknown, section: string): T {
  if (isValid(schema, value)) return value
  const fault = faultOf(schema, value)
  const place = fault === null || fault.path === '' ? '' : ` at ${fault.path}`
  const expected = `${fault?.expected ?? 'another value'}${place}`
  return refuse(section, 0, 'bad_value', expected, kindOf(fault === null ? value : fault.found))
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The value of JSON text that is what the schema says. @throws CorruptionError of `section` for
 * anything else
 */
export function decodedJson<T>(schema: Schema<T>, bytes: Uint8Array, section: string): T {
  return checkedValue(schema, parsed(bytes, section), section)
}

function parsed(bytes: Uint8Array, section: string): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    // Not UTF-8 (TypeError), or not JSON (SyntaxError).
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    return refuse(section, 0, 'bad_value', 'JSON', error.message)
  }
}
