// Chooses the control for a value of a setting by its JSON schema, without a browser.
import type { JsonSchema } from '../parts/index.ts'

export type ValueKind =
  /** A checkbox. */
  | 'flag'
  /** A list of given words to choose from. */
  | 'choice'
  | 'number'
  | 'text'
  /** Texts, one a line. */
  | 'lines'
  /** An array of objects, in their order. */
  | 'list'
  /** An object whose members the schema names. */
  | 'members'
  /** An object with names that the user gives. */
  | 'map'
  /** Any other value, as JSON. */
  | 'json'

const typesOf = ({ type }: JsonSchema): readonly string[] =>
  typeof type === 'string' ? [type] : (type ?? [])

const isText = (schema: JsonSchema): boolean =>
  (schema.anyOf ?? [schema]).some((one) => typesOf(one).includes('string'))

export function valueKind(schema: JsonSchema, value: unknown): ValueKind {
  const type = typesOf(schema).find((name) => name !== 'null')
  const { items = {}, properties, additionalProperties } = schema
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return schema.enum === undefined ? 'text' : 'choice'
  if (type === 'array') {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : []
    // An element with a line break would become two.
    const isLine = (one: unknown): boolean => typeof one === 'string' && !/^$|[\r\n]/.test(one)
    if (isText(items) && values.every(isLine)) return 'lines'
    return typesOf(items).includes('object') ? 'list' : 'json'
  }
  if (type !== 'object') return 'json'
  if (properties !== undefined) return 'members'
  return typeof additionalProperties === 'object' ? 'map' : 'json'
}

/** Returns true if the setting may be reset by null. */
export const acceptsNull = (schema: JsonSchema): boolean => typesOf(schema).includes('null')

/**
 * Returns whether a change of the object sends only its changed members: the server keeps the others.
 * An object with required members is sent as a whole.
 */
export const isMerged = ({ required }: JsonSchema): boolean => (required ?? []).length === 0

/** Returns the elements of a text, one a line, without empty ones. */
export const linesOf = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => line !== '')
