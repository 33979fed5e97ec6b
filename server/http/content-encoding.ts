// Bodies that come packed. An encoding that is not known is passed over: the body is taken as it
// is.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  type BrotliDecompress,
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  gunzip,
  type Inflate,
  inflate,
  type ZlibOptions,
} from 'node:zlib'
import { ApiError } from '../errors/index.ts'
import type { BodyShare } from './body-account.ts'
import {
  DECODED_CHUNK_BYTES,
  DECODER_BYTES,
  UNPACK_RATIO_FROM_BYTES,
  UNPACK_RATIO_MAX,
} from './limits.ts'

export type Encoding = 'gzip' | 'deflate' | 'br'
type Decoder = BrotliDecompress | Gunzip | Inflate

const options = { chunkSize: DECODED_CHUNK_BYTES }

const DECODERS: { readonly [encoding in Encoding]: () => Decoder } = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
}

type Unpack = (
  packed: Uint8Array,
  options: ZlibOptions,
  done: (error: Error | null, body: Buffer) => void,
) => void

const WHOLE: { readonly [encoding in Encoding]: Unpack } = {
  gzip: gunzip,
  deflate: inflate,
  br: brotliDecompress,
}

/** The memory that a decoder takes: a Brotli one fills its window before it hands anything on. */
const decoderBytes = (encoding: Encoding, first: number | undefined): number =>
  DECODER_BYTES + (encoding === 'br' ? brotliWindowBytes(first) : 0)

/** The largest ceiling for a body that came packed in so many bytes. */
const unpackedBytesMax = (packedBytes: number): number =>
  Math.max(UNPACK_RATIO_FROM_BYTES, packedBytes * UNPACK_RATIO_MAX)

/** The encoding of a body, if it is one that has to be unpacked. */
export function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const name = headers['content-encoding']?.toLowerCase()
  return name !== undefined && Object.hasOwn(DECODERS, name) ? (name as Encoding) : null
}

/**
 * Unpacks a body that has arrived as a whole, so that a silent client never holds a decoder.
 * @throws ApiError, and what zlib throws
 */
export async function unpackWhole(
  encoding: Encoding,
  packed: Uint8Array,
  bytesMax: number,
  share: BodyShare,
): Promise<Uint8Array> {
  const ceiling = Math.min(bytesMax, unpackedBytesMax(packed.length))
  const held = ceiling + decoderBytes(encoding, packed[0])
  await share.hold(held)
  let kept = 0
  try {
    const body = await promisify(WHOLE[encoding])(packed, { ...options, maxOutputLength: ceiling })
    kept = body.length
    return body
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error
    throw ceiling < bytesMax ? bomb() : jsonTooLarge(bytesMax)
  } finally {
    share.giveBack(held - kept)
  }
}

/** A packed body that is unpacked as it arrives. */
export class Unpacking {
  readonly decoder: Decoder
  readonly #encoding: Encoding
  readonly #share: BodyShare
  #first: number | undefined
  #bytes = 0

  constructor(encoding: Encoding, share: BodyShare) {
    this.decoder = DECODERS[encoding]()
    this.#encoding = encoding
    this.#share = share
  }

  /** Takes the memory of a decoder. @throws ApiError too_many_request_bodies */
  static async begin(encoding: Encoding, share: BodyShare): Promise<Unpacking> {
    await share.hold(decoderBytes(encoding, undefined))
    return new Unpacking(encoding, share)
  }

  /** What comes out of the decoder; it fails when the request does. */
  of(request: IncomingMessage): Readable {
    request.on('error', (error) => this.decoder.destroy(error))
    request.once('data', (chunk: Uint8Array) => {
      this.#first = chunk[0]
    })
    return request.pipe(this.decoder)
  }

  /** How much of the packed body has been unpacked, in bytes. */
  get packedBytes(): number {
    return this.decoder.bytesWritten
  }

  /** Counts bytes that came out. @throws ApiError payload_too_large */
  count(bytes: number): void {
    // Now that the size of the window is known, what was taken beyond it is given back.
    if (this.#bytes === 0) {
      const taken = decoderBytes(this.#encoding, undefined)
      this.#share.giveBack(taken - decoderBytes(this.#encoding, this.#first))
    }
    this.#bytes += bytes
    if (this.#bytes > unpackedBytesMax(this.packedBytes)) throw bomb()
  }
}

const BROTLI_WINDOW_BYTES_MAX = 1 << 24

/** The size of the window by the first byte of a stream (RFC 7932, section 9.1). */
function brotliWindowBytes(first: number | undefined): number {
  if (first === undefined) return BROTLI_WINDOW_BYTES_MAX
  if ((first & 1) === 0) return 1 << 16
  const high = (first >> 1) & 7
  if (high !== 0) return 1 << (17 + high)
  const low = (first >> 4) & 7
  return low === 0 ? 1 << 17 : 1 << (8 + low)
}

export const jsonTooLarge = (bytesMax: number): ApiError =>
  new ApiError('payload_too_large', `JSON payload has exceeded limit (${bytesMax} bytes).`)

const bomb = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `The provided payload unpacks to more than ${UNPACK_RATIO_MAX} times its size.`,
  )

/**
 * What is wrong with a packed body, in the words of JSON routes; null: the failure is another one.
 */
export function decodingProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || !isDecoding(code)) return null
  if (code !== 'Z_DATA_ERROR' && code !== 'Z_BUF_ERROR') return 'corrupt brotli stream'
  // zlib has one code for all damage; its messages tell which.
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
