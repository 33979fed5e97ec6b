// Bodies that have arrived as a whole and are still packed: a silent client never holds a decoder.
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib'
import { DECODED_CHUNK_BYTES } from './limits.ts'
import { bomb, decodingProblem, jsonProblem, jsonTooLarge, unpackedBytesMax } from './problems.ts'

export type Encoding = 'gzip' | 'deflate' | 'br'

/** How a body is packed, and how many bytes it may have when it is not. Goes between threads. */
export type Packing = { readonly encoding: Encoding; readonly bytesMax: number }

type Unpack = (packed: Uint8Array, options: ZlibOptions) => Buffer

const DECODERS: { readonly [encoding in Encoding]: Unpack } = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

export const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/**
 * Whether the decoder gives out what it has as it goes. One of Brotli fills its window first, of up
 * to 16 MiB: 130 ms, however few bytes are asked for.
 */
export const fillsNoWindow = ({ encoding }: Packing): boolean => encoding !== 'br'

/**
 * The body; null: it has more than `most` bytes. Takes as long as that: 60 ms for 10 MB.
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
    const problem = decodingProblem(error)
    throw problem === null ? error : jsonProblem(problem)
  }
}
