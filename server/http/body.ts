// Reading bodies: counted after decoding, refused at the limit however they are framed. JSON is
// kept whole, documents are handed on as they come. What is left of a refused body is Node's to
// pass over; how long that may take is limited where the answer is sent.
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { ApiError } from '../errors/index.ts'
import { decoderFor, decodingProblem } from './content-encoding.ts'
import type { BodySink } from './route.ts'
import { sizeInWords } from './size-in-words.ts'

/**
 * The whole body of a JSON route. `begin` is called when nothing speaks against reading it.
 * @throws ApiError
 */
export async function readJson(
  request: IncomingMessage,
  bytesMax: number,
  begin: () => void,
): Promise<Uint8Array> {
  const announced = announcedBytes(request)
  if (announced > bytesMax) {
    throw new ApiError(
      'payload_too_large',
      `JSON payload (${announced} bytes) is larger than allowed (limit: ${bytesMax} bytes).`,
    )
  }
  begin()
  const decoder = decoderFor(request.headers['content-encoding'])
  const source = decoder === null ? request : decoded(request, decoder)
  try {
    const body = await collect(source, bytesMax)
    if (request.httpVersionMajor === HTTP2) await expectWhole(request)
    return body
  } catch (error) {
    if (decoder === null) throw error
    throw unpacked(request, decoder, error, jsonProblem)
  }
}

/**
 * Hands a body on, chunk by chunk; `begin` as above. A sink that refuses it is told nothing more,
 * but the body is read to its end: a broken or too large one is refused for that.
 * @throws ApiError, and what the sink throws
 */
export async function pourBody(
  request: IncomingMessage,
  bytesMax: number,
  begin: () => void,
  sink: BodySink,
): Promise<void> {
  if (announcedBytes(request) > bytesMax) throw tooLarge(bytesMax)
  begin()
  const decoder = decoderFor(request.headers['content-encoding'])
  const source = decoder === null ? request : decoded(request, decoder)
  try {
    await pourFrom(source, bytesMax, sink)
    if (request.httpVersionMajor === HTTP2) await expectWhole(request)
  } catch (error) {
    if (decoder === null) throw error
    throw unpacked(request, decoder, error, () => INCOMPLETE)
  }
}

const HTTP2 = 2

/**
 * In HTTP/2 the body of a request that is called off just ends; that it was called off is known a
 * turn of the event loop later. @throws ApiError
 */
async function expectWhole(request: IncomingMessage): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  if (request.aborted) throw incomplete(new Error('the stream was reset'))
}

async function pourFrom(source: Readable, bytesMax: number, sink: BodySink): Promise<void> {
  let bytes = 0
  let refusal: { readonly cause: unknown } | null = null
  try {
    // Destroying a request would cut the connection that has yet to bring the answer.
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Uint8Array).length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      if (refusal !== null) continue
      try {
        await sink.write(chunk as Uint8Array)
      } catch (cause) {
        // Whatever the sink found wrong is thrown below, once the body has ended.
        refusal = { cause }
      }
    }
  } catch (error) {
    throw isAbort(error) ? incomplete(error) : error
  }
  if (refusal !== null) throw refusal.cause
}

/** Most bodies are one chunk, and are returned without a copy. */
function collect(source: Readable, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] | null = null
    let first: Uint8Array | null = null
    let bytes = 0
    source.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > bytesMax) {
        first = null
        chunks = null
        reject(
          new ApiError('payload_too_large', `JSON payload has exceeded limit (${bytesMax} bytes).`),
        )
      } else if (first === null) first = chunk
      else if (chunks === null) chunks = [first, chunk]
      else chunks.push(chunk)
    })
    source.on('end', () => {
      resolve(chunks === null ? (first ?? EMPTY) : Buffer.concat(chunks, bytes))
    })
    source.on('error', (error) => {
      reject(isAbort(error) ? incomplete(error) : error)
    })
  })
}

const EMPTY = new Uint8Array(0)

/** The length a request announces, which Node has checked to be a number; 0 when there is none. */
const announcedBytes = (request: IncomingMessage): number =>
  Number(request.headers['content-length'] ?? 0)

/** What comes out of `decoder`; it fails when the request does. */
function decoded(request: IncomingMessage, decoder: Transform): Readable {
  request.on('error', (error) => decoder.destroy(error))
  return request.pipe(decoder)
}

/** Lets go of a decoder that is not to go on; the error to throw. */
function unpacked(
  request: IncomingMessage,
  decoder: Transform,
  error: unknown,
  words: (problem: string) => string,
): unknown {
  request.unpipe(decoder)
  request.resume()
  decoder.on('error', ignoreLate)
  decoder.destroy()
  const problem = decodingProblem(error)
  return problem === null ? error : new ApiError('bad_request', words(problem))
}

/** A decoder that was let go has nothing more to say. */
const ignoreLate = (): void => undefined

const INCOMPLETE = 'The provided payload is incomplete and cannot be parsed'

const jsonProblem = (problem: string): string =>
  'Error that occur during reading payload: payload reached EOF before completing: ' +
  `Some(Custom { kind: InvalidInput, error: "${problem}" })`

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
