// Clients that request much and read little are cut off; others are not.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { route } from '../declare.ts'
import { raw, type TestServer, testServer } from '../test-http.ts'
import { Deliveries } from './deliveries.ts'
import { TIMEOUTS, TRACKED_ANSWER_BYTES_MIN } from './limits.ts'
import type { Route } from './route.ts'
import { Watch } from './watch.ts'

// More than the system buffers, with room for its largest buffers.
const LARGE_BYTES = 40e6
const OPEN = { permits: null, body: 'none', query: null } as const
const large: Route = route('GET', '/large', OPEN, () => ({
  status: 200,
  body: Buffer.alloc(LARGE_BYTES, 32),
}))
const small: Route = route('GET', '/small', OPEN, () => ({ status: 200, body: 'here' }))
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

let server: TestServer | null = null
let track: MockInstance<Deliveries['track']>
beforeEach(() => {
  track = vi.spyOn(Deliveries.prototype, 'track')
})
afterEach(async () => {
  track.mockRestore()
  await server?.stop()
})

/** Resolves when the server watches that many answers. */
const untilTracked = (answers: number): Promise<void> =>
  vi.waitFor(() => expect(track).toHaveBeenCalledTimes(answers), { timeout: 30_000 })

/** Resolves when the server has ended the first of them. */
async function untilFirstEnds(): Promise<void> {
  const [response] = track.mock.calls[0]!
  if (!response.closed) await once(response, 'close')
}

const timeouts = { ...TIMEOUTS, stopMs: 200, paceMs: 20, silentMs: 60 }

/** A client that requests the large answer and reads nothing until `read` is called. */
class DeafClient {
  readonly #socket: Socket
  readonly ended: Promise<number>

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.write(get('/large'))
    let bytes = 0
    this.ended = new Promise((resolve) => {
      this.#socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > LARGE_BYTES) resolve(bytes)
      })
      this.#socket.on('close', () => resolve(bytes))
    })
    // A connection that is cut may end with an error.
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.pause()
  }

  /** Returns how many bytes of the answer arrive. */
  async read(): Promise<number> {
    this.#socket.resume()
    const bytes = await this.ended
    this.#socket.destroy()
    return bytes
  }
}

describe('unread answers', () => {
  const options = { timeouts, answersBytesMax: 2.5 * LARGE_BYTES }

  test('are given up when they are too large in total, the oldest first', async () => {
    server = await testServer([large, small], options)
    const { port } = server
    const clients: DeafClient[] = []
    for (let i = 0; i < 3; i++) {
      clients.push(new DeafClient(port))
      await untilTracked(i + 1)
    }
    const [oldest, ...others] = clients
    await untilFirstEnds()
    expect(await oldest!.read()).toBeLessThan(LARGE_BYTES)
    for (const other of others) expect(await other.read()).toBeGreaterThan(LARGE_BYTES)
    expect(await raw(port, get('/small'))).toMatchObject({ body: 'here' })
  })

  test('within the limits are not ended', async () => {
    server = await testServer([large, small], options)
    const client = new DeafClient(server.port)
    await untilTracked(1)
    await sleep(10 * timeouts.paceMs)
    expect(await client.read()).toBeGreaterThan(LARGE_BYTES)
  })

  test('block further large answers above the limit, until one is read', async () => {
    server = await testServer([large, small], {
      timeouts: TIMEOUTS,
      answersBytesMax: LARGE_BYTES * 0.8,
    })
    const { port } = server
    const first = new DeafClient(port)
    await untilTracked(1)
    const refused = await fetch(`${server.url}/large`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(await refused.json()).toMatchObject({ code: 'too_many_answers', type: 'system' })
    expect(await raw(port, get('/small'))).toMatchObject({ body: 'here' })
    expect(await first.read()).toBeGreaterThan(LARGE_BYTES)
    await untilFirstEnds()
    const next = await fetch(`${server.url}/large`)
    expect((await next.arrayBuffer()).byteLength).toBe(LARGE_BYTES)
  })
})

test('large answers reserve room up to a quarter above the limit, a single one always', () => {
  const most = 16 * TRACKED_ANSWER_BYTES_MIN
  const deliveries = new Deliveries(TIMEOUTS, new Watch(1000), most)
  const taken = (bytes: number): number => {
    const before = deliveries.bytes
    deliveries.admit(bytes)
    return deliveries.bytes - before
  }
  expect(taken(TRACKED_ANSWER_BYTES_MIN - 1)).toBe(0)
  const release = deliveries.admit(2 * most)
  expect(deliveries.bytes).toBe(2 * most)
  release()
  expect(deliveries.bytes).toBe(0)
  expect(taken(most)).toBe(most)
  expect(() => taken(most / 4 + 1)).toThrow('there is no room')
  expect(taken(most / 4)).toBe(most / 4)
  expect(() => taken(TRACKED_ANSWER_BYTES_MIN)).toThrow('there is no room')
  expect(taken(TRACKED_ANSWER_BYTES_MIN - 1)).toBe(0)
})
