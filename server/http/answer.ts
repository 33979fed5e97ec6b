// Sending an answer: headers, length, packing. Headers are a flat list that Node writes without
// looking at it twice.
import type { ServerResponse } from 'node:http'
import { ApiError } from '../errors/index.ts'
import { encodingFor, insists } from './accept-encoding.ts'
import { compress, compressParts } from './compress.ts'
import { ALLOW_ORIGIN, VARY } from './cors.ts'
import { COMPRESS_BYTES_MIN, PROBE_MS } from './limits.ts'
import type { Reply } from './route.ts'

const JSON_TYPE = 'application/json'
const NO_CONTENT = 204
const NOT_MODIFIED = 304
const UNAVAILABLE = 503
const RETRY_AFTER_S = '10'

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
  const isSmall = content.length < COMPRESS_BYTES_MIN && !insists(acceptEncoding)
  if (encoding === null || isSmall) {
    return sendContent(response, status, type, content, null, headers)
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const smaller = packed?.[encoding] ?? (await compress(bytes, encoding))
  sendContent(response, status, type, smaller, encoding, headers)
}

/** Large answers, which are not joined: a copy of 100 MB takes 50 ms and as much memory again. */
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

/** An answer without content; `headers` are name and value in turn. */
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
  response.writeHead(status, head)
}

/** The pieces end early where the client has gone. */
async function sendPieces(
  response: ServerResponse,
  { status, contentType = JSON_TYPE, headers = [], filler }: Reply,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  response.writeHead(status, [...ALLOW_ORIGIN, ...VARY, 'Content-Type', contentType, ...headers])
  // The client learns at once that it will be answered.
  response.flushHeaders()
  const source = pieces[Symbol.asyncIterator]()
  const endProbes = filler === undefined ? NO_PROBES : probeWith(response, filler)
  const gone = new Promise<null>((resolve) => {
    if (response.destroyed) resolve(null)
    else response.once('close', () => resolve(null))
  })
  try {
    for (;;) {
      const next = await Promise.race([source.next(), gone])
      if (next === null || next.done === true) break
      if (!response.write(next.value)) await Promise.race([drained(response), gone])
    }
  } finally {
    endProbes()
    // A source that still waits for its next piece is told when it comes.
    void source.return?.()
    response.end()
  }
}

const NO_PROBES = (): void => undefined

/**
 * A client that closes its half of the connection may have gone: something is written now and then,
 * which the system of one that has gone refuses. The result ends that.
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

/** A value that JSON has no text for is a mistake of ours, and told as one. */
const toJson = (body: unknown): string => {
  const text = JSON.stringify(body) as string | undefined
  if (text === undefined) throw new ApiError('internal', 'An internal error has occurred.')
  return text
}
