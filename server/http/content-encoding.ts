// Bodies that come packed. An encoding that is not known is passed over: the body is taken as it
// is.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'
import { DECODED_CHUNK_BYTES, UNPACK_RATIO_FROM_BYTES, UNPACK_RATIO_MAX } from './limits.ts'

type Encoding = 'gzip' | 'deflate' | 'br'
type Decoder = BrotliDecompress | Gunzip | Inflate

const options = { chunkSize: DECODED_CHUNK_BYTES }

const DECODERS: { readonly [encoding in Encoding]: () => Decoder } = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
}

/** A packed body while it is unpacked. */
export class Unpacking {
  readonly decoder: Decoder
  readonly #isBrotli: boolean
  #windowBytesMax = 0
  #bytes = 0

  constructor(encoding: Encoding) {
    this.decoder = DECODERS[encoding]()
    this.#isBrotli = encoding === 'br'
  }

  /** What comes out of the decoder; it fails when the request does. */
  of(request: IncomingMessage): Readable {
    request.on('error', (error) => this.decoder.destroy(error))
    if (this.#isBrotli) {
      request.once('data', (chunk: Uint8Array) => {
        this.#windowBytesMax = brotliWindowBytes(chunk[0]!)
      })
    }
    return request.pipe(this.decoder)
  }

  /** How much of the packed body has been unpacked, in bytes. */
  get packedBytes(): number {
    return this.decoder.bytesWritten
  }

  /**
   * Counts bytes that came out. By how much the decoder's memory has grown: Brotli may look back at
   * all that it has written, up to the size of its window.
   */
  count(bytes: number): number {
    const before = this.#windowBytes()
    this.#bytes += bytes
    return this.#windowBytes() - before
  }

  /** Whether more came out than the packed bytes account for in honest data. */
  get isBomb(): boolean {
    return (
      this.#bytes > UNPACK_RATIO_FROM_BYTES && this.#bytes > this.packedBytes * UNPACK_RATIO_MAX
    )
  }

  #windowBytes(): number {
    return Math.min(this.#bytes, this.#windowBytesMax)
  }
}

/** The size of the window by the first byte of a stream (RFC 7932, section 9.1). */
function brotliWindowBytes(first: number): number {
  if ((first & 1) === 0) return 1 << 16
  const high = (first >> 1) & 7
  if (high !== 0) return 1 << (17 + high)
  const low = (first >> 4) & 7
  return low === 0 ? 1 << 17 : 1 << (8 + low)
}

/** What unpacks a body sent with this header; null: nothing has to. */
export function unpackingFor({ headers }: IncomingMessage): Unpacking | null {
  const header = headers['content-encoding']
  if (header === undefined) return null
  const name = header.toLowerCase()
  return Object.hasOwn(DECODERS, name) ? new Unpacking(name as Encoding) : null
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
