// The body of `documents/delete-batch`, the only route with special messages for faults of the
// schema: a value that is not an array is refused immediately, before the rest of the body is read.

import { BRACE, BRACKET } from '../../format/bytes/index.ts'
import { faultText, JsonScanner, kindText } from '../../format/json/index.ts'
import * as json from '../../format/schema/index.ts'
import {
  compactText,
  exactBody,
  isJsonArray,
  malformed,
  misread,
  withSchema,
} from './schema/index.ts'

/** Returns the ids: strings unchanged, other values as JSON text. @throws ApiError */
export function readDeleteBatch(body: Uint8Array): readonly string[] {
  const first = body.findIndex((byte) => byte > 0x20)
  if (first >= 0 && body[first] !== BRACKET) refuseOther(body, first)
  const ids = exactBody(body)
  // Only for the compiler: a text that begins with a bracket and is JSON is an array.
  if (!isJsonArray(ids)) return []
  return ids.map((id) => (typeof id === 'string' ? id : compactText(id)))
}

withSchema(readDeleteBatch, () => json.list(json.anything))

/** Refuses a body whose value, which begins at `first`, is not an array. */
const refuseOther = (body: Uint8Array, first: number): never => {
  const end = body[first] === BRACE ? first : firstValueEnd(body)
  const found = kindText(body, first, end)
  throw misread(body, `invalid type: ${found}, expected a sequence`, end)
}

/** Returns the end of the first value. @throws ApiError malformed_payload */
const firstValueEnd = (body: Uint8Array): number => {
  const scanner = new JsonScanner('value')
  scanner.feed(body)
  if (!scanner.next()) scanner.finish()
  if (scanner.fault !== null) throw malformed(faultText(scanner.fault))
  return scanner.documentEnd
}
