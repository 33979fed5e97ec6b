// What readers of whole bodies and of parameters accept, as JSON schemas for the description of the
// API: readers are functions, and their schemas are registered here.
import * as json from '../../format/schema/index.ts'

/** JSON Schema, 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const SCHEMAS = new WeakMap<object, () => JsonSchema>()

/** Registers the schema of a reader; it is made when it is asked for. */
export function withSchema<R extends object>(reader: R, schema: () => JsonSchema): R {
  SCHEMAS.set(reader, schema)
  return reader
}

/** The schema of a reader; one that accepts everything where none is registered. */
export const schemaOf = (reader: object): JsonSchema =>
  json.asKeywords(SCHEMAS.get(reader)?.() ?? {})
