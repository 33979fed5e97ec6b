// The error for a faulty dump, with a complete message, and the checks that read its JSON. A
// failure of the world's, like a damaged file.
import {
  asBatchUid,
  asIndexUid,
  asTaskUid,
  type BatchUid,
  type IndexUid,
  type TaskUid,
} from '../../../format/ids.ts'
import {
  anyObject,
  anything,
  countBetween,
  faultOf,
  isValid,
  list,
  type Schema,
  text,
  texts,
  titled,
} from '../../../format/schema/index.ts'

export class DumpError extends Error {
  override readonly name = 'DumpError'
}

export type Members = { readonly [member: string]: unknown }

/** `place`: the file and the line of the fault. */
export const corrupted = (place: string, fault: string): never => {
  throw new DumpError(`Corrupted dump: ${place}: ${fault}.`)
}

/** Returns the value with the type of the schema. @throws DumpError */
export function readAs<T>(schema: Schema<T>, value: unknown, place: string): T {
  if (isValid(schema, value)) return value
  const { path = '', expected = 'another value' } = faultOf(schema, value) ?? {}
  return corrupted(place, `${expected} is expected${path === '' ? '' : ` at ${path}`}`)
}

const LIST = list(anything)

export const membersOf = (value: unknown, place: string): Members => readAs(anyObject, value, place)

export const listOf = (value: unknown, place: string): readonly unknown[] =>
  readAs(LIST, value, place)

export const textOf = (value: unknown, place: string): string => readAs(text, value, place)

/** Returns null if the value is absent. */
const isMissing = (value: unknown): boolean => value === undefined || value === null

export const textOrNull = (value: unknown, place: string): string | null =>
  isMissing(value) ? null : textOf(value, place)

export const indexUidOrNull = (value: unknown, place: string): IndexUid | null =>
  isMissing(value) ? null : asIndexUid(textOf(value, place))

export const textsOf = (value: unknown, place: string): readonly string[] =>
  readAs(texts, value, place)

const U32_MAX = 0xffffffff

/** An integer below 2^32 − 1. */
const UID: Schema<number> = titled(countBetween(0, U32_MAX - 1), 'a number of a task or a batch')

const uidOf = (value: unknown, place: string): number => readAs(UID, value, place)

export const taskUidOf = (value: unknown, place: string): TaskUid => asTaskUid(uidOf(value, place))
export const taskUidOrNull = (value: unknown, place: string): TaskUid | null =>
  isMissing(value) ? null : taskUidOf(value, place)

export const batchUidOf = (value: unknown, place: string): BatchUid =>
  asBatchUid(uidOf(value, place))
export const batchUidOrNull = (value: unknown, place: string): BatchUid | null =>
  isMissing(value) ? null : batchUidOf(value, place)

/** Returns an integer of 0 or more; 0 for any other value. */
export const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? Math.min(value as number, U32_MAX) : 0

/** Parses JSON. @throws DumpError */
export function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Not JSON. The message of the parser may quote the content.
    if (!(error instanceof SyntaxError)) throw error
    return corrupted(place, 'it is not JSON')
  }
}
