// Schemas of JSON values: plain JSON Schema, built by TypeBox, with the TypeScript type that they
// describe. Checks, readers of request bodies and the description of the API are all derived from
// them. If the type has a name, the compiler compares schema and type: `object<Remote>({...})`
// requires every member of `Remote`, with a schema of its type.
import {
  Array as arrayOf,
  Boolean as booleanType,
  Integer as integerType,
  Kind,
  Null as nullType,
  Number as numberType,
  Object as objectType,
  Optional as optionalOf,
  String as stringType,
  type TSchema,
  type TUnsafe,
  TypeRegistry,
  Tuple as tupleOf,
  Union as unionOf,
  Unknown as unknownType,
} from '@sinclair/typebox'

/** A schema, and the type of its values. */
export type Schema<T> = TUnsafe<T>

/** The members of an object, each with its schema. */
export type MemberSchemas<T> = { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> }

const schemaOf = <T>(made: TSchema): Schema<T> => made as Schema<T>

export const text: Schema<string> = schemaOf(stringType())
export const flag: Schema<boolean> = schemaOf(booleanType())
/** Any finite number. */
export const number: Schema<number> = schemaOf(numberType())
/** A whole number, 0 or more. */
export const count: Schema<number> = schemaOf(integerType({ minimum: 0 }))
/** A count that a double holds exactly. */
export const safeCount: Schema<number> = schemaOf(
  integerType({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
)
export const nothing: Schema<null> = schemaOf(nullType())
/** Any JSON. */
export const anything: Schema<unknown> = schemaOf(unknownType())

/** The name under which TypeBox finds the check of `oneOf`. */
const WORD = 'Word'
TypeRegistry.Set<{ readonly enum: readonly string[] }>(
  WORD,
  ({ enum: words }, value) => typeof value === 'string' && words.includes(value),
)

/** A whole number in [min, max]. */
export const countBetween = (min: number, max: number): Schema<number> =>
  schemaOf(integerType({ minimum: min, maximum: max }))

/** A whole number of at least `min`. */
export const countFrom = (min: number): Schema<number> => schemaOf(integerType({ minimum: min }))

/** A number in [min, max]. */
export const numberBetween = (min: number, max: number): Schema<number> =>
  schemaOf(numberType({ minimum: min, maximum: max }))

/** A number from 0 to 1. */
export const ratio: Schema<number> = numberBetween(0, 1)

/** The same schema with a name for faults: "a date". */
export const titled = <T>(schema: Schema<T>, words: string): Schema<T> => ({
  ...schema,
  title: words,
})

/** One of a few words. */
export const oneOf = <W extends string>(words: readonly W[]): Schema<W> =>
  ({ [Kind]: WORD, type: 'string', enum: words }) as unknown as Schema<W>

/** A text that matches a pattern. */
export const textLike = (pattern: RegExp): Schema<string> =>
  schemaOf(stringType({ pattern: pattern.source }))

/** The same schema for an identifier: `identifying<TaskUid>(count)`. */
export const identifying = <Id extends number | string>(
  schema: Schema<Id extends number ? number : string>,
): Schema<Id> => schema as unknown as Schema<Id>

export const nullable = <T>(schema: Schema<T>): Schema<T | null> =>
  schemaOf(unionOf([schema, nullType()]))

export const either = <T extends readonly unknown[]>(
  ...schemas: { readonly [I in keyof T]: Schema<T[I]> }
): Schema<T[number]> => schemaOf(unionOf([...schemas] as TSchema[]))

export const list = <T>(schema: Schema<T>): Schema<readonly T[]> => schemaOf(arrayOf(schema))

/** A list of at most `max` elements. */
export const listUpTo = <T>(max: number, schema: Schema<T>): Schema<readonly T[]> =>
  schemaOf(arrayOf(schema, { maxItems: max }))

export const texts: Schema<readonly string[]> = list(text)

/** A list of fixed length; each element has its own schema. */
export const entry = <T extends readonly unknown[]>(
  schemas: {
    readonly [I in keyof T]: Schema<T[I]>
  },
): Schema<T> => schemaOf(tupleOf([...schemas] as TSchema[]))

/** An object with any names, whose values have one schema. */
export const mapOf = <T>(schema: Schema<T>): Schema<{ readonly [name: string]: T }> =>
  schemaOf(objectType({}, { additionalProperties: schema as TSchema }))

/** An object with all of these members and no others. */
export const object = <T extends object>(members: MemberSchemas<T>): Schema<T> =>
  schemaOf(objectType(members as { [name: string]: TSchema }, { additionalProperties: false }))

/** The same object, but unknown members are ignored. */
export function open<T extends object>(schema: Schema<T>): Schema<T> {
  const { additionalProperties: _, ...rest } = schema as TSchema
  return rest as Schema<T>
}

/**
 * An object with these members in their order. Those in `required` must be present; other members
 * are refused.
 */
export function objectOf(
  members: { readonly [name: string]: Schema<unknown> },
  required: readonly string[],
): Schema<object> {
  const all = Object.entries(members).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : optionalOf(schema as TSchema),
  ])
  return schemaOf(objectType(Object.fromEntries(all), { additionalProperties: false }))
}

/** An object with any members. */
export const anyObject: Schema<{ readonly [name: string]: unknown }> = schemaOf(objectType({}))

type Required<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
type Rest<T> = Omit<T, keyof Required<T>>

/** An object with all of `required`, any of `optional`, and no other members. */
export const objectWith = <T extends object>(
  required: MemberSchemas<Required<T>>,
  optional: MemberSchemas<Rest<T>>,
): Schema<T> =>
  objectOf({ ...required, ...optional }, Object.keys(required)) as unknown as Schema<T>

/** An object with any of these members and no others. */
export const part = <T extends object>(members: MemberSchemas<T>): Schema<T> =>
  objectOf({ ...members }, []) as unknown as Schema<T>
