// Schemas of JSON values: plain JSON Schema, made by TypeBox, with the TypeScript type that they
// describe. Checks, readers of request bodies and the description of the API all start from them.
// Where the type has a name of its own, the compiler holds schema and type together:
// `object<Remote>({...})` asks for every member of `Remote`, with a schema of its type.
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

/** What a value must be, and as which type it is then seen. */
export type Schema<T> = TUnsafe<T>

/** The type of the values of a schema. */
export type TypeOf<S extends TSchema> = S['static']

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

/** A whole number within bounds. */
export const countBetween = (min: number, max: number): Schema<number> =>
  schemaOf(integerType({ minimum: min, maximum: max }))

/** A whole number from a bound. */
export const countFrom = (min: number): Schema<number> => schemaOf(integerType({ minimum: min }))

/** A number from 0 to 1. */
export const ratio: Schema<number> = schemaOf(numberType({ minimum: 0, maximum: 1 }))

/** The same schema; `words` is how faults call what it asks for: "a date". */
export const titled = <T>(schema: Schema<T>, words: string): Schema<T> => ({
  ...schema,
  title: words,
})

/** One of a few words. */
export const oneOf = <W extends string>(words: readonly W[]): Schema<W> =>
  ({ [Kind]: WORD, type: 'string', enum: words }) as unknown as Schema<W>

/** A text that matches. */
export const textLike = (pattern: RegExp): Schema<string> =>
  schemaOf(stringType({ pattern: pattern.source }))

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

/** A list of so many elements, each with a schema of its own. */
export const entry = <T extends readonly unknown[]>(
  schemas: {
    readonly [I in keyof T]: Schema<T[I]>
  },
): Schema<T> => schemaOf(tupleOf([...schemas] as TSchema[]))

/** An object with any names. */
export const mapOf = <T>(schema: Schema<T>): Schema<{ readonly [name: string]: T }> =>
  schemaOf(objectType({}, { additionalProperties: schema as TSchema }))

/** All of these members and no others. */
export const object = <T extends object>(members: MemberSchemas<T>): Schema<T> =>
  schemaOf(objectType(members as { [name: string]: TSchema }, { additionalProperties: false }))

/** The same object, in which members that are not known are passed over. */
export function open<T extends object>(schema: Schema<T>): Schema<T> {
  const { additionalProperties: _, ...rest } = schema as TSchema
  return rest as Schema<T>
}

/** These members in their order, of which those named have to be there; no others. */
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

/** An object of any members. */
export const anyObject: Schema<{ readonly [name: string]: unknown }> = schemaOf(objectType({}))

type Required<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
type Rest<T> = Omit<T, keyof Required<T>>

/** These members, those of `optional` or not, and no others. */
export const objectWith = <T extends object>(
  required: MemberSchemas<Required<T>>,
  optional: MemberSchemas<Rest<T>>,
): Schema<T> =>
  objectOf({ ...required, ...optional }, Object.keys(required)) as unknown as Schema<T>

/** Some of these members and no others. */
export const part = <T extends object>(members: MemberSchemas<T>): Schema<T> =>
  objectOf({ ...members }, []) as unknown as Schema<T>
