// Pauses end when the time is over, or earlier.
import { it } from 'vitest'
import { Pause } from './pause.ts'

it('ends by itself, or when it is ended', async () => {
  const pause = new Pause()
  pause.end()
  await pause.wait(1)
  const waiting = pause.wait(600_000, false)
  pause.end()
  await waiting
})
