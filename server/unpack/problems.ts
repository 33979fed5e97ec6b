// The errors of compressed bodies.
import { ApiError } from '../errors/index.ts'
import { UNPACK_RATIO_FROM_BYTES, UNPACK_RATIO_MAX } from './limits.ts'

/** Returns the largest decompressed size for a body of this compressed size. */
export const unpackedBytesMax = (packedBytes: number): number =>
  Math.max(UNPACK_RATIO_FROM_BYTES, packedBytes * UNPACK_RATIO_MAX)

export const bomb = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `The provided payload decompresses to more than ${UNPACK_RATIO_MAX} times its size.`,
  )

export const jsonTooLarge = (bytesMax: number): ApiError =>
  new ApiError('payload_too_large', `JSON payload has exceeded limit (${bytesMax} bytes).`)

/** The error of a compressed body on a JSON route. */
export const jsonProblem = (problem: string): ApiError =>
  new ApiError(
    'bad_request',
    'Error that occur during reading payload: payload reached EOF before completing: ' +
      `Some(Custom { kind: InvalidInput, error: "${problem}" })`,
  )

/** Codes of zlib begin with `Z_`, those of Brotli with one or two underscores after `ERR`. */
export function isDecodingError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^(?:Z_|ERR__|ERR_BROTLI)/.test(code)
}

/** Returns such an error as JSON routes report it. */
export function decodingProblem(error: Error, encoding: string): string {
  if (encoding === 'br') return 'corrupt brotli stream'
  // zlib has a single code for all corruption; only its messages differ.
  if (error.message.includes('header')) return 'invalid gzip header'
  // A stream that ends early lacks its checksum as well.
  const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
  if (isCut || error.message.includes('check')) {
    return 'corrupt gzip stream does not have a matching checksum'
  }
  return 'corrupt deflate stream'
}
