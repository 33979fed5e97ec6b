// Bodies that come packed. An encoding that is not known is passed over: the body is taken as it
// is.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { DECODED_CHUNK_BYTES } from './limits.ts'

type Encoding = 'gzip' | 'deflate' | 'br'

const options = { chunkSize: DECODED_CHUNK_BYTES }

const DECODERS: { readonly [encoding in Encoding]: () => Transform } = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
}

/** What unpacks a body sent with this header; null: nothing has to. */
export function decoderFor(header: string | undefined): Transform | null {
  if (header === undefined) return null
  const name = header.toLowerCase()
  return Object.hasOwn(DECODERS, name) ? DECODERS[name as Encoding]() : null
}

/**
 * What is wrong with a packed body, in the words of JSON routes; null: the failure is another one.
 */
export function decodingProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || !isDecoding(code)) return null
  if (code !== 'Z_DATA_ERROR' && code !== 'Z_BUF_ERROR') return 'corrupt brotli stream'
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
