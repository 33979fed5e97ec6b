// Reads request bodies. Bytes are counted after decoding and refused at the limit, with any
// framing. JSON is buffered whole; documents are passed on as they arrive. Node discards the rest
// of a refused body; the answer limits how long that may take.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../../errors/index.ts'
import { isDecodingError, jsonTooLarge } from '../../unpack/index.ts'
import { Arrival } from './arrival.ts'
import type { BodyShare } from './body-account.ts'
import { ChunkList } from './chunk-list.ts'
import { encodingOf, Unpacking } from './content-encoding.ts'
import { BODY_FREE_BYTES, DOCUMENTS_BYTES, type Timeouts } from './limits.ts'
import type { BodySink, WholeBody } from './route.ts'
import { sizeInWords } from './size-in-words.ts'
import type { Watch } from './watch.ts'

/** The conditions under which a body is read. */
export type Terms = {
  /** Largest size in bytes, after decoding. */
  readonly bytesMax: number
  /** True if longer bodies get more time. */
  readonly isLong: boolean
  /** The memory that the body holds. */
  readonly share: BodyShare
  readonly watch: Watch
  readonly timeouts: Timeouts
  /** Called when no check has refused the body and reading begins. */
  readonly begin: () => void
}

/** Reads the whole body of a JSON route, still compressed. @throws ApiError */
export async function readJson(request: IncomingMessage, terms: Terms): Promise<WholeBody> {
  const { bytesMax, share } = terms
  const announced = announcedBytes(request)
  if (announced > bytesMax) {
    throw new ApiError(
      'payload_too_large',
      `JSON payload (${announced} bytes) is larger than allowed (limit: ${bytesMax} bytes).`,
    )
  }
  const chunks = new ChunkList(announced)
  const buffer = (chunk: Uint8Array): Promise<void> | undefined => {
    const before = Math.max(chunks.bytes, BODY_FREE_BYTES)
    chunks.add(chunk)
    if (chunks.bytes > bytesMax) {
      chunks.clear()
      throw jsonTooLarge(bytesMax)
    }
    return share.hold(chunks.bytes - before)
  }
  await receive(request, null, terms, buffer)
  const encoding = encodingOf(request)
  return {
    bytes: chunks.whole(),
    packing: encoding === null ? null : { encoding, bytesMax },
    hold: (bytes) => {
      share.release()
      return share.hold(bytes - BODY_FREE_BYTES)
    },
  }
}

/**
 * Passes a body to a sink, chunk by chunk. After the sink refuses it, the sink gets no more chunks,
 * but the body is read to its end: if it is broken or too large, that error comes first. @throws
 * ApiError, and errors of the sink
 */
export async function pourBody(
  request: IncomingMessage,
  terms: Terms,
  sink: BodySink,
): Promise<void> {
  const { bytesMax, share } = terms
  if (announcedBytes(request) > bytesMax) throw tooLarge(bytesMax)
  await share.hold(DOCUMENTS_BYTES)
  const encoding = encodingOf(request)
  const unpacking = encoding === null ? null : await Unpacking.begin(encoding, share)
  let bytes = 0
  let refusal: { readonly cause: unknown } | null = null
  const write = async (chunk: Uint8Array): Promise<void> => {
    if (refusal !== null) return
    try {
      await sink.write(chunk)
    } catch (cause) {
      // The sink's error is thrown below, once the body has ended.
      refusal = { cause }
    }
  }
  const take = (chunk: Uint8Array): Promise<void> => {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    unpacking?.count(chunk.length)
    return write(chunk)
  }
  await receive(request, unpacking, terms, take)
  // Assigned in a callback, which the compiler does not see.
  const refused = refusal as { readonly cause: unknown } | null
  if (refused !== null) throw refused.cause
}

/** Reads a body to its end. `unpacking` is null if the bytes are not decompressed here. */
async function receive(
  request: IncomingMessage,
  unpacking: Unpacking | null,
  terms: Terms,
  take: Take,
): Promise<void> {
  const { timeouts, share, isLong, watch, begin } = terms
  // A client that left while its body waited for room causes no further event.
  if (request.destroyed) throw incomplete(new Error('the connection was closed'))
  begin()
  let received = 0
  const arrival = new Arrival(timeouts, share, isLong, () => unpacking?.packedBytes ?? received)
  const counted: Take = (chunk) => {
    received += chunk.length
    return take(chunk)
  }
  watch.add(arrival)
  try {
    await pump(unpacking?.of(request) ?? request, counted, arrival)
    if (request.httpVersionMajor === HTTP2) await expectWhole(request)
  } catch (error) {
    if (unpacking === null) throw error
    release(request, unpacking)
    throw isDecodingError(error) ? new ApiError('bad_request', INCOMPLETE) : error
  } finally {
    watch.delete(arrival)
  }
}

/**
 * Accepts a chunk; if it returns a promise, no other chunk follows until it resolves. @throws
 * ApiError, or rejects with one
 */
type Take = (chunk: Uint8Array) => Promise<void> | undefined

/**
 * Passes all chunks of `source` to `take`. A failure is reported after a chunk in progress has
 * finished.
 */
function pump(source: Readable, take: Take, arrival: Arrival): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false
    let hasEnded = false
    let failure: { readonly error: unknown } | null = null
    const end = (): void => {
      if (isOver || arrival.isHeld) return
      isOver = true
      if (failure === null) resolve()
      else reject(failure.error)
    }
    const fail = (error: unknown): void => {
      failure ??= { error }
      end()
    }
    const resume = (): void => {
      arrival.isHeld = false
      if (failure !== null || hasEnded) end()
      source.resume()
    }
    arrival.fail = fail
    source.on('data', (chunk: Uint8Array) => {
      // The rest of a refused body is discarded.
      if (isOver || failure !== null) return
      try {
        const taken = take(chunk)
        if (taken === undefined) return
        arrival.isHeld = true
        source.pause()
        taken.catch(fail).finally(resume)
      } catch (error) {
        fail(error)
      }
    })
    source.on('end', () => {
      hasEnded = true
      end()
    })
    source.on('error', (error) => fail(isAbort(error) ? incomplete(error) : error))
  })
}

const HTTP2 = 2

/**
 * In HTTP/2 the body of a canceled request ends like a complete one; the cancellation is known one
 * turn of the event loop later. @throws ApiError
 */
async function expectWhole(request: IncomingMessage): Promise<void> {
  await nextTurn()
  if (request.aborted) throw incomplete(new Error('the stream was reset'))
}

/**
 * Returns the length that a request announces, which Node has validated; 0 if it announces none.
 */
const announcedBytes = (request: IncomingMessage): number =>
  Number(request.headers['content-length'] ?? 0)

/** Ends a decoder that is not to continue. */
function release(request: IncomingMessage, { decoder }: Unpacking): void {
  request.unpipe(decoder)
  request.resume()
  decoder.on('error', ignoreLate)
  decoder.destroy()
}

/** Ignores errors of a decoder that was ended. */
const ignoreLate = (): void => undefined

const INCOMPLETE = 'The provided payload is incomplete and cannot be parsed'

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    'payload_too_large',
    'The provided payload reached the size limit. ' +
      `The maximum accepted payload size is ${sizeInWords(bytesMax)}.`,
  )

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ECONNRESET'

const incomplete = (cause: unknown): ApiError =>
  new ApiError('bad_request', INCOMPLETE, undefined, { cause })
