// The streams of changes of the page, with a server and a document that the test makes up.
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { settled } from '../test-dom.ts'
import { Changes, soon } from './changes.ts'

type Call = { readonly path: string; readonly signal: AbortSignal | undefined }

const page = new EventTarget() as EventTarget & { hidden: boolean }
const calls: Call[] = []
let isOn = true
let stream: ReadableStreamDefaultController<Uint8Array>

const show = (isShown: boolean): void => {
  page.hidden = !isShown
  page.dispatchEvent(new Event('visibilitychange'))
}
const send = (text: string): void => stream.enqueue(new TextEncoder().encode(text))
const turns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))
const streams = (): readonly Call[] => calls.filter(({ path }) => path === './tasks/stream')

beforeEach(() => {
  isOn = true
  calls.length = 0
  page.hidden = false
  vi.stubGlobal('document', page)
  vi.stubGlobal('fetch', async (path: string, { signal }: RequestInit) => {
    calls.push({ path, signal: signal ?? undefined })
    if (path === './experimental-features') {
      return new Response(JSON.stringify({ tasksStreamingRoute: isOn }))
    }
    const body = new ReadableStream<Uint8Array>({
      start: (control) => {
        stream = control
        signal?.addEventListener('abort', () => control.error(signal.reason))
      },
    })
    return new Response(body)
  })
})
afterEach(() => vi.unstubAllGlobals())

test('listeners get null when the stream opens, and then every change', async () => {
  const changes = new Changes('/tasks/stream')
  const heard: unknown[] = []
  const leave = changes.listen((item) => heard.push(item))
  await turns()
  expect(changes.isLive).toBe(true)
  send(':\n\ndata: {"uid":1}\n\ndata: {"u')
  await turns()
  send('id":2}\n\n')
  await turns()
  expect(heard).toEqual([null, { uid: 1 }, { uid: 2 }])
  leave()
  expect(changes.isLive).toBe(false)
  expect(streams()[0]!.signal!.aborted).toBe(true)
})

test('a hidden page holds no stream', async () => {
  const changes = new Changes('/tasks/stream')
  const leave = changes.listen(() => undefined)
  await turns()
  show(false)
  expect([changes.isLive, streams()[0]!.signal!.aborted]).toEqual([false, true])
  show(true)
  await turns()
  expect([changes.isLive, streams().length]).toEqual([true, 2])
  leave()
})

test('a server without the feature is not asked for the stream', async () => {
  isOn = false
  const changes = new Changes('/tasks/stream')
  const leave = changes.listen(() => undefined)
  await turns()
  expect([changes.isLive, streams().length]).toEqual([false, 0])
  leave()
})

test('listeners get null when a stream breaks off', async () => {
  const changes = new Changes('/tasks/stream')
  const heard: unknown[] = []
  const leave = changes.listen((item) => heard.push(item))
  await turns()
  stream.error(new TypeError('network error'))
  await turns()
  expect([changes.isLive, heard]).toEqual([false, [null, null]])
  leave()
})

test('a stream has several listeners, and ends with the last one', async () => {
  const changes = new Changes('/tasks/stream')
  const heard: unknown[] = []
  const leave = ['a', 'b'].map((name) => changes.listen((item) => heard.push([name, item])))
  await turns()
  send('data: 1\n\n')
  await turns()
  expect(heard).toEqual([
    ['a', null],
    ['b', null],
    ['a', 1],
    ['b', 1],
  ])
  leave[0]!()
  send('data: 2\n\n')
  await turns()
  expect([heard.slice(4), changes.isLive, streams().length]).toEqual([[['b', 2]], true, 1])
  leave[1]!()
  // The page that is shown again opens no stream without a listener.
  show(false)
  show(true)
  changes.reopen()
  await turns()
  expect([changes.isLive, streams()[0]!.signal!.aborted, streams().length]).toEqual([
    false,
    true,
    1,
  ])
})

test('a stream is opened again after a change of the key', async () => {
  const changes = new Changes('/tasks/stream')
  const leave = changes.listen(() => undefined)
  await turns()
  changes.reopen()
  expect([changes.isLive, streams()[0]!.signal!.aborted]).toEqual([false, true])
  await turns()
  expect([changes.isLive, streams().length]).toEqual([true, 2])
  leave()
})

test('a stream that has ended is opened again after a time, unless it is no longer wanted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const changes = new Changes('/tasks/stream')
  const heard: unknown[] = []
  let leave = changes.listen((item) => heard.push(item))
  await settled()
  stream.close()
  await settled()
  expect([changes.isLive, heard]).toEqual([false, [null, null]])
  vi.advanceTimersByTime(9999)
  await settled()
  expect(streams().length).toBe(1)
  vi.advanceTimersByTime(1)
  await settled()
  expect([changes.isLive, streams().length]).toEqual([true, 2])
  // The second one ends, and another takes its place before the time is over.
  stream.close()
  await settled()
  leave()
  leave = changes.listen(() => undefined)
  await settled()
  expect(streams().length).toBe(3)
  vi.advanceTimersByTime(10_000)
  await settled()
  expect([changes.isLive, streams().length]).toEqual([true, 3])
  leave()
})

test('calls that come together cause one', async () => {
  let count = 0
  const call = soon(() => count++, 5)
  call()
  call()
  await turns()
  call()
  await turns()
  expect(count).toBe(2)
})
