// The streams of changes of the page, with a server and a document that the test makes up.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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
