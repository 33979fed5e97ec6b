// Pauses between tries: they grow, end with their time or with a signal, and begin anew.
import { expect, it, vi } from 'vitest'
import { Backoff, type BackoffOptions } from './backoff.ts'

const slept: number[] = []
vi.mock('node:timers/promises', async (original) => {
  const { setTimeout: sleep } = await original<typeof import('node:timers/promises')>()
  return {
    setTimeout: (ms: number, value: unknown, options: { signal: AbortSignal }) => {
      slept.push(ms)
      // Pauses of tests are short; the one that a signal ends is not.
      return sleep(ms < 1000 ? 0 : ms, value, options)
    },
  }
})

let time = 0
const backoff = (options: Partial<BackoffOptions> = {}): Backoff => {
  time = 0
  return new Backoff({
    pauseMs: 10,
    pauseMsMax: 40,
    growth: 2,
    totalMsMax: 100,
    now: () => time,
    signal: new AbortController().signal,
    ...options,
  })
}

it('is over when the next try would begin too late', async () => {
  const tries = backoff()
  expect(tries.isLast).toBe(false)
  time = 90
  expect(tries.isLast).toBe(false)
  time = 91
  expect(tries.isLast).toBe(true)
  time = 85
  await tries.pause()
  expect(tries.isLast).toBe(true)
})

it('begins anew after progress', () => {
  const tries = backoff()
  time = 99
  tries.extend()
  expect(tries.isLast).toBe(false)
  time = 199
  expect(tries.isLast).toBe(true)
})

it('pauses grow up to their ceiling, and differ by half at most', async () => {
  const random = vi.spyOn(Math, 'random')
  const tries = backoff({ pauseMs: 8, pauseMsMax: 32 })
  slept.length = 0
  for (const drawn of [0, 0.75, 0.5, 0.5]) {
    random.mockReturnValueOnce(drawn)
    await tries.pause()
  }
  random.mockRestore()
  expect(slept).toEqual([4, 20, 32, 32])
})

it('a pause ends with the signal, without a failure', async () => {
  const controller = new AbortController()
  const tries = backoff({ pauseMs: 1e9, pauseMsMax: 1e9, signal: controller.signal })
  const pause = tries.pause()
  controller.abort()
  await pause
  await tries.pause()
})
