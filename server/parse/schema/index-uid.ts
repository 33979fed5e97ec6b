// The rule for names of indexes.
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { cut } from './json-value.ts'

/** The limit. Messages about other faults of a name say 512, because clients expect this text. */
const INDEX_UID_BYTES_MAX = 400

// The length is checked separately: V8 would expand a bound of 400 in the expression, 2 µs for each
// name.
const INDEX_UID = /^[a-zA-Z0-9_-]+$/

export const isIndexUid = (uid: string): uid is IndexUid =>
  uid.length <= INDEX_UID_BYTES_MAX && INDEX_UID.test(uid)

/** Returns the message for a name that breaks the rule. */
export function indexUidProblem(uid: string): string {
  const bytesMax = INDEX_UID.test(uid) ? INDEX_UID_BYTES_MAX : 512
  return (
    `\`${cut(uid)}\` is not a valid index uid. Index uid can be an integer or a string containing only ` +
    'alphanumeric characters, hyphens (-) and underscores (_), and can not be more than ' +
    `${bytesMax} bytes.`
  )
}

/**
 * Refuses a name that breaks the rule; every route with an index in its path calls it. @throws
 * ApiError
 */
export function checkIndexUid(uid: string): asserts uid is IndexUid {
  if (!isIndexUid(uid)) throw new ApiError('invalid_index_uid', indexUidProblem(uid))
}
