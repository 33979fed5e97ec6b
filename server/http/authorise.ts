// What the server asks of whoever decides who may do what, and the parts that need no keys: the
// header, and a master key alone. The whole of it is in `server/auth`.
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors/index.ts'
import type { Caller, Route } from './route.ts'

/**
 * Lets a caller in or throws. `header` is the `Authorization` of the request, `params` the decoded
 * parts of its path. @throws ApiError, or rejects with one
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

/** For servers without keys: a master key opens everything, and nothing else opens anything. */
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

/** @throws ApiError missing_authorization_header, invalid_api_key */
export function bearerToken(header: string | undefined): string {
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

export const invalidKey = (): ApiError =>
  new ApiError('invalid_api_key', 'The provided API key is invalid.')
