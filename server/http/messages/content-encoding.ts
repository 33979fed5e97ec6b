// Compressed bodies.
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
import { ApiError } from '../../errors/index.ts'
import {
  bomb,
  DECODED_CHUNK_BYTES,
  type Encoding,
  isEncoding,
  unpackedBytesMax,
} from '../../unpack/index.ts'
import type { BodyShare } from './body-account.ts'
import { DECODER_BYTES } from './limits.ts'

type Decoder = BrotliDecompress | Gunzip | Inflate

const options = { chunkSize: DECODED_CHUNK_BYTES }

const DECODERS: { readonly [encoding in Encoding]: () => Decoder } = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
}

/**
 * Returns the memory that a decoder takes: a Brotli decoder fills its window before it outputs
 * anything.
 */
const decoderBytes = (encoding: Encoding, first: number | undefined): number =>
  DECODER_BYTES + (encoding === 'br' ? brotliWindowBytes(first) : 0)

/**
 * Returns the encoding of a body, or null if it needs no decompression. @throws ApiError for an
 * encoding that the server does not know, because the body would be read as text
 */
export function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const sent = headers['content-encoding']?.trim()
  const name = sent?.toLowerCase()
  if (name === undefined || name === '' || name === 'identity') return null
  if (name === 'x-gzip') return 'gzip'
  if (isEncoding(name)) return name
  throw new ApiError(
    'unsupported_media_type',
    `The Content-Encoding \`${sent}\` is not known. Known ones are \`gzip\`, \`deflate\` and \`br\`.`,
  )
}

/** A compressed body that is decompressed as it arrives. */
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

  /** Returns the output of the decoder; it fails when the request does. */
  of(request: IncomingMessage): Readable {
    request.on('error', (error) => this.decoder.destroy(error))
    request.once('data', (chunk: Uint8Array) => {
      this.#first = chunk[0]
    })
    return request.pipe(this.decoder)
  }

  /** Number of compressed bytes decoded so far. */
  get packedBytes(): number {
    return this.decoder.bytesWritten
  }

  /** Counts bytes of output. @throws ApiError payload_too_large */
  count(bytes: number): void {
    // The size of the window is now known, so the surplus is returned.
    if (this.#bytes === 0) {
      const taken = decoderBytes(this.#encoding, undefined)
      this.#share.giveBack(taken - decoderBytes(this.#encoding, this.#first))
    }
    this.#bytes += bytes
    if (this.#bytes > unpackedBytesMax(this.packedBytes)) throw bomb()
  }
}

const BROTLI_WINDOW_BYTES_MAX = 1 << 24

/** Returns the size of the window, from the first byte of a stream (RFC 7932, section 9.1). */
function brotliWindowBytes(first: number | undefined): number {
  if (first === undefined) return BROTLI_WINDOW_BYTES_MAX
  if ((first & 1) === 0) return 1 << 16
  const high = (first >> 1) & 7
  if (high !== 0) return 1 << (17 + high)
  const low = (first >> 4) & 7
  return low === 0 ? 1 << 17 : 1 << (8 + low)
}
