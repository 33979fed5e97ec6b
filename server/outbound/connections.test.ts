// Which calls reuse a connection, what they send, and how they end.
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import type { OutgoingRequest } from '../../engine/index.ts'
import { parseIpNetworks } from '../config/ip-networks.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import { caller, streamingCaller } from './index.ts'
import { IDLE_CONNECTIONS_MAX, SHARED_BYTES_MIN } from './limits.ts'

const servers: { close(): unknown }[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

const LOCAL = parseIpNetworks(['127.0.0.0/8'])
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A server that answers each piece of data; counts its connections. */
async function serve(
  answer: (socket: Socket, text: string) => void,
): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.on('data', (data) => answer(socket, data.toString('latin1')))
  })
  return { port: await listening(server), count: () => count }
}

const post = (port: number, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url: `http://127.0.0.1:${port}/a?b=1`,
  headers: { 'x-one': '1' },
  body: Buffer.from('{}'),
  timeoutMs: 5000,
  totalMs: 5000,
  signal: null,
  ...more,
})

const text = async (answer: Promise<{ readonly body: Uint8Array }>): Promise<string> =>
  Buffer.from((await answer).body).toString()

test('a connection is used again; the request has its length and host', async () => {
  const seen: string[] = []
  const { port, count } = await serve((socket, request) => {
    seen.push(request)
    socket.write(OK)
  })
  const send = caller(LOCAL)
  expect(await text(send(post(port)))).toBe('ok')
  expect(await text(send(post(port, { method: 'GET', body: null })))).toBe('ok')
  const host = `host: 127.0.0.1:${port}\r\nconnection: keep-alive\r\nx-one: 1\r\n`
  expect(seen).toEqual([
    `POST /a?b=1 HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`,
    `GET /a?b=1 HTTP/1.1\r\n${host}\r\n`,
  ])
  expect(count()).toBe(1)
})

test('calls at the same time have connections of their own', async () => {
  const { port, count } = await serve((socket) => setTimeout(() => socket.write(OK), 20))
  const send = caller(LOCAL)
  await Promise.all([send(post(port)), send(post(port)), send(post(port))])
  await send(post(port))
  expect(count()).toBe(3)
})

test.each([
  ['that the server closes', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'],
  ['kept for a second', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok'],
])('a connection %s is not used again', async (_, answer) => {
  const { port, count } = await serve((socket) => socket.write(answer))
  const send = caller(LOCAL)
  await send(post(port))
  expect(await text(send(post(port)))).toBe('ok')
  expect(count()).toBe(2)
})

test('bytes that no call waits for end a connection and never become an answer', async () => {
  const { port, count } = await serve((socket) => {
    socket.write(OK)
    setTimeout(() => socket.write(OK.replace(/ok$/, 'no')), 10)
  })
  const send = caller(LOCAL)
  expect(await text(send(post(port)))).toBe('ok')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await text(send(post(port)))).toBe('ok')
  expect(count()).toBe(2)
})

test('failures have the kinds of other calls', async () => {
  const silent = await serve(() => undefined)
  const cut = await serve((socket) => socket.end(OK.slice(0, -1)))
  const wrong = await serve((socket) => socket.write('no answer\r\n\r\n'))
  const large = await serve((socket) => socket.write(OK))
  const send = caller(LOCAL)
  const late = send(post(silent.port, { timeoutMs: 50, totalMs: 50 }))
  await expect(late).rejects.toMatchObject({ kind: 'unreachable', isTimeout: true })
  for (const { port } of [cut, wrong]) {
    const broken = { kind: 'unreachable', isTimeout: false }
    await expect(send(post(port))).rejects.toMatchObject(broken)
  }
  const refused = send(post(large.port, { take: () => false }))
  await expect(refused).rejects.toMatchObject({ kind: 'tooLarge' })
  expect((await send(post(large.port, { answerBytesMax: 1 }))).body.length).toBe(1)
  const stop = new AbortController()
  const stopped = send(post(silent.port, { signal: stop.signal }))
  stop.abort(new Error('the client has gone'))
  await expect(stopped).rejects.toThrow('the client has gone')
  await expect(send(post(silent.port, { signal: stop.signal }))).rejects.toThrow('gone')
  await expect(caller(null)(post(large.port))).rejects.toMatchObject({ kind: 'rejected' })
  const named = caller(LOCAL, false, (_, __, found) =>
    found(null, [{ address: '10.0.0.1', family: 4 }]),
  )
  const elsewhere = named(post(large.port, { url: `http://somewhere:${large.port}/` }))
  await expect(elsewhere).rejects.toMatchObject({ kind: 'rejected' })
})

test('long bodies arrive whole in both directions', async () => {
  const server = createHttp((request, response) => {
    response.setHeader('x-trailing', 'x')
    request.pipe(response)
  })
  const port = await listening(server)
  const body = Buffer.alloc(3_000_000, 'abcdefg')
  const limits = { body, answerBytesMax: 4_000_000 }
  const send = caller(LOCAL)
  // Chunked, into memory of its own and into shared memory.
  for (const isShared of [false, true]) {
    const answer = await send(post(port, { ...limits, isShared, take: () => true }))
    expect(body.equals(Uint8Array.from(answer.body))).toBe(true)
  }
})

test('a header that is not ASCII is sent as UTF-8', async () => {
  let head = ''
  const { port } = await serve((socket, request) => {
    head = request
    socket.write(OK)
  })
  await caller(LOCAL)(post(port, { headers: { authorization: 'Bearer käse€' } }))
  expect(Buffer.from(head, 'latin1').toString()).toContain('Bearer käse€\r\n')
})

test('a request has one header of each name, and the length of its body or chunks', async () => {
  const seen: [headers: string[], body: string][] = []
  const server = createHttp(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push([request.rawHeaders, body])
    response.end()
  })
  const url = `http://user:p%40ss@127.0.0.1:${await listening(server)}/`
  const { signal } = new AbortController()
  const transport = streamingCaller(LOCAL)
  for (const text of ['abc', '']) {
    const body = {
      bytes: text.length,
      open: async function* () {
        yield Buffer.from(text)
      },
    }
    const headers = { 'Content-Length': '99', 'X-Name': 'a', 'x-name': 'b' }
    const answer = await transport({ method: 'PUT', url, headers, body, signal })
    for await (const _ of answer.body);
  }
  const headers = {
    'transfer-encoding': 'chunked',
    Connection: 'upgrade',
    upgrade: 'x',
    expect: 'y',
  }
  await caller(LOCAL)(post(0, { url, headers }))
  const host = ['host', new URL(url).host, 'connection', 'keep-alive']
  const common = [...host, 'authorization', `Basic ${Buffer.from('user:p@ss').toString('base64')}`]
  expect(seen).toEqual([
    [[...common, 'x-name', 'b', 'content-length', '3'], 'abc'],
    [[...common, 'x-name', 'b', 'content-length', '0'], ''],
    [[...common, 'transfer-encoding', 'chunked'], '{}'],
  ])
})

test('a connection is used again after a HEAD, and so many are kept', async () => {
  let count = 0
  let bytes = ''
  const server = createHttp((_, response) => response.end('hello'))
  server.on('connection', () => count++)
  const url = `http://127.0.0.1:${await listening(server)}/`
  const transport = streamingCaller(LOCAL)
  const { signal } = new AbortController()
  for (const method of ['HEAD', 'HEAD', 'GET'] as const) {
    const answer = await transport({ method, url, headers: {}, body: null, signal })
    for await (const chunk of answer.body) bytes += Buffer.from(chunk)
  }
  expect([count, bytes]).toEqual([1, 'hello'])
  const send = caller(LOCAL)
  const calls = Array.from({ length: IDLE_CONNECTIONS_MAX + 20 }, () => send(post(0, { url })))
  await Promise.all(calls)
  await vi.waitFor(async () => {
    const open = await promisify(server.getConnections.bind(server))()
    // With the one of the transport.
    expect(open).toBe(IDLE_CONNECTIONS_MAX + 1)
  }, 20_000)
})

test.each([
  [SHARED_BYTES_MIN - 1, true, false],
  [SHARED_BYTES_MIN, true, true],
  [SHARED_BYTES_MIN, false, false],
])('an answer of %i bytes, to be shared: %s', (bytes, isShared, inSharedMemory) => {
  const buffer = new AnswerBuffer(SHARED_BYTES_MIN, isShared)
  buffer.add(new Uint8Array(bytes - 1).fill(1))
  buffer.add(Uint8Array.of(2))
  const all = buffer.bytes()
  expect([all.length, all[bytes - 2], all[bytes - 1]]).toEqual([bytes, 1, 2])
  expect(all.buffer instanceof SharedArrayBuffer).toBe(inSharedMemory)
})
