// Packing of answers, in the thread pool, at the fastest level of each kind. Measured (one of 2
// shared cores, Node 20): 3 KB of hits take Brotli 23 µs and gzip 49 µs, 437 KB take 1.8 and 3.6
// ms, both to a quarter; the next levels take twice as long for 6 to 12 % less.
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  deflate,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import type { Encoding } from './accept-encoding.ts'

const ZLIB: ZlibOptions = { level: 1 }

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
