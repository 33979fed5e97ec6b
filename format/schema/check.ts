// Checks values against schemas. TypeBox interprets the schema during the check: no code is
// generated, which would delay the first use of each schema, and a check allocates next to nothing.
// The fault and its place are computed only if a check fails. Checks are linear in the size of the
// value: no schema here has a pattern for names.

import type { TArray, TSchema } from '@sinclair/typebox'
import { Errors, ValueErrorType } from '@sinclair/typebox/errors'
import { Check } from '@sinclair/typebox/value'
import { strictDecoder } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { Schema } from './schema.ts'

/** Returns true if a value conforms to the schema. */
export const isValid = <T>(schema: Schema<T>, value: unknown): value is T =>
  conforms(schema as TSchema, value)

/**
 * Maps, lists and texts without limits are checked here, because they may have many thousand
 * members: TypeBox does much more for each.
 */
function conforms(schema: TSchema, value: unknown): boolean {
  switch (quickKindOf(schema)) {
    case 'text':
      return typeof value === 'string'
    case 'list': {
      const { items } = schema as TArray
      return Array.isArray(value) && value.every((element) => conforms(items, element))
    }
    case 'map': {
      const members = schema['additionalProperties'] as TSchema
      return isObject(value) && Object.values(value).every((member) => conforms(members, member))
    }
    default:
      return Check(schema, value)
  }
}

type QuickKind = 'text' | 'list' | 'map' | null

const quickKinds = new WeakMap<TSchema, QuickKind>()

function quickKindOf(schema: TSchema): QuickKind {
  let kind = quickKinds.get(schema)
  if (kind === undefined) quickKinds.set(schema, (kind = newQuickKind(schema)))
  return kind
}

/** Returns null for every schema with a keyword that `conforms` does not check. */
function newQuickKind(schema: TSchema): QuickKind {
  const keywords = Object.keys(schema).sort().join()
  const { type, properties, additionalProperties } = schema
  if (type === 'string' && keywords === 'type') return 'text'
  if (type === 'array' && keywords === 'items,type') return 'list'
  const isMap = isObject(additionalProperties) && Object.keys(properties ?? {}).length === 0
  const isPlain = keywords === 'additionalProperties,properties,type'
  return type === 'object' && isMap && isPlain ? 'map' : null
}

/**
 * Returns true if a JSON value has more levels of objects and lists. It may not be possible to
 * write such a value again: `JSON.stringify` overflows the stack.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    )
  }
  return false
}

/** Returns true if a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A difference between a value and its schema. */
export type SchemaFault = {
  /** Names and positions, each with a slash in front; empty for the value itself. */
  readonly path: string
  /** The expected value in words: "a text". */
  readonly expected: string
  /** The value found. */
  readonly found: unknown
}

/** Returns the first fault of a value, in the order of the schema, or null. */
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

/** Returns a schema in words: its title, or the type of value and its bounds. */
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

/** Returns the type of a value. Messages name only types, since values may be secrets. */
const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * Returns the value with the schema's type. @throws CorruptionError of `section`, with the place of
 * the first fault
 */
export function checkedValue<T>(schema: Schema<T>, value: unknown, section: string): T {
  if (isValid(schema, value)) return value
  const fault = faultOf(schema, value)
  const place = fault === null || fault.path === '' ? '' : ` at ${fault.path}`
  const expected = `${fault?.expected ?? 'another value'}${place}`
  return refuse(section, 0, 'bad_value', expected, kindOf(fault === null ? value : fault.found))
}

/**
 * Decodes JSON text and returns the value with the schema's type. @throws CorruptionError of
 * `section` for anything else
 */
export function decodedJson<T>(schema: Schema<T>, bytes: Uint8Array, section: string): T {
  return checkedValue(schema, parsed(bytes, section), section)
}

function parsed(bytes: Uint8Array, section: string): unknown {
  try {
    return JSON.parse(strictDecoder.decode(bytes))
  } catch (error) {
    // TypeError: not UTF-8. SyntaxError: not JSON.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    return refuse(section, 0, 'bad_value', 'JSON', error.message)
  }
}
