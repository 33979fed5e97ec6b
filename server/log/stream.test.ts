// Listeners to the log: the events that they get, the lines that they lose, and the form of a
// profile.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { KiB } from '../../format/bytes/index.ts'
import { Log, LogStream } from './index.ts'
import { STREAM_BYTES_MAX } from './limits.ts'
import type { LogStreamOptions } from './stream.ts'

const TIME = 1_728_394_518_564.152

function made(options: Partial<LogStreamOptions> = {}) {
  const onClosed = vi.fn(() => {
    log.stream = null
  })
  const shown: string[] = []
  const write = (line: string) => void shown.push(line)
  const log = new Log({ level: 'WARN', mode: 'human', write, now: () => TIME })
  const stream = new LogStream({
    targets: 'info',
    mode: 'human',
    profileMemory: false,
    now: () => TIME,
    onClosed,
    ...options,
  })
  log.stream = stream
  return { log, shown, stream, onClosed, pieces: stream[Symbol.asyncIterator]() }
}

test('a listener gets the events that it asked for, independent of stderr', async () => {
  const { log, shown, pieces, stream } = made({ targets: 'svc::http=debug' })
  const first = pieces.next()
  log.info('not this part')
  log.for('svc::http').debug('one')
  expect((await first).value).toBe('2024-10-08T13:35:18.564152Z DEBUG svc::http: one\n')
  log.for('svc::http').error('two')
  log.for('svc::http').trace('too talkative')
  log.for('svc::http').info('three')
  expect((await pieces.next()).value).toMatch(/two\n.*three\n$/)
  expect(shown).toHaveLength(1)
  const last = pieces.next()
  stream.end()
  expect(await last).toEqual({ value: undefined, done: true })
  expect(log.stream).toBeNull()
})

test('a listener that disconnects during silence makes room for the next', async () => {
  const { log, pieces, onClosed } = made()
  void pieces.next()
  await pieces.return!()
  expect(onClosed).toHaveBeenCalled()
  expect(log.stream).toBeNull()
  const never = made()
  await never.pieces.return!()
  expect(never.log.stream).toBeNull()
})

test('unread lines are dropped and counted', async () => {
  const { log, pieces } = made({ mode: 'json' })
  const long = 'x'.repeat(10_000)
  const count = Math.ceil((STREAM_BYTES_MAX * 1.5) / long.length)
  for (let i = 0; i < count; i++) log.info(long)
  const { value } = await pieces.next()
  expect(value.length).toBeLessThan(STREAM_BYTES_MAX + 1000)
  const lines = (value as string).trimEnd().split('\n')
  const notice = JSON.parse(lines.at(-1)!) as { level: string; fields: { lines: number } }
  expect(notice).toMatchObject({ level: 'WARN', target: 'svc::log' })
  expect(notice.fields.lines).toBe(count - (lines.length - 1))
  log.info('after')
  expect((await pieces.next()).value).toContain('"message":"after"')
})

test.each([0, 1])('a line waits if it fits: %i bytes more than the limit', async (more) => {
  const { log, pieces } = made()
  log.info('x')
  const one = (await pieces.next()).value as string
  log.info('x'.repeat(STREAM_BYTES_MAX - (one.length - 1) + more))
  log.info('y')
  const [first] = ((await pieces.next()).value as string).split('\n')
  expect(first!.length + 1).toBe(more === 0 ? STREAM_BYTES_MAX : one.length)
})

/** Splits a text of JSON objects without separators. */
function objectsOf(text: string): unknown[] {
  const objects: unknown[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{' && depth++ === 0) start = i
    if (text[i] === '}' && --depth === 0) objects.push(JSON.parse(text.slice(start, i + 1)))
  }
  return objects
}

describe('a profile', () => {
  const span = {
    name: 'outer',
    thread: 'main',
    beganAt: TIME + 1500,
    endedAt: TIME + 2500.5,
    parts: [
      { name: 'inner', thread: 'index', beganAt: TIME + 1600, endedAt: TIME + 1700, parts: [] },
    ],
  }

  test('names callsites and threads once, and records the times of spans', async () => {
    const { stream, pieces } = made({ mode: 'profile' })
    stream.span('svc::http', span)
    stream.span('svc::http', { ...span, parts: [] })
    stream.end()
    const time = (ms: number) => ({ secs: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 })
    const place = { module_path: 'svc::http', file: null, line: null, target: 'svc::http' }
    expect(objectsOf((await pieces.next()).value)).toEqual([
      { NewCallsite: { call_id: 1, name: 'outer', ...place } },
      { NewThread: { thread_id: 1, name: 'main' } },
      { NewSpan: { id: 1, call_id: 1, parent_id: null, thread_id: 1 } },
      { SpanEnter: { id: 1, time: time(1500), memory: null } },
      { NewCallsite: { call_id: 2, name: 'inner', ...place } },
      { NewThread: { thread_id: 2, name: 'index' } },
      { NewSpan: { id: 2, call_id: 2, parent_id: 1, thread_id: 2 } },
      { SpanEnter: { id: 2, time: time(1600), memory: null } },
      { SpanExit: { id: 2, time: time(1700), memory: null } },
      { SpanClose: { id: 2, time: time(1700) } },
      { SpanExit: { id: 1, time: time(2500.5), memory: null } },
      { SpanClose: { id: 1, time: time(2500.5) } },
      { NewSpan: { id: 3, call_id: 1, parent_id: null, thread_id: 1 } },
      { SpanEnter: { id: 3, time: time(1500), memory: null } },
      { SpanExit: { id: 3, time: time(2500.5), memory: null } },
      { SpanClose: { id: 3, time: time(2500.5) } },
    ])
  })

  test('is sent in portions, with memory on request', async () => {
    const { log, stream, pieces } = made({ mode: 'profile', profileMemory: true })
    const first = pieces.next()
    log.warn('an event')
    stream.span('svc::http', span)
    await sleep(1)
    for (let i = 0; i < 100; i++) stream.span('svc::http', span)
    const { value } = await first
    expect(value.length).toBeGreaterThan(8 * KiB)
    const [callsite, thread, event] = objectsOf(value)
    expect([callsite, thread, event]).toMatchObject([
      { NewCallsite: { name: 'an event', target: 'svc' } },
      { NewThread: { name: 'main' } },
      { Event: { call_id: 1, parent_id: null, memory: { resident: expect.any(Number) } } },
    ])
  })

  test('does not show other targets', () => {
    const { stream, pieces } = made({ mode: 'profile', targets: 'svc::engine' })
    stream.span('svc::http', span)
    stream.end()
    return expect(pieces.next()).resolves.toEqual({ value: undefined, done: true })
  })
})
