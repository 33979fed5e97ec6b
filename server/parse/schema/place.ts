// Positions in a body, for faults that give line and column.
import { BRACE, BRACE_END, BRACKET, COMMA, decoder, NEWLINE } from '../../../format/bytes/index.ts'
import { skipSpace, skipString, skipValue } from '../../../format/json/index.ts'
import { ApiError } from '../../errors/index.ts'
import { cut, isJsonArray, isJsonObject, type Json, quotedText } from './json-value.ts'
import { MESSAGE_CHARACTERS_MAX } from './limits.ts'

/**
 * Returns line and column as the JSON reader counts them: the column is the number of bytes read of
 * the line.
 */
function placeOf(body: Uint8Array, end: number): string {
  let line = 1
  let lineStart = 0
  for (let i = 0; i < end; i++) {
    if (body[i] !== NEWLINE) continue
    line++
    lineStart = i + 1
  }
  return `line ${line} column ${end - lineStart}`
}

/** Returns the fault of a body that was read up to `end` when the problem was found. */
export const misread = (body: Uint8Array, problem: string, end: number): ApiError =>
  new ApiError(
    'bad_request',
    `Json deserialize error: ${cut(problem, MESSAGE_CHARACTERS_MAX)} at ${placeOf(body, end)}`,
  )

/**
 * Returns the position of a reader that has read the value at `path` of a well-formed body: after a
 * scalar, before a list or an object. The end of the body if there is no such value.
 */
export function readUpTo(body: Uint8Array, path: readonly string[]): number {
  let at: number | null = skipSpace(body, 0)
  for (const name of path) at = at === null ? null : memberAt(body, at, name)
  if (at === null) return body.length
  return body[at] === BRACKET || body[at] === BRACE ? at : skipValue(body, at)
}

/**
 * Returns the position where the value of a member begins, of the object at `at`, or null if it is
 * absent.
 */
function memberAt(body: Uint8Array, at: number, name: string): number | null {
  if (body[at] !== BRACE) return null
  let found: number | null = null
  let next = skipSpace(body, at + 1)
  while (next < body.length && body[next] !== BRACE_END) {
    const end = skipString(body, next)
    const key: unknown = JSON.parse(decoder.decode(body.subarray(next, end)))
    const value = skipSpace(body, skipSpace(body, end) + 1)
    if (key === name) found = value
    next = skipSpace(body, skipValue(body, value))
    if (body[next] === COMMA) next = skipSpace(body, next + 1)
  }
  return found
}

/** Returns the type of a value as faults with line and column name it. */
export function shownKind(value: Json): string {
  switch (typeof value) {
    case 'string':
      return `string ${quotedText(value)}`
    case 'boolean':
      return `boolean \`${value}\``
    case 'number':
      return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``
    case 'bigint':
      return `integer \`${value}\``
    default:
      if (value === null) return 'null'
      if (isJsonArray(value)) return 'sequence'
      return isJsonObject(value) ? 'map' : `floating point \`${value.value.toFixed(1)}\``
  }
}
