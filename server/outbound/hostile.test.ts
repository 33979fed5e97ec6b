// Servers that answer with anything but HTTP, without end, too slowly, or not at all.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { StoreRequest } from '../../engine/backup.ts'
import type { OutgoingRequest } from '../../engine/index.ts'
import { caller, streamingCaller } from './index.ts'
import { INTERIM_ANSWERS_MAX } from './limits.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** A server that is called with the first bytes of each request; returns its URL. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => answer(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const says = (text: string, closes = false): Promise<string> =>
  serve((socket) => {
    socket.write(text, 'latin1')
    if (closes) socket.end()
  })

const post = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 10_000,
  totalMs: 10_000,
  signal: null,
  ...more,
})

const stored = (url: string, more: Partial<StoreRequest> = {}): StoreRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: null,
  signal: new AbortController().signal,
  ...more,
})

const send = caller('any')
const text = async (answer: ReturnType<typeof send>): Promise<string> =>
  Buffer.from((await answer).body).toString('latin1')

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nRetry-After: 7\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3\r\nhel\r\n2;x="y"\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n'
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n'
const INTERIM = `${PROCESSING}HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n`

test.each([
  ['of known length', LENGTH, false],
  ['in chunks', CHUNKED, false],
  ['after interim answers', `${INTERIM}${LENGTH}`, false],
  ['after as many as may come', `${PROCESSING.repeat(INTERIM_ANSWERS_MAX)}${LENGTH}`, false],
  ['that ends with the connection', 'HTTP/1.0 200 OK\r\n\r\nhello', true],
])('an answer %s is read', async (_, answer, closes) => {
  expect(await text(send(post(await says(answer, closes))))).toBe('hello')
})

test.each([
  ['nothing like HTTP', '\u0000\u0001\u00ff'.repeat(100)],
  ['another protocol', 'SSH-2.0-x\r\n\r\n'],
  ['a status of four digits', LENGTH.replace('200', '2000')],
  ['a status below 100', LENGTH.replace('200', '099')],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['an upgrade', 'HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc'],
  ['a space before the colon', LENGTH.replace('Length:', 'Length :')],
  ['a line feed in a header', LENGTH.replace(' 7', ' 7\nx')],
  ['a carriage return in a header', LENGTH.replace(' 7', ' 7\rx')],
  ['two lengths', LENGTH.replace('Retry-After: 7', 'Content-Length: 5')],
  ['a list of lengths', LENGTH.replace(': 5', ': 5, 5')],
  ['a negative length', LENGTH.replace(': 5', ': -5')],
  ['a length of another base', LENGTH.replace(': 5', ': 0x5')],
  ['a length that no number holds', LENGTH.replace(': 5', `: ${'9'.repeat(30)}`)],
  ['a length and chunks', CHUNKED.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\n')],
  ['a chunk without a size', CHUNKED.replace('2;', ';')],
  ['a chunk with a sign', CHUNKED.replace('\r\n3\r\n', '\r\n-3\r\n')],
  [
    'a chunk of a size that no number holds',
    CHUNKED.replace('\r\n3\r\n', `\r\n${'f'.repeat(17)}\r\n`),
  ],
  ['a chunk that is longer than its size', CHUNKED.replace('hel', 'hell')],
  ['a trailer that is not a header', CHUNKED.replace('Trailer: 1', 'Trailer')],
  ['a header without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`],
  ['a name without an end', `HTTP/1.1 200 OK\r\n${'x'.repeat(20_000)}`],
  ['too many headers', LENGTH.replace('Retry', `${'Name: value\r\n'.repeat(3000)}Retry`)],
  ['too many trailers', CHUNKED.replace('Trailer: 1', 'Trailer: 1\r\n'.repeat(3000).trim())],
  ['too many interim answers', `${PROCESSING.repeat(INTERIM_ANSWERS_MAX + 1)}${LENGTH}`],
])('%s is no answer', async (_, answer) => {
  const url = await says(answer)
  const message = expect.not.stringContaining('does not match')
  const refused = { kind: 'unreachable', isTimeout: false, message }
  await expect(send(post(url))).rejects.toMatchObject(refused)
  await expect(streamingCaller('any')(stored(url)).then(({ body }) => all(body))).rejects.toThrow(
    /^error sending request: /,
  )
})

async function all(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

test('an answer that is cut at any place is a failure', async () => {
  for (const answer of [LENGTH, CHUNKED, LENGTH.replace('Retry', 'Connection: close\r\nRetry')]) {
    let at = 0
    const url = await serve((socket) => socket.end(answer.slice(0, at), 'latin1'))
    for (; at < answer.length; at += 3) {
      const cut = send(post(url))
      await expect(cut, `${at}`).rejects.toMatchObject({ kind: 'unreachable', isTimeout: false })
    }
  }
})

test('what follows an answer is never the answer to the next call', async () => {
  for (const rest of ['x', LENGTH.replace('hello', 'wrong'), `${LENGTH.replace('200', '500')}`]) {
    const url = await says(`${LENGTH}${rest}`)
    for (let i = 0; i < 3; i++) expect(await text(send(post(url)))).toBe('hello')
  }
})

test('headers named like members of an object are only headers', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'constructor']
  const headers = names.map((name) => `${name}: x\r\n`).join('')
  const url = await says(LENGTH.replace('Retry', `${headers}Retry`))
  expect(await send(post(url))).toMatchObject({ status: 200, retryAfter: '7' })
  const { headers: received } = await streamingCaller('any')(stored(url))
  expect(received['retry-after']).toBe('7')
})

test('an answer without an end is cut, or refused if there is no room', async () => {
  const url = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n')
    socket.write('x'.repeat(3_000_000))
  })
  expect((await send(post(url))).body.length).toBe(1024 * 1024)
  const limits = { answerBytesMax: 10, take: () => true }
  await expect(send(post(url, limits))).rejects.toMatchObject({ kind: 'tooLarge' })
})

test.each([
  ['head', 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'],
  ['status line', 'HTTP/1.1 200 ', 'x'],
  ['body', 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ['extension of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x'],
])('a %s that arrives drop by drop is late', async (_, first, drop) => {
  const url = await serve((socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(drop), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const late = send(post(url, { totalMs: 60 }))
  await expect(late).rejects.toMatchObject({ kind: 'unreachable', isTimeout: true })
})

test('random and damaged bytes are read or refused', async () => {
  let bytes = Buffer.alloc(0)
  const url = await serve((socket) => socket.end(bytes))
  const damaged = fc
    .tuple(fc.constantFrom(LENGTH, CHUNKED), fc.nat(), fc.integer({ min: 1, max: 255 }))
    .map(([answer, at, by]) => {
      const copy = Buffer.from(answer)
      copy[at % copy.length]! ^= by
      return copy
    })
  const random = fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one))
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, random), async (answer) => {
      bytes = answer
      const outcome = await send(post(url)).catch((error: unknown) => error)
      const isFault = outcome instanceof Error
      if (isFault) expect(outcome).toMatchObject({ kind: 'unreachable', isTimeout: false })
      else expect((outcome as { readonly body: Uint8Array }).body.length).toBeLessThan(300)
    }),
    { numRuns: 200 },
  )
})

test('a connection that does not open is given up after its time, or with the call', async () => {
  const never = caller('any', false, () => undefined)
  const slow = never(post('http://silent.test/', { connectMs: 20 }))
  await expect(slow).rejects.toMatchObject({
    kind: 'unreachable',
    isTimeout: false,
    message: 'error sending request: connecting took too long',
  })
  const late = never(post('http://silent.test/', { totalMs: 20 }))
  await expect(late).rejects.toMatchObject({ kind: 'unreachable', isTimeout: true })
  const stop = new AbortController()
  const stopped = never(post('http://silent.test/', { signal: stop.signal }))
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
})

test('the reader of a stream learns that it was cut, also one that begins late', async () => {
  const url = await says('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', true)
  const { body } = await streamingCaller('any')(stored(url))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await expect(all(body)).rejects.toMatchObject({ name: 'TransportFault', mayRetry: true })
})

test('a stream that its reader leaves closes its connection', async () => {
  let closed: () => void
  const close = new Promise<void>((resolve) => {
    closed = resolve
  })
  const url = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello')
    socket.on('close', () => closed())
  })
  const { body } = await streamingCaller('any')(stored(url))
  for await (const chunk of body) {
    expect(Buffer.from(chunk).toString()).toBe('hello')
    break
  }
  await close
})

test('a body is read no faster than it is sent, and not to its end once the call has', async () => {
  const url = await serve((socket) => socket.pause())
  const stop = new AbortController()
  let read = 0
  let wasLeft = false
  const open = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (; read < 1000; read++) yield Buffer.alloc(1_000_000)
    } finally {
      wasLeft = true
    }
  }
  const body = { bytes: 1_000_000_000, open }
  const call = streamingCaller('any')(stored(url, { method: 'PUT', body, signal: stop.signal }))
  await vi.waitFor(() => expect(read).toBeGreaterThan(0))
  await new Promise((resolve) => setTimeout(resolve, 50))
  stop.abort(new Error('stopped'))
  await expect(call).rejects.toThrow('stopped')
  await vi.waitFor(() => expect(wasLeft).toBe(true))
  expect(read).toBeLessThan(100)
})

test('an error of a body is the error of its call', async () => {
  const url = await serve(() => undefined)
  const wrong = new Error('the file is gone')
  const open = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(5)
    throw wrong
  }
  const call = streamingCaller('any')(stored(url, { method: 'PUT', body: { bytes: 10, open } }))
  await expect(call).rejects.toBe(wrong)
})
