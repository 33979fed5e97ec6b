// The clock of templates counts processor time: waiting for a processor does not count.
import { expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { REQUEST_MS_MAX, STEP_MS_MAX } from './limits.ts'
import { type ClockSources, WorkClock } from './work-clock.ts'

class Sources {
  wallMs = 1000
  cpuMs = 50
  readonly wall = (): number => this.wallMs
  readonly cpu = () => ({ user: this.cpuMs * 600, system: this.cpuMs * 400 })
}

test('where Node reports the time of a thread, only that time counts', () => {
  const sources = new Sources()
  const budget = new Budget(new WorkClock(sources))
  sources.wallMs += 60 * REQUEST_MS_MAX
  sources.cpuMs += REQUEST_MS_MAX
  expect(() => budget.checkTime('rendering')).not.toThrow()
  sources.cpuMs += 1
  expect(() => budget.checkTime('rendering')).toThrow()
})

test('elsewhere a step during which the thread waited counts up to a limit', () => {
  const sources = new Sources()
  const wallAlone: ClockSources = { wall: sources.wall, cpu: null }
  const budget = new Budget(new WorkClock(wallAlone))
  for (let step = 0; step < 20; step++) {
    sources.wallMs += 10 * REQUEST_MS_MAX
    expect(() => budget.checkTime('rendering')).not.toThrow()
  }
  // Many steps reach the limit all the same.
  const steps = REQUEST_MS_MAX / STEP_MS_MAX
  const refused = () => {
    for (let step = 0; step < steps; step++) {
      sources.wallMs += STEP_MS_MAX
      budget.checkTime('rendering')
    }
  }
  expect(refused).toThrow()
})

test('the clock of this thread starts at 0 and advances while it works', () => {
  const clock = new WorkClock()
  let last = clock.workedMs()
  expect(last).toBeLessThan(REQUEST_MS_MAX)
  const from = last
  for (let step = 0; step < 1e7 && last - from < 1; step++) last = clock.workedMs()
  expect(last - from).toBeGreaterThanOrEqual(1)
})
