// Sends an answer: headers, length, compression. Headers are a flat list, which Node writes without
// checking it a second time.
import type { ServerResponse } from 'node:http'
import { ApiError } from '../../errors/index.ts'
import { acceptsOnlyOne, encodingFor } from './accept-encoding.ts'
import { compress, compressParts } from './compress.ts'
import { ALLOW_ORIGIN, VARY } from './cors.ts'
import { COMPRESS_BYTES_MIN, PROBE_MS } from './limits.ts'
import type { Reply } from './route.ts'

const JSON_TYPE = 'application/json'
const NO_CONTENT = 204
const NOT_MODIFIED = 304
const UNAVAILABLE = 503
const RETRY_AFTER_S = '10'
const LATE = 504
const RETRY_AFTER_LATE_S = '1'

/** Sends a handler's reply; resolves when it has been handed to the socket. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  acceptEncoding: string | undefined,
): Promise<void> {
  const { status, body, contentType, pieces, headers = [], packed } = reply
  if (pieces !== undefined) return sendPieces(response, reply, pieces)
  if (reply.parts !== undefined) return sendParts(response, reply, reply.parts, acceptEncoding)
  if (body === undefined) return sendEmpty(response, status, headers)
  const content = body instanceof Uint8Array || typeof body === 'string' ? body : toJson(body)
  const type = contentType ?? JSON_TYPE
  const encoding = encodingFor(acceptEncoding)
  const isSmall = content.length < COMPRESS_BYTES_MIN && !acceptsOnlyOne(acceptEncoding)
  if (encoding === null || isSmall) {
    return sendContent(response, status, type, content, null, headers)
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const smaller = packed?.[encoding] ?? (await compress(bytes, encoding))
  sendContent(response, status, type, smaller, encoding, headers)
}

/** Sends a large answer part by part: joining it would need the same memory again. */
async function sendParts(
  response: ServerResponse,
  { status, contentType = JSON_TYPE, headers = [] }: Reply,
  parts: readonly Uint8Array[],
  acceptEncoding: string | undefined,
): Promise<void> {
  const bytes = lengthOf(parts)
  const encoding = bytes < COMPRESS_BYTES_MIN ? null : encodingFor(acceptEncoding)
  const sent = encoding === null ? parts : await compressParts(parts, bytes, encoding)
  writeHead(response, status, contentType, lengthOf(sent), encoding, headers)
  for (const part of sent) response.write(part)
  response.end()
}

const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0)

export const sendError = (
  response: ServerResponse,
  error: ApiError,
  acceptEncoding: string | undefined,
): Promise<void> =>
  sendReply(response, { status: error.status, body: error.toBody() }, acceptEncoding)

/** Sends an answer without content; `headers` are names and values, alternately. */
export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
): void {
  const head: string[] = [...ALLOW_ORIGIN, ...VARY, ...headers]
  if (status !== NO_CONTENT && status !== NOT_MODIFIED) head.push('Content-Length', '0')
  response.writeHead(status, head)
  response.end()
}

export function sendContent(
  response: ServerResponse,
  status: number,
  contentType: string,
  content: Uint8Array | string,
  encoding: string | null,
  headers: readonly string[] = [],
): void {
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length
  writeHead(response, status, contentType, bytes, encoding, headers)
  response.end(content)
}

function writeHead(
  response: ServerResponse,
  status: number,
  contentType: string,
  bytes: number,
  encoding: string | null,
  headers: readonly string[],
): void {
  const head: string[] = [
    ALLOW_ORIGIN[0],
    ALLOW_ORIGIN[1],
    VARY[0],
    VARY[1],
    'Content-Type',
    contentType,
    'Content-Length',
    String(bytes),
  ]
  if (encoding !== null) head.push('Content-Encoding', encoding)
  for (const word of headers) head.push(word)
  if (status === UNAVAILABLE) head.push('Retry-After', RETRY_AFTER_S)
  if (status === LATE) head.push('Retry-After', RETRY_AFTER_LATE_S)
  response.writeHead(status, head)
}

/** Sends pieces as they come; stops early if the client has disconnected. */
async function sendPieces(
  response: ServerResponse,
  { status, contentType = JSON_TYPE, headers = [], filler, disconnect }: Reply,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  response.writeHead(status, [...ALLOW_ORIGIN, ...VARY, 'Content-Type', contentType, ...headers])
  // Headers are sent immediately, so that the client knows that an answer follows.
  response.flushHeaders()
  const source = pieces[Symbol.asyncIterator]()
  if (response.req.method === 'HEAD') {
    void source.return?.()
    response.end()
    return
  }
  const endProbes = filler === undefined ? NO_PROBES : probeWith(response, filler)
  disconnect?.addEventListener('abort', () => response.destroy(), { once: true })
  const untilGone = new Departure(response)
  try {
    for (;;) {
      const next = await untilGone.or(source.next())
      if (next === null || next.done === true) break
      if (!response.write(next.value)) await untilGone.or(drained(response))
    }
  } finally {
    endProbes()
    // A source that still waits for its next piece ends when that piece comes.
    void source.return?.()
    response.end()
  }
}

/**
 * The client's departure, to wait for it or for something else. A race with one promise that stays
 * pending would hold every loser of an answer that lasts for days.
 */
class Departure {
  #isOver: boolean
  #leave: () => void = () => undefined

  constructor(response: ServerResponse) {
    this.#isOver = response.destroyed
    response.once('close', () => {
      this.#isOver = true
      this.#leave()
    })
  }

  /** Resolves like `waited`, or to null once the client is gone. */
  or<T>(waited: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(null)
      if (this.#isOver) resolve(null)
      waited.then(resolve, reject)
    })
  }
}

const NO_PROBES = (): void => undefined

/**
 * Detects a client that has disconnected after it closed its half of the connection: writes a
 * filler at intervals, which the client's system refuses once the client is gone. Returns the
 * function that stops the probing.
 */
function probeWith(response: ServerResponse, filler: string): () => void {
  const { socket } = response
  let timer: NodeJS.Timeout | null = null
  const begin = (): void => {
    timer = setInterval(() => response.write(filler), PROBE_MS)
  }
  if (socket?.readableEnded === true) begin()
  else socket?.once('end', begin)
  return () => {
    socket?.off('end', begin)
    if (timer !== null) clearInterval(timer)
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve)
  })

/** A value without a JSON form is a defect of ours and becomes an internal error. */
const toJson = (body: unknown): string => {
  const text = JSON.stringify(body) as string | undefined
  if (text === undefined) throw new ApiError('internal', 'An internal error has occurred.')
  return text
}
