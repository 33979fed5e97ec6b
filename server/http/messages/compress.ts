// Compresses answers in the thread pool, at the fastest level of each encoding. The next levels
// take much longer for little less.

import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflate,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import { KiB } from '../../../format/bytes/index.ts'
import type { Encoding } from './accept-encoding.ts'

const ZLIB: ZlibOptions = { level: 1 }
/** Chunk size of answers that are compressed in parts, which are large. */
const PACKED_CHUNK_BYTES = 256 * KiB

const brotli = (bytes: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  },
})

export function compress(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, packed: Uint8Array): void => {
      if (error === null) resolve(packed)
      else reject(error)
    }
    switch (encoding) {
      case 'br':
        return brotliCompress(bytes, brotli(bytes.length), done)
      case 'gzip':
        return gzip(bytes, ZLIB, done)
      case 'deflate':
        return deflate(bytes, ZLIB, done)
      default:
        return encoding satisfies never
    }
  })
}

/** Compresses parts in order; the result is in parts as well. */
export async function compressParts(
  parts: readonly Uint8Array[],
  bytes: number,
  encoding: Encoding,
): Promise<readonly Uint8Array[]> {
  const packer = packerOf(bytes, encoding)
  const packed: Uint8Array[] = []
  await pipeline(Readable.from(parts), packer, async (chunks) => {
    for await (const chunk of chunks) packed.push(chunk)
  })
  return packed
}

function packerOf(bytes: number, encoding: Encoding): Transform {
  switch (encoding) {
    case 'br':
      return createBrotliCompress({ ...brotli(bytes), chunkSize: PACKED_CHUNK_BYTES })
    case 'gzip':
      return createGzip({ ...ZLIB, chunkSize: PACKED_CHUNK_BYTES })
    case 'deflate':
      return createDeflate({ ...ZLIB, chunkSize: PACKED_CHUNK_BYTES })
    default:
      return encoding satisfies never
  }
}
