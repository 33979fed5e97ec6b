// Delayed work: many requests for it cause one run. Promises that are awaited later: their failures
// are handled.
import { afterEach, expect, it, vi } from 'vitest'
import { awaitedLater } from './awaited-later.ts'
import { later } from './later.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('work runs once for all requests of a pause, and again after it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  let runs = 0
  const request = later(100, () => runs++)
  request()
  vi.advanceTimersByTime(60)
  request()
  vi.advanceTimersByTime(39)
  expect(runs).toBe(0)
  vi.advanceTimersByTime(1)
  expect(runs).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(runs).toBe(1)
  request()
  vi.advanceTimersByTime(100)
  expect(runs).toBe(2)
})

it('work may request itself', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  let runs = 0
  const request = later(100, () => {
    if (++runs < 3) request()
  })
  request()
  vi.advanceTimersByTime(1000)
  expect(runs).toBe(3)
})

it('a failure that is awaited later is not unhandled meanwhile', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  try {
    const failing = awaitedLater(Promise.reject(new Error('later')))
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
    await expect(failing).rejects.toThrow('later')
  } finally {
    process.off('unhandledRejection', unhandled)
  }
})
