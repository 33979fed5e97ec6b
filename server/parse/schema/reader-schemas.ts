// JSON schemas of the readers of whole bodies and parameters, for the description of the API:
// readers are functions, and their schemas are registered here.
import * as json from '../../../format/schema/index.ts'

/** JSON Schema, 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const SCHEMAS = new WeakMap<object, () => JsonSchema>()

/** Registers the schema of a reader; it is built when it is read. */
export function withSchema<R extends object>(reader: R, schema: () => JsonSchema): R {
  SCHEMAS.set(reader, schema)
  return reader
}

/** Returns the schema of a reader; an unregistered reader accepts everything. */
export const schemaOf = (reader: object): JsonSchema =>
  json.asKeywords(SCHEMAS.get(reader)?.() ?? {})
