// When a search has to stop: canceled, or late; and which callbacks are called.

import { expect, it } from 'vitest'
import { Canceled } from '../../model/index.ts'
import { SearchControl, type TimeUp } from './control.ts'
import { WHOLE_MS_MIN } from './limits.ts'

it('reports lateness when time is up, and throws when canceled', () => {
  let [late, canceled] = [0, false]
  const watch = Object.assign(() => canceled, { late: () => void late++ })
  const early = new SearchControl(60_000, watch)
  expect([early.isLate(), late]).toEqual([false, 0])
  const over = new SearchControl(0, watch)
  expect([over.isLate(), late]).toEqual([true, 1])
  canceled = true
  expect(() => over.isLate()).toThrow(Canceled)
  expect(late).toBe(1)
  // A caller that only cancels does not need the callback for lateness.
  expect(new SearchControl(0, () => false).isLate()).toBe(true)
})

class TimeIsUp extends Error {
  constructor({ ms, isPreempted }: TimeUp) {
    super(`${ms} ${isPreempted}`)
  }
}
const timeUp = (time: TimeUp): Error => new TimeIsUp(time)

it('ends a step that cannot stop halfway when its time is up, not before', () => {
  let now = 1000
  const control = new SearchControl(
    1500,
    () => false,
    () => now,
  )
  now = 2499
  expect(control.isLate()).toBe(false)
  expect(() => control.requireTime(timeUp)).not.toThrow()
  now = 2500
  expect(control.isLate()).toBe(true)
  expect(() => control.requireTime(timeUp)).toThrow('1500 false')
})

it('leaves such a step some time even if the cutoff is short', () => {
  let now = 0
  const control = new SearchControl(
    1,
    () => false,
    () => now,
  )
  now = WHOLE_MS_MIN - 1
  expect(control.isLate()).toBe(true)
  expect(() => control.requireTime(timeUp)).not.toThrow()
  now = WHOLE_MS_MIN
  expect(() => control.requireTime(timeUp)).toThrow(`${WHOLE_MS_MIN} false`)
})

it('ends a search when others wait for its thread, or when its client has gone', () => {
  let [now, preempted, canceled] = [0, false, false]
  const watch = Object.assign(() => canceled, { isPreempted: () => preempted })
  const control = new SearchControl(1500, watch, () => now)
  now = 300
  expect([control.isLate(), (preempted = true), control.isLate()]).toEqual([false, true, true])
  expect(() => control.requireTime(timeUp)).toThrow('300 true')
  canceled = true
  expect(() => control.requireTime(timeUp)).toThrow(Canceled)
})

it('gives a step a separate time limit, also after one that was cut short', () => {
  let [now, preempted] = [0, false]
  const watch = Object.assign(() => false, { isPreempted: () => preempted })
  const control = new SearchControl(1500, watch, () => now)
  now = 1500
  expect(control.isLate()).toBe(true)
  const goOn = control.checkpoint(control.wholeMs, timeUp)
  now = 2999
  expect(goOn).not.toThrow()
  preempted = true
  expect(goOn).toThrow('2999 true')
  preempted = false
  now = 3000
  expect(goOn).toThrow('1500 false')
})
