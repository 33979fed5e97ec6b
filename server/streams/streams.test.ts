// The streams of tasks and batches of a running server, and listeners that do not read.
import { EventSource } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FeedEvent, FeedFollower } from '../../engine/index.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'
import { EventStreams } from './event-streams.ts'
import { CHECK_MS, KEEP_ALIVE_MS, LISTENER_BYTES_MAX, LISTENER_STALL_MS } from './limits.ts'

const MASTER = 'a-master-key-for-tests-only'

type Item = {
  readonly uid: number
  readonly status?: string
  readonly indexUid?: string
  readonly batchUid?: number | null
  readonly details?: { readonly indexedDocuments: number | null }
  readonly progress?: object | null
  readonly finishedAt: string | null
}

let server: TestServer
let shopKey = ''

async function send(method: string, path: string, body?: unknown, key = MASTER) {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Listens like an `EventSource`: `next` returns the data of the following event, or null at the end. */
async function listen(path: string, key = MASTER) {
  const control = new AbortController()
  const answer = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: control.signal,
  })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Item | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block.startsWith('data: ')) return JSON.parse(block.slice(6)) as Item
        continue
      }
      const { value, done } = await reader.read()
      if (done) return null
      text += value
    }
  }
  /** Returns the events up to the first one that `isLast` accepts. */
  const until = async (isLast: (item: Item) => boolean): Promise<readonly Item[]> => {
    const items: Item[] = []
    for (;;) {
      const item = await next()
      if (item === null) throw new Error('the stream has ended')
      items.push(item)
      if (isLast(item)) return items
    }
  }
  return { answer, next, until, leave: () => control.abort() }
}

const add = async (index: string): Promise<number> =>
  (await send('POST', `/indexes/${index}/documents`, [{ id: 1 }])).body['taskUid'] as number

const isEnded = ({ finishedAt }: Item): boolean => finishedAt !== null

beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER })
  const rights = { actions: ['tasks.get'], indexes: ['shop*'], expiresAt: null }
  shopKey = (await send('POST', '/keys', rights)).body['key'] as string
})
afterAll(() => server.stop())

test('are refused while the feature is off, and without a key', async () => {
  for (const path of ['/tasks/stream', '/batches/stream']) {
    expect(await send('GET', path)).toMatchObject({
      status: 400,
      body: { code: 'feature_not_enabled' },
    })
    expect((await fetch(server.url + path)).status).toBe(401)
  }
})

describe('while the feature is on', () => {
  beforeAll(async () => {
    await send('PATCH', '/experimental-features', { tasksStreamingRoute: true })
  })

  test('a task comes once for each status, as its route shows it then', async () => {
    const { answer, until, leave } = await listen('/tasks/stream')
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(answer.headers.get('content-encoding')).toBeNull()
    const uid = await add('shop')
    const items = await until((item) => item.uid === uid && isEnded(item))
    const own = items.filter((item) => item.uid === uid)
    expect(own.map(({ status }) => status)).toEqual(['enqueued', 'processing', 'succeeded'])
    expect(own.map(({ batchUid }) => batchUid === null)).toEqual([true, false, false])
    expect(own.map(({ details }) => details!.indexedDocuments)).toEqual([null, null, 1])
    expect((await send('GET', `/tasks/${uid}`)).body).toEqual(own.at(-1))
    leave()
  })

  test('a batch comes when it begins and when it ends', async () => {
    const { until, leave } = await listen('/batches/stream')
    await add('shop')
    const items = await until(isEnded)
    expect(items[0]).toMatchObject({ finishedAt: null, progress: { percentage: 0 } })
    const last = items.at(-1)!
    expect(last.progress).toBeNull()
    expect((await send('GET', `/batches/${last.uid}`)).body).toEqual(last)
    leave()
  })

  test('a key for some indexes gets the tasks and batches of these', async () => {
    const tasks = await listen('/tasks/stream', shopKey)
    const batches = await listen('/batches/stream', shopKey)
    await add('other')
    const { body } = await send('POST', '/dumps')
    expect(body['status']).toBe('enqueued')
    const uid = await add('shop-2')
    const seen = await tasks.until((item) => item.uid === uid && isEnded(item))
    expect(new Set(seen.map(({ indexUid }) => indexUid))).toEqual(new Set(['shop-2']))
    const { batchUid } = seen.at(-1)!
    const seenBatches = await batches.until((item) => item.uid === batchUid && isEnded(item))
    expect(new Set(seenBatches.map((item) => item.uid))).toEqual(new Set([batchUid]))
    tasks.leave()
    batches.leave()
  })

  test('a key without the right is refused; a deleted key ends its stream', async () => {
    const rights = { actions: ['search'], indexes: ['*'], expiresAt: null }
    const { key } = (await send('POST', '/keys', rights)).body
    expect((await send('GET', '/tasks/stream', undefined, key as string)).status).toBe(403)
    const listener = await listen('/tasks/stream', shopKey)
    await fetch(`${server.url}/keys/${shopKey}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${MASTER}` },
    })
    expect(await listener.next()).toBeNull()
  })

  test('a canceled task comes too, and the end of the feature ends streams', async () => {
    const { until, next, leave } = await listen('/tasks/stream')
    const uid = await add('shop')
    const { body } = await send('POST', `/tasks/cancel?uids=${uid}`)
    await until((item) => item.uid === body['taskUid'] && isEnded(item))
    await send('PATCH', '/experimental-features', { tasksStreamingRoute: false })
    expect(await next()).toBeNull()
    leave()
  })
})

test('an EventSource gets every event as a message', async () => {
  const open = await startServer()
  await open.ask('PATCH', '/experimental-features', { tasksStreamingRoute: true })
  const source = new EventSource(`${open.url}/tasks/stream`)
  const statuses: (string | undefined)[] = []
  const ended = new Promise<void>((resolve, reject) => {
    source.onerror = () => reject(new Error('the stream failed'))
    source.onmessage = ({ data }) => {
      const item = JSON.parse(data) as Item
      statuses.push(item.status)
      if (isEnded(item)) resolve()
    }
  })
  await new Promise((resolve) => source.addEventListener('open', resolve))
  await open.ask('POST', '/indexes', { uid: 'a' })
  await ended
  expect(statuses).toEqual(['enqueued', 'processing', 'succeeded'])
  source.close()
  await open.stop()
})

describe('a listener that does not read', () => {
  const caller = {
    visible: null,
    mayCreateIndex: true,
    may: () => true,
    filterOf: null,
    isValid: () => true,
  }
  const opened = () => {
    let follower: FeedFollower | null = null
    const streams = new EventStreams({
      tasks: { follow: (next) => (follower = next) },
      show: () => 'x'.repeat(100_000),
      isOn: () => true,
      connectionsMax: 4,
    })
    const happens = (): void =>
      follower?.event({ kind: 'task', isVisible: () => true } as unknown as FeedEvent)
    const lose = (): void => follower?.lost()
    return { streams, happens, lose, isFollowed: () => follower !== null }
  }

  test('is disconnected, and others go on', async () => {
    const { streams, happens } = opened()
    const idle = streams.open('task', caller)
    const reading = streams.open('task', caller).pieces![Symbol.asyncIterator]()
    const events = Math.ceil(LISTENER_BYTES_MAX / 100_000) + 1
    for (let i = 0; i < events; i++) {
      happens()
      expect((await reading.next()).done).toBe(false)
    }
    expect(idle.disconnect!.aborted).toBe(true)
    expect((await idle.pieces![Symbol.asyncIterator]().next()).done).toBe(true)
    happens()
    expect((await reading.next()).done).toBe(false)
    streams.end()
    expect((await reading.next()).done).toBe(true)
  })

  describe('as time passes', () => {
    beforeEach(() => {
      vi.useFakeTimers({
        toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'],
      })
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    const textOf = (result: IteratorResult<Uint8Array | string, unknown>): string =>
      result.done === true ? 'end' : Buffer.from(result.value as Uint8Array).toString()

    test('a silent stream gets a comment, an event begins the time again', async () => {
      const { streams, happens } = opened()
      const reading = streams.open('task', caller).pieces![Symbol.asyncIterator]()
      const next = async (): Promise<string> => textOf(await reading.next())
      vi.advanceTimersByTime(KEEP_ALIVE_MS - CHECK_MS)
      happens()
      vi.advanceTimersByTime(0)
      expect(await next()).toMatch(/^data: /)
      let seen = ''
      const waiting = next().then((text) => (seen = text))
      vi.advanceTimersByTime(KEEP_ALIVE_MS - CHECK_MS)
      await Promise.resolve()
      expect(seen).toBe('')
      vi.advanceTimersByTime(CHECK_MS)
      await waiting
      expect(seen).toBe(':\n\n')
      streams.end()
    })

    test('a client that reads nothing is disconnected, one that lost its rights ends', async () => {
      const { streams } = opened()
      const rights = { isValid: true }
      const idle = streams.open('task', { ...caller, isValid: () => rights.isValid })
      vi.advanceTimersByTime(KEEP_ALIVE_MS + LISTENER_STALL_MS - CHECK_MS)
      expect(idle.disconnect!.aborted).toBe(false)
      vi.advanceTimersByTime(3 * CHECK_MS)
      expect(idle.disconnect!.aborted).toBe(true)
      const other = streams.open('task', { ...caller, isValid: () => rights.isValid })
      const reading = other.pieces![Symbol.asyncIterator]()
      rights.isValid = false
      vi.advanceTimersByTime(CHECK_MS)
      expect(textOf(await reading.next())).toBe('end')
      expect(other.disconnect!.aborted).toBe(false)
    })

    test('all streams end if events were lost', async () => {
      const { streams, lose } = opened()
      const reading = streams.open('task', caller).pieces![Symbol.asyncIterator]()
      lose()
      expect(textOf(await reading.next())).toBe('end')
    })
  })

  test('nothing is followed without listeners, and half of the connections stay free', async () => {
    const { streams, isFollowed } = opened()
    expect(isFollowed()).toBe(false)
    const [one, two] = [streams.open('task', caller), streams.open('batch', caller)]
    expect(isFollowed()).toBe(true)
    expect(() => streams.open('task', caller)).toThrow('2 streams are open')
    for (const { pieces } of [one, two]) await pieces![Symbol.asyncIterator]().return!()
    expect(isFollowed()).toBe(false)
    streams.open('task', caller)
    streams.end()
  })
})
