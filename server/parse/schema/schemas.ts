// Schemas of parts of a JSON body. A schema here is one of `format/schema`, which is JSON Schema
// and describes the API, together with the function that reads a value as request bodies need it:
// in the order of the body, with exact numbers, defaults and the contract's message about the first
// fault. The library provides none of these. Its check made by code generation delays the first use
// of each schema and then says only yes or no; its plain check, and libraries that read rather than
// check (valibot, zod), are slower than these readers. Tests compare the two: a reader accepts
// exactly the values that the library's check of the same schema accepts.
//
// Schemas are built once, at load time; reading a body allocates only its result.
import { headerValueProblem } from '../../../engine/index.ts'
import { compareText, encoder } from '../../../format/bytes/index.ts'
import * as json from '../../../format/schema/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type KindName,
  membersOf,
  plain,
  WholeFloat,
} from './json-value.ts'
import { FILTER_CHARACTERS_MAX, FILTER_VALUES_MAX } from './limits.ts'
import { outOf, ValidationError } from './validation-error.ts'

/** Reads a value and returns it typed. @throws ValidationError */
export type Read<T> = (value: Json) => T

/** The reader, a member of each schema. */
const READ = Symbol('read')

export type Schema<T> = json.Schema<T> & { readonly [READ]: Read<T> }

/** Returns the reader of a schema. */
export const readerOf = <T>(schema: Schema<T>): Read<T> => schema[READ]

/** Returns a schema whose values are read by `read`. It describes the JSON, not the result. */
export const readable = <T>(described: json.Schema<unknown>, read: Read<T>): Schema<T> =>
  ({ ...described, [READ]: read }) as Schema<T>

export const typeError = (found: Json, ...accepted: KindName[]): ValidationError =>
  new ValidationError({ kind: 'type', accepted, found })

/** Refuses a value of the right type; `reason` ends the sentence. */
export const invalid = (reason: string): ValidationError =>
  new ValidationError({ kind: 'invalid', reason })

export const text: Schema<string> = readable(json.text, (value) => {
  if (typeof value === 'string') return value
  throw typeError(value, 'a string')
})

const readText = readerOf(text)

/** A text that is sent in a header of a request, such as a key. */
export const headerText: Schema<string> = readable(json.text, (value) => {
  const found = readText(value)
  const problem = headerValueProblem(found)
  if (problem === null) return found
  throw invalid(`the text ${problem}`)
})

export const flag: Schema<boolean> = readable(json.flag, (value) => {
  if (typeof value === 'boolean') return value
  throw typeError(value, 'a boolean')
})

/** An unsigned 64-bit integer; beyond 2^53 it is rounded. */
export const count: Schema<number> = readable(json.count, (value) => {
  if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) return value
  if (typeof value === 'bigint' && value >= 0n) return Number(value)
  throw typeError(value, 'a positive integer')
})

const readCount = readerOf(count)

/** A count with an upper bound. */
export const countUpTo = (max: number): Schema<number> =>
  readable(json.countBetween(0, max), (value) => {
    const found = readCount(value)
    if (found <= max) return found
    throw tooLarge(found, max)
  })

export const tooLarge = (found: number, max: number): ValidationError =>
  invalid(
    `value: \`${found}\` is too large to be deserialized, maximum value authorized is \`${max}\``,
  )

/** A count that is not zero. */
export const positiveCount: Schema<number> = readable(json.countFrom(1), (value) => {
  const found = readCount(value)
  if (found > 0) return found
  throw invalid(
    'a non-zero integer value lower than `18446744073709551615` was expected, but found a zero',
  )
})

export const float: Schema<number> = readable(json.number, (value) => {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof WholeFloat) return value.value
  throw typeError(value, 'a positive integer', 'a negative integer', 'a number')
})

const readFloat = readerOf(float)

/** A float from 0 to `max`. `subject` begins the message. */
export const floatUpTo = (subject: string, max: number): Schema<number> =>
  readable(json.numberBetween(0, max), (value) => {
    const found = readFloat(value)
    if (found >= 0 && found <= max) return found
    throw invalid(`${subject} should be between \`0\` and \`${max}\`, but found \`${found}\`.`)
  })

/** A float from 0 to 1. `name` is its name in the message. */
export const ratio = (name: string): Schema<number> =>
  readable(json.ratio, (value) => {
    const found = readFloat(value)
    if (found >= 0 && found <= 1) return found
    throw invalid(ratioReason(name))
  })

export const ratioReason = (name: string): string =>
  `the value of \`${name}\` is invalid, expected a float between \`0.0\` and \`1.0\`.`

/** Any JSON, as plain data. */
export const anything: Schema<unknown> = readable(json.anything, plain)

/**
 * A search's filter, which may be any JSON: as plain data, and a large one as the bytes of its JSON
 * text, because a request is copied to a search thread and bytes are copied fast.
 */
export const searchFilter: Schema<unknown> = readable(json.anything, (value) => {
  const filter = plain(value)
  const isLarge =
    typeof filter === 'string' ? filter.length > FILTER_CHARACTERS_MAX : hasManyValues(filter)
  return isLarge ? encoder.encode(JSON.stringify(filter)) : filter
})

const hasManyValues = (filter: unknown): boolean => {
  let left = FILTER_VALUES_MAX
  const count = (value: unknown): void => {
    left--
    if (left < 0 || typeof value !== 'object' || value === null) return
    for (const inner of Object.values(value)) count(inner)
  }
  count(filter)
  return left < 0
}

/** Any JSON with its exact spelling. */
export const exactly: Schema<Json> = readable(json.anything, (value) => value)

/** One of a few words. */
export const oneOf = <W extends string>(words: readonly W[]): Schema<W> =>
  readable(json.oneOf(words), (value) => {
    const found = readText(value)
    if ((words as readonly string[]).includes(found)) return found as W
    throw new ValidationError({ kind: 'unknown value', value: found, accepted: words })
  })

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  const read = readerOf(schema)
  return readable(json.nullable(schema), (value) => (value === null ? null : read(value)))
}

export const list = <T>(schema: Schema<T>): Schema<readonly T[]> => {
  const read = readerOf(schema)
  return readable(json.list(schema), (value) => {
    if (!isJsonArray(value)) throw typeError(value, 'an array')
    // Not allocated with its length: V8 copies arrays that may have holes to a thread as objects.
    const elements: T[] = []
    let i = 0
    try {
      for (; i < value.length; i++) elements.push(read(value[i]!))
    } catch (error) {
      throw outOf(error, i, null)
    }
    return elements
  })
}

/** A list of at most `max` elements; a longer one is refused before any element is read. */
export const listUpTo = <T>(max: number, what: string, schema: Schema<T>): Schema<readonly T[]> => {
  const read = readerOf(list(schema))
  return readable(json.listUpTo(max, schema), (value) => {
    if (!isJsonArray(value) || value.length <= max) return read(value)
    throw invalid(`at most \`${max}\` ${what} are accepted, but found \`${value.length}\``)
  })
}

export const texts: Schema<readonly string[]> = list(text)

/** A list whose order and repetitions do not matter: distinct, in byte order. */
export const textSet: Schema<readonly string[]> = checked(texts, (found) =>
  [...new Set(found)].sort(compareText),
)

/** An object with any names, in byte order of the names. */
export const mapOf = <T>(schema: Schema<T>): Schema<{ readonly [name: string]: T }> => {
  const read = readerOf(schema)
  return readable(json.mapOf(schema), (value) => {
    if (!isJsonObject(value)) throw typeError(value, 'an object')
    const entries: [string, T][] = []
    let at = ''
    try {
      for (const name of membersOf(value)) {
        at = name
        entries.push([name, read(value[name]!)])
      }
    } catch (error) {
      throw outOf(error, at, null)
    }
    entries.sort(([a], [b]) => compareText(a, b))
    return Object.fromEntries(entries)
  })
}

/**
 * A schema whose result passes a further check, which may change it. @throws ValidationError from
 * `check`
 */
export function checked<A, B>(schema: Schema<A>, check: (found: A) => B): Schema<B> {
  const read = readerOf(schema)
  return readable(schema, (value) => check(read(value)))
}

export type { Json }
