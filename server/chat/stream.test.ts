// The stream of events: pulled by the client, given up when the client stalls, ended once.
import { expect, test } from 'vitest'
import { chatError } from './chat-error.ts'
import type { ChatEvent } from './conversation.ts'
import { ChatSlots } from './slots.ts'
import { eventStream } from './stream.ts'

const fault = { kind: 'fault', fault: chatError('parser_error', 'no'), isEnd: false } as const

function started(events: () => AsyncGenerator<ChatEvent, void, undefined>, stallMs?: number) {
  const control = new AbortController()
  let ends = 0
  const onEnd = (): void => {
    ends++
  }
  const more = stallMs === undefined ? {} : { stallMs }
  const stream = eventStream({ events: events(), control, onEnd, ...more })
  return { control, texts: stream[Symbol.asyncIterator](), ends: () => ends }
}

test('creates an event when it is requested, and ends once', async () => {
  let made = 0
  const { texts, ends, control } = started(async function* () {
    for (; made < 2; made++) yield fault
  })
  expect(await texts.next()).toEqual({ done: false, value: 'retry: 10000\n\n' })
  expect(made).toBe(0)
  expect((await texts.next()).value).toMatch(/^data: \{"event_id":.*"parser_error".*\}\n\n$/)
  expect((await texts.next()).value).toContain('parser_error')
  expect(await texts.next()).toEqual({ done: false, value: 'data: [DONE]\n\n' })
  expect((await texts.next()).done).toBe(true)
  await texts.return?.()
  expect([ends(), control.signal.aborted]).toEqual([1, true])
})

test('ends the source when the client disconnects, also before it has begun', async () => {
  for (const begin of [true, false]) {
    let wasEnded = false
    const { texts, ends, control } = started(async function* () {
      try {
        yield fault
      } finally {
        wasEnded = true
      }
    })
    if (begin) for (let i = 0; i < 2; i++) await texts.next()
    await texts.return?.()
    expect([ends(), control.signal.aborted, wasEnded]).toEqual([1, true, begin])
  }
})

test('gives up a client that reads nothing', async () => {
  const { texts, control } = started(async function* () {
    for (;;) yield fault
  }, 20)
  await texts.next()
  await new Promise((resolve) => control.signal.addEventListener('abort', resolve))
  expect((await texts.next()).done).toBe(true)
})

test('the number of conversations is limited', () => {
  const slots = new ChatSlots(2)
  const [first] = [slots.take(), slots.take()]
  const full = expect.objectContaining({ code: 'too_many_search_requests' })
  expect(() => slots.take()).toThrow(full)
  first!()
  first!()
  slots.take()
  expect(() => slots.take()).toThrow(full)
})
