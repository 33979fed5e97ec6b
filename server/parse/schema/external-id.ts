// Ids of documents in requests: integers, or strings of a few kinds of characters.
import { type Json, quotedText } from './json-value.ts'

const EXTERNAL_ID_UNITS_MAX = 511
// The length is checked separately, because V8 would expand it in the expression; requests have up
// to hundreds of thousands of ids.
const EXTERNAL_ID = /^[a-zA-Z0-9_-]+$/

/** Returns the id as text, or null if it is not valid. */
export function externalIdOf(id: Json): string | null {
  const isInteger = typeof id === 'bigint' || (typeof id === 'number' && Number.isInteger(id))
  if (isInteger) return String(id)
  const isText = typeof id === 'string' && id.length <= EXTERNAL_ID_UNITS_MAX
  return isText && EXTERNAL_ID.test(id) ? id : null
}

export const externalIdProblem = (id: Json): string =>
  `Document identifier \`${quotedText(id)}\` is invalid. ` +
  'A document identifier can be of type integer or string, only composed of alphanumeric ' +
  'characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.'
