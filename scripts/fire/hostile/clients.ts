// Hostile clients. Some send complete requests, one after another on a connection, with bodies that
// were prepared once. Others write HTTP by hand: they stop in the middle of a body, write or read
// slowly, break the framing, pipeline, or reset streams as fast as they open them.
import { once as eventOf } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { Client as Connection } from 'undici'
import { pause } from '../parts/client.ts'

/** The key of the attacker. */
export type Role = 'search' | 'render' | 'documents' | 'admin'

export type Target = {
  readonly url: string
  /** `other` belongs to the client whose searches are timed. */
  readonly keys: Readonly<Record<Role | 'other', string>>
}

/** A status, or how a request ended without one. */
export type Outcome = number | 'cut' | 'unanswered'

export type Context = {
  readonly target: Target
  readonly key: string
  /** Number of this client among those of its attack, from 0. */
  readonly number: number
  /** Whether another request may be sent: both time and count are limited. */
  readonly goesOn: () => boolean
  /** Aborted when the attack is over: connections are closed immediately. */
  readonly signal: AbortSignal
  readonly tell: (outcome: Outcome, bytes?: number) => void
}

/** Sends on one connection, or on one after another, until `goesOn` returns false. */
export type HostileClient = (context: Context) => Promise<void>

export type Post = {
  readonly path: string
  readonly body: Uint8Array
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly encoding?: 'gzip' | 'br'
}

/** Pause between two requests of a connection: the test loads the server, not this machine. */
const PAUSE_MS = 2
const AFTER_CUT_MS = 20
const BYTE_MS = 1000
const ANSWER_MS_MAX = 10_000
const RETRY_MS = 200

export const openConnection = (url: string): Connection =>
  new Connection(url, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: false },
  })

/** Sends `posts` one after another, repeatedly; the second connection begins with the second. */
export function posting(posts: readonly Post[]): HostileClient {
  return async (context) => {
    let connection = openConnection(context.target.url)
    for (let turn = context.number; context.goesOn(); turn++) {
      const isAlive = await send(connection, posts[turn % posts.length]!, context)
      if (!isAlive) {
        await connection.destroy()
        if (context.signal.aborted) return
        await pause(AFTER_CUT_MS)
        connection = openConnection(context.target.url)
      }
      await pause(PAUSE_MS)
    }
    await connection.destroy()
  }
}

/** Returns whether the connection can be used again. */
async function send(connection: Connection, post: Post, context: Context): Promise<boolean> {
  const { path, body, method = 'POST', encoding } = post
  try {
    const answer = await connection.request({
      method,
      path,
      ...(method === 'GET' ? {} : { body }),
      signal: context.signal,
      headers: {
        authorization: `Bearer ${context.key}`,
        'content-type': 'application/json',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      },
    })
    let bytes = 0
    for await (const chunk of answer.body) bytes += (chunk as Uint8Array).length
    context.tell(answer.statusCode, bytes)
    return true
  } catch {
    // The server has closed the connection, or the attack ended during this request.
    context.tell(context.signal.aborted ? 'unanswered' : 'cut')
    return false
  }
}

/** Lets a client send one request a second. */
export const once = (client: HostileClient): HostileClient => {
  return async (context) => {
    while (context.goesOn()) {
      let isSent = false
      await client({ ...context, goesOn: () => !isSent && (isSent = true) })
      await pause(BYTE_MS)
    }
  }
}

/** Repeats an exchange on a new socket; it returns the received text, and may report outcomes. */
function onSockets(
  pauseMs: number,
  exchange: (socket: Socket, context: Context, turn: number) => Promise<string | null>,
): HostileClient {
  return async (context) => {
    const { tell, signal, goesOn, number } = context
    for (let turn = number; goesOn(); turn++) {
      const socket = await open(context)
      const text = socket === null ? '' : await exchange(socket, context, turn)
      const status = /^HTTP\/1\.1 (\d+)/.exec(text ?? '')?.[1]
      if (status !== undefined) tell(Number(status))
      else if (text !== null) tell(signal.aborted && text === '' ? 'unanswered' : 'cut')
      if (!signal.aborted) await pause(socket === null ? RETRY_MS : pauseMs)
    }
  }
}

async function open({ target, signal }: Context): Promise<Socket | null> {
  const { port, hostname } = new URL(target.url)
  const socket = connect({ port: Number(port), host: hostname })
  const end = (): void => void socket.destroy()
  signal.addEventListener('abort', end)
  socket.once('close', () => signal.removeEventListener('abort', end))
  try {
    await eventOf(socket, 'connect', { signal })
  } catch {
    // Refused, or the attack is over.
    socket.destroy()
    return null
  }
  // A connection that the server cuts is one of the outcomes.
  socket.on('error', end)
  return socket
}

const headOf = (path: string, { key }: Context, ...headers: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

const hasHead = (text: string): boolean => text.includes('\r\n\r\n')

/** Resolves with the received text when the connection ends or `isWhole` returns true. */
function answerOf(socket: Socket, msMax?: number, isWhole = hasHead): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const timer = msMax === undefined ? null : setTimeout(() => socket.destroy(), msMax)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text)) socket.destroy()
    })
    socket.once('close', () => {
      if (timer !== null) clearTimeout(timer)
      resolve(text)
    })
  })
}

/** Sends all of a packed body, announces one byte more, and stops. */
export const silent = (path: string, encoding: 'gzip' | 'br', body: Uint8Array): HostileClient =>
  onSockets(RETRY_MS, (socket, context) => {
    const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length + 1}`]
    socket.write(headOf(path, context, ...headers))
    socket.write(body)
    return answerOf(socket)
  })

/** Sends a byte per second of a body that never ends. */
export const slowWriter = (path: string): HostileClient =>
  onSockets(RETRY_MS, (socket, context) => {
    socket.write(headOf(path, context, 'Content-Length: 100000'))
    const timer = setInterval(() => socket.write('{'), BYTE_MS)
    return answerOf(socket).finally(() => clearInterval(timer))
  })

/** Requests large answers `ahead` times and reads none of them. */
export const slowReader = (path: string, body: Uint8Array, ahead: number): HostileClient =>
  onSockets(RETRY_MS, async (socket, context) => {
    // Without a listener for data, the socket fills one buffer and then stops reading.
    const head = Buffer.from(headOf(path, context, `Content-Length: ${body.length}`))
    const request = Buffer.concat([head, body])
    socket.write(Buffer.concat(Array.from({ length: ahead }, () => request)))
    await eventOf(socket, 'close')
    return ''
  })

/** Sends a handwritten request, reads its status, and repeats. */
const byHand = (texts: readonly ((context: Context) => string)[]): HostileClient =>
  onSockets(PAUSE_MS, (socket, context, turn) => {
    const answer = answerOf(socket, ANSWER_MS_MAX)
    socket.write(texts[turn % texts.length]!(context))
    return answer
  })

/** Sends many requests in one write; reports each answer. */
export const pipelined = (path: string, count: number): HostileClient =>
  onSockets(AFTER_CUT_MS, async (socket, context) => {
    const isWhole = (text: string): boolean => text.split('HTTP/1.1 ').length > count
    const answer = answerOf(socket, ANSWER_MS_MAX, isWhole)
    socket.write(`${headOf(path, context, 'Content-Length: 2')}{}`.repeat(count))
    const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)]
    for (const [, status] of statuses) context.tell(Number(status))
    if (statuses.length < count) context.tell(context.signal.aborted ? 'unanswered' : 'cut')
    return null
  })

export const twoHosts = (path: string): HostileClient =>
  byHand(
    ['Host: other.example', 'host: 127.0.0.1'].map(
      (host) => (context) => `${headOf(path, context, host, 'Content-Length: 2')}{}`,
    ),
  )

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
    BAD_CHUNKS.map(
      (chunks) => (context) => headOf(path, context, 'Transfer-Encoding: chunked') + chunks,
    ),
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
      const isOpen = (): boolean => !session.closed && !session.destroyed
      try {
        await eventOf(session, 'connect', { signal: deadline })
        while (isOpen() && context.goesOn()) {
          await resetStreams(session, path, context.key, isOpen)
          context.tell('unanswered')
        }
        if (!context.signal.aborted && !isOpen()) context.tell('cut')
      } catch {
        // Refused, too slow, or the attack is over.
        context.tell(context.signal.aborted ? 'unanswered' : 'cut')
      }
      session.destroy()
      await pause(RETRY_MS)
    }
  }
}

async function resetStreams(
  session: ReturnType<typeof connectHttp2>,
  path: string,
  key: string,
  isOpen: () => boolean,
): Promise<void> {
  const headers = { ':method': 'GET', ':path': path, authorization: `Bearer ${key}` }
  const closed: Promise<void>[] = []
  for (let i = 0; i < RESETS && isOpen(); i++) {
    const stream = session.request(headers)
    stream.on('error', () => stream.destroy())
    closed.push(new Promise((resolve) => void stream.once('close', resolve)))
    // Sends the frames first: a stream that is closed immediately is never sent.
    setImmediate(() => stream.close(constants.NGHTTP2_CANCEL))
  }
  await Promise.race([Promise.all(closed), pause(CONNECT_MS_MAX)])
}
