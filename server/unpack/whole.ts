// Decompresses bodies that have arrived completely, so that a slow client never holds a decoder.
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib'
import { DECODED_CHUNK_BYTES } from './limits.ts'
import {
  bomb,
  decodingProblem,
  isDecodingError,
  jsonProblem,
  jsonTooLarge,
  unpackedBytesMax,
} from './problems.ts'

export type Encoding = 'gzip' | 'deflate' | 'br'

/**
 * The compression of a body, and its limit after decompression in bytes. Can be sent to a thread.
 */
export type Packing = { readonly encoding: Encoding; readonly bytesMax: number }

type Unpack = (packed: Uint8Array, options: ZlibOptions) => Buffer

const DECODERS: { readonly [encoding in Encoding]: Unpack } = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

export const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/**
 * Returns true if the decoder outputs data as it goes. Brotli fills its window of up to 16 MiB
 * first: 130 ms, even if only a few bytes are wanted.
 */
export const fillsNoWindow = ({ encoding }: Packing): boolean => encoding !== 'br'

/**
 * Returns the body, or null if it has more than `most` bytes; then it stops there. 60 ms for 10 MB.
 * @throws ApiError
 */
export function unpack(packed: Uint8Array, packing: Packing, most: number): Uint8Array | null
export function unpack(packed: Uint8Array, packing: Packing): Uint8Array
export function unpack(
  packed: Uint8Array,
  { encoding, bytesMax }: Packing,
  most = Number.POSITIVE_INFINITY,
): Uint8Array | null {
  const ceiling = Math.min(bytesMax, unpackedBytesMax(packed.length))
  const maxOutputLength = Math.min(ceiling, most)
  try {
    return DECODERS[encoding](packed, { chunkSize: DECODED_CHUNK_BYTES, maxOutputLength })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      if (most < ceiling) return null
      throw ceiling < bytesMax ? bomb() : jsonTooLarge(bytesMax)
    }
    throw isDecodingError(error) ? jsonProblem(decodingProblem(error, encoding)) : error
  }
}
