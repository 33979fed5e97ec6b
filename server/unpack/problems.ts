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

/**
 * Returns the problem of a compressed body, as JSON routes report it, or null for another failure.
 */
export function decodingProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || !isDecoding(code)) return null
  if (code !== 'Z_DATA_ERROR' && code !== 'Z_BUF_ERROR') return 'corrupt brotli stream'
  // zlib has a single code for all corruption; only its messages differ.
  if (error.message.includes('header')) return 'invalid gzip header'
  // A stream that ends early lacks its checksum as well.
  if (code === 'Z_BUF_ERROR' || error.message.includes('check')) {
    return 'corrupt gzip stream does not have a matching checksum'
  }
  return 'corrupt deflate stream'
}

/** Codes of zlib begin with `Z_`, those of Brotli with one or two underscores after `ERR`. */
const isDecoding = (code: string): boolean =>
  code.startsWith('Z_') || code.startsWith('ERR__') || code.startsWith('ERR_BROTLI')
