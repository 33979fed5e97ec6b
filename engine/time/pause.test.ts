// Pauses end when the time is over, or earlier.
import { expect, it } from 'vitest'
import { Pause, sleepUnlessAborted } from './pause.ts'

it('ends by itself, or when it is ended', async () => {
  const pause = new Pause()
  pause.end()
  await pause.wait(1)
  const waiting = pause.wait(600_000, false)
  pause.end()
  await waiting
})

it('ends by itself, or with its signal', async () => {
  const controller = new AbortController()
  await sleepUnlessAborted(1, controller.signal)
  let hasEnded = false
  const sleeping = sleepUnlessAborted(600_000, controller.signal).then(() => {
    hasEnded = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasEnded).toBe(false)
  controller.abort()
  await sleeping
  await sleepUnlessAborted(600_000, controller.signal)
})
