// Who may do what. For now a master key opens everything and nothing else opens anything; keys and
// tokens come in here, in this one place, when they exist.
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors/index.ts'
import type { Caller, Route } from './route.ts'

/** Lets a caller in or throws. `header` is the `Authorization` of the request. @throws ApiError */
export type Authorise = (route: Route, header: string | undefined) => Caller

const EVERYTHING: Caller = { visible: null, mayCreateIndex: true }
const SCHEME = 'Bearer '

/** Without a master key all is open; a header is still looked at, as clients may rely on that. */
export function masterKeyOnly(masterKey: string | null): Authorise {
  const key = masterKey === null ? null : Buffer.from(masterKey)
  return (route, header) => {
    if (route.permits === null) return EVERYTHING
    if (header === undefined && key === null) return EVERYTHING
    const token = tokenOf(header)
    if (key !== null && !isSame(key, Buffer.from(token, 'latin1'))) throw invalidKey()
    return EVERYTHING
  }
}

/** @throws ApiError missing_authorization_header, invalid_api_key */
function tokenOf(header: string | undefined): string {
  // Trailing blanks are not part of a header: a scheme alone is one with an empty token.
  if (header === SCHEME.trimEnd()) throw invalidKey()
  if (header === undefined || !header.startsWith(SCHEME)) {
    throw new ApiError(
      'missing_authorization_header',
      'The Authorization header is missing. It must use the bearer authorization method.',
    )
  }
  return header.slice(SCHEME.length)
}

/** Takes as long for a wrong key of the right length as for the right one. */
const isSame = (key: Uint8Array, token: Uint8Array): boolean =>
  key.length === token.length && timingSafeEqual(key, token)

const invalidKey = (): ApiError =>
  new ApiError('invalid_api_key', 'The provided API key is invalid.')
