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
import {
  bomb,
  DECODED_CHUNK_BYTES,
  type Encoding,
  isEncoding,
  unpackedBytesMax,
} from '../unpack/index.ts'
import type { BodyShare } from './body-account.ts'
import { DECODER_BYTES } from './limits.ts'

type Decoder = BrotliDecompress | Gunzip | Inflate

const options = { chunkSize: DECODED_CHUNK_BYTES }

const DECODERS: { readonly [encoding in Encoding]: () => Decoder } = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
}

/** The memory that a decoder takes: a Brotli one fills its window before it hands anything on. */
const decoderBytes = (encoding: Encoding, first: number | undefined): number =>
  DECODER_BYTES + (encoding === 'br' ? brotliWindowBytes(first) : 0)

/** The encoding of a body, if it is one that has to be unpacked. */
export function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const name = headers['content-encoding']?.toLowerCase()
  return name !== undefined && isEncoding(name) ? name : null
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
