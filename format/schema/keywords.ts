// Schemas in the form of the API description: only keywords of JSON Schema, in one order, with null
// as one of the types if there is a type.

import { isObject } from './check.ts'

/** Keywords in the order in which they are written; all others follow. */
const ORDER = [
  'type',
  'enum',
  'items',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
]

type Keywords = { readonly [keyword: string]: unknown }

/** Returns the schema in this form, inner schemas included. */
export function asKeywords(schema: Keywords): Keywords {
  const { anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) return either(rest, (anyOf as readonly Keywords[]).map(asKeywords))
  const { properties, items, additionalProperties: more } = schema
  const inner: { [keyword: string]: unknown } = { ...schema }
  if (isObject(items)) inner['items'] = asKeywords(items)
  if (isObject(more)) inner['additionalProperties'] = asKeywords(more)
  if (isObject(properties)) inner['properties'] = eachOf(properties)
  // A map has no members of its own.
  if (isObject(more) && isObject(properties) && Object.keys(properties).length === 0) {
    delete inner['properties']
  }
  return inOrder(inner)
}

const eachOf = (properties: Keywords): Keywords =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, asKeywords(schema as Keywords)]),
  )

function either(rest: Keywords, options: readonly Keywords[]): Keywords {
  const [first, second] = options
  if (first === undefined || options.length !== 2 || second?.['type'] !== 'null') {
    return { ...rest, anyOf: options }
  }
  const { type, enum: words } = first
  if (Object.keys(first).length === 0) return rest
  if (typeof type !== 'string') return { ...rest, anyOf: options }
  const withNull = Array.isArray(words) ? { enum: [...words, null] } : {}
  return { ...rest, ...first, type: [type, 'null'], ...withNull }
}

/** Sorts the keywords; `Object.entries` drops TypeBox's symbols. */
const inOrder = (schema: Keywords): Keywords => {
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return Object.fromEntries(Object.entries(schema).sort(([a], [b]) => rank(a) - rank(b)))
}
