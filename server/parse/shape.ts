// What readers accept, as JSON schema for the description of the API: readers are functions, and
// their schemas are registered here.

/** JSON Schema, 2020-12. */
export type Shape = { readonly [keyword: string]: unknown }

const SHAPES = new WeakMap<object, () => Shape>()

/** Registers the schema of a reader; it is made when it is asked for. */
export function shaped<R extends object>(reader: R, shape: () => Shape): R {
  SHAPES.set(reader, shape)
  return reader
}

/** The schema of a reader; one that accepts everything where none is registered. */
export const shapeOf = (reader: object): Shape => SHAPES.get(reader)?.() ?? {}

/** The same, or null. */
export function orNull(shape: Shape): Shape {
  const { type, enum: words } = shape
  if (typeof type !== 'string') return Object.keys(shape).length === 0 ? {} : nullOr(shape)
  const more = Array.isArray(words) ? { enum: [...words, null] } : {}
  return { ...shape, type: [type, 'null'], ...more }
}

const nullOr = (shape: Shape): Shape => ({ anyOf: [shape, { type: 'null' }] })
