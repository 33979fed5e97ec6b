// Pauses between attempts: they grow, end at their time limit or on a signal, and start again after
// progress.
import { expect, it, vi } from 'vitest'
import { Backoff, type BackoffOptions } from './backoff.ts'

const slept: number[] = []
const sleep = async (ms?: number): Promise<void> => void slept.push(ms!)

let time = 0
const OPTIONS: BackoffOptions = {
  pauseMs: 10,
  pauseMsMax: 40,
  growth: 2,
  totalMsMax: 100,
  now: () => time,
  signal: new AbortController().signal,
}
const backoff = (options: Partial<BackoffOptions> = {}): Backoff => {
  time = 0
  return new Backoff({ ...OPTIONS, sleep: sleep as never, ...options })
}

it('ends when the next attempt would begin too late', async () => {
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

it('starts again after progress', () => {
  const tries = backoff()
  time = 99
  tries.extend()
  expect(tries.isLast).toBe(false)
  time = 199
  expect(tries.isLast).toBe(true)
})

it('increases pauses up to their maximum and varies them by at most half', async () => {
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

it('ends a pause on the signal without an error', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const tries = new Backoff({ ...OPTIONS, pauseMs: 1e9, pauseMsMax: 1e9, signal })
  const pause = tries.pause()
  controller.abort()
  await pause
  await tries.pause()
})
