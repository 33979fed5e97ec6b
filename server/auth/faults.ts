// The messages of refusals. They reveal of a token only what its sender must have known.
import { compareText } from '../../format/bytes/index.ts'
import { ApiError } from '../errors/index.ts'

const refused = (message: string): ApiError => new ApiError('invalid_api_key', message)

/** A tenant token that cannot be read; `detail` is the reason, without a full stop. */
export const undecodable = (detail: string): ApiError =>
  refused(`Could not decode tenant token, ${detail}.`)

/** Both in seconds since 1970. */
export const tokenExpired = (end: number, now: number): ApiError =>
  refused(`Tenant token expired. Was valid up to \`${end}\` and we're now \`${now}\`.`)

export const tokenNotFor = (indexUid: string, patterns: readonly string[]): ApiError =>
  refused(
    `The provided tenant token cannot acces the index \`${indexUid}\`, ` +
      `allowed indexes are ${listed(patterns)}.`,
  )

export const parentNotFor = (indexUid: string): ApiError =>
  refused(`The API key used to generate this tenant token cannot acces the index \`${indexUid}\`.`)

export const keyNotFor = (indexUid: string, patterns: readonly string[]): ApiError =>
  refused(
    `The API key cannot acces the index \`${indexUid}\`, ` +
      `authorized indexes are ${listed(patterns)}.`,
  )

export const missingMasterKey = (): ApiError =>
  new ApiError(
    'missing_master_key',
    'Svc is running without a master key. To access this API endpoint, you must have set a ' +
      'master key at launch.',
  )

const listed = (patterns: readonly string[]): string =>
  `[${[...patterns]
    .sort(compareText)
    .map((pattern) => JSON.stringify(pattern))
    .join(', ')}]`
