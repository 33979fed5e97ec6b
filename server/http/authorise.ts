// The interface between the HTTP server and authorisation, and the parts that need no API keys: the
// header, and a master key alone. The full implementation is in `server/auth`.
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors/index.ts'
import type { Caller, Route } from './messages/index.ts'

/**
 * Admits a caller or throws. `header` is the `Authorization` of the request, `params` the decoded
 * parameters of its path. @throws ApiError, or rejects with one
 */
export type Authorise = (
  route: Route,
  header: string | undefined,
  params: { readonly [name: string]: string | undefined },
) => Caller | Promise<Caller>

export const EVERYTHING: Caller = {
  visible: null,
  mayCreateIndex: true,
  may: () => true,
  filterOf: null,
  isValid: () => true,
}
const SCHEME = 'Bearer '

/** Authorisation for servers without API keys: only a master key gives access, to everything. */
export function masterKeyOnly(
  masterKey: string | null,
): (route: Route, header: string | undefined) => Caller {
  const key = masterKey === null ? null : Buffer.from(masterKey)
  return (route, header) => {
    if (route.permits === null) return EVERYTHING
    if (header === undefined && key === null) return EVERYTHING
    const token = bearerToken(header)
    if (key !== null && !isSame(key, Buffer.from(token, 'latin1'))) throw invalidKey()
    return EVERYTHING
  }
}

/** Returns the token. @throws ApiError missing_authorization_header, invalid_api_key */
export function bearerToken(header: string | undefined): string {
  // HTTP strips trailing blanks of a header, so a scheme alone means an empty token.
  if (header === SCHEME.trimEnd()) throw invalidKey()
  if (header === undefined || !header.startsWith(SCHEME)) {
    throw new ApiError(
      'missing_authorization_header',
      'The Authorization header is missing. It must use the bearer authorization method.',
    )
  }
  return header.slice(SCHEME.length)
}

/** Takes the same time for a wrong key of the right length as for the right key. */
const isSame = (key: Uint8Array, token: Uint8Array): boolean =>
  key.length === token.length && timingSafeEqual(key, token)

export const invalidKey = (): ApiError =>
  new ApiError('invalid_api_key', 'The provided API key is invalid.')
