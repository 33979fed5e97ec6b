// Cross-origin requests: every origin may send every request. A preflight is answered before
// routing, also for paths that do not exist.

/** Headers of every answer: names and values, alternately. */
export const ALLOW_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const
export const VARY = [
  'Vary',
  'Accept-Encoding, Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
] as const

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
] as const
const METHOD_LIST = METHODS.join(', ')
/** Seconds for which a browser may cache the answer. */
const MAX_AGE_S = '86400'

export type Preflight =
  | { readonly allowed: true; readonly headers: readonly string[] }
  | { readonly allowed: false; readonly text: string }

/** Returns the answer to a preflight for `method` with these requested headers. */
export function preflight(method: string, headers: string | undefined): Preflight {
  if (!(METHODS as readonly string[]).includes(method)) {
    return { allowed: false, text: 'Requested method is not allowed' }
  }
  const answer = ['Access-Control-Allow-Methods', METHOD_LIST, 'Access-Control-Max-Age', MAX_AGE_S]
  if (headers !== undefined) answer.push('Access-Control-Allow-Headers', headers)
  return { allowed: true, headers: answer }
}
