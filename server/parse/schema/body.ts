// Converts the bytes of a request body to a typed value, or to the first fault.
//
// `scanBody` scans the bytes first: a body with too many values is refused before anything is
// allocated for it. The fast way, where it is exact, is `JSON.parse`, which is exact for almost
// every body that is sent. It is not where a number is written in a way that the value does not
// show (`1.0`, `1e3`, beyond 2^53), where a string holds half a surrogate pair, or where brackets
// are nested too deep. Such bodies, and those that are not JSON, are read by the exact reader,
// which is slower. A fault of a body that was read the fast way is reported directly, except where
// JavaScript may have changed the order of its members.
import { strictDecoder } from '../../../format/bytes/index.ts'
import { faultText, findFault } from '../../../format/json/index.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { type BodyScan, scanBody } from './body-scan.ts'
import { exactJson } from './exact-json.ts'
import type { Json } from './json-value.ts'
import { BRACKETS_MAX, VALUES_MAX } from './limits.ts'
import { withSchema } from './reader-schemas.ts'
import { readerOf, type Schema } from './schemas.ts'
import { bodyError, ValidationError } from './validation-error.ts'

/** Reads a whole body to a typed value. `schemaOf` returns its schema. @throws ApiError */
export type WholeBody<T> = (body: Uint8Array) => T

/** Returns the reader of bodies of this schema. */
export const wholeBody = <T>(schema: Schema<T>): WholeBody<T> =>
  withSchema(
    (body) => readBody(body, schema),
    () => schema,
  )

/** The same; `finish` checks or changes the value. */
export const finishedBody = <T, R>(schema: Schema<T>, finish: (found: T) => R): WholeBody<R> =>
  withSchema(
    (body) => finish(readBody(body, schema)),
    () => schema,
  )

/**
 * Reads a whole body with `schema`; `code` is for faults without a code of their own.
 * @throws ApiError
 */
export function readBody<T>(
  body: Uint8Array,
  schema: Schema<T>,
  code: ErrorCode = 'bad_request',
): T {
  const read = readerOf(schema)
  const scanned = scanOf(body)
  const quick = quickJson(body, scanned)
  if (quick !== undefined) {
    try {
      return read(quick)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      if (!scanned.hasDigitNames) throw bodyError(error, code)
      // The code below finds the first fault, in the order of the body's members.
    }
  }
  try {
    return read(exactValue(body))
  } catch (error) {
    if (error instanceof ValidationError) throw bodyError(error, code)
    throw error
  }
}

/**
 * Reads a body without loss of information. @throws ApiError missing_payload, malformed_payload,
 * payload_too_large
 */
export function exactBody(body: Uint8Array): Json {
  const scanned = scanOf(body)
  const quick = scanned.hasDigitNames ? undefined : quickJson(body, scanned)
  return quick === undefined ? exactValue(body) : quick
}

const exactValue = (body: Uint8Array): Json => {
  checkSyntax(body)
  return exactJson(strictDecoder.decode(body))
}

/** Counts the values of a body. @throws ApiError payload_too_large if a count exceeds its limit */
const scanOf = (body: Uint8Array): BodyScan => {
  const scanned = scanBody(body)
  if (scanned.brackets > BRACKETS_MAX) throw tooMany('arrays and objects', BRACKETS_MAX)
  if (scanned.values > VALUES_MAX) throw tooMany('values', VALUES_MAX)
  return scanned
}

const tooMany = (what: string, max: number): ApiError =>
  new ApiError('payload_too_large', `The json payload holds too many ${what} (limit: ${max}).`)

/** Returns the value of a body if `JSON.parse` reads it exactly, else undefined. */
const quickJson = (body: Uint8Array, { isPlain }: BodyScan): Json | undefined => {
  try {
    return isPlain ? (JSON.parse(strictDecoder.decode(body)) as Json) : undefined
  } catch (error) {
    // Not UTF-8 (TypeError) or not JSON (SyntaxError): the checking reader writes the message.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Refuses a body that is not one JSON value. @throws ApiError missing_payload, malformed_payload
 */
function checkSyntax(body: Uint8Array): void {
  if (body.length === 0) throw new ApiError('missing_payload', 'A json payload is missing.')
  const fault = findFault(body)
  if (fault !== null) throw malformed(faultText(fault))
}

/** Returns the error for a body that is not JSON; `detail` is the reason with its position. */
export const malformed = (detail: string): ApiError =>
  new ApiError('malformed_payload', `The json payload provided is malformed. \`${detail}\`.`)
