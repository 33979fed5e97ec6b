// The watch checks all its members, a few in each turn of the event loop.
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CHECKS_PER_TURN_MAX } from './limits.ts'
import { Watch, type Watched } from './watch.ts'

const EVERY_MS = 1000
const COUNT = 3000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const watchedBy = (watch: Watch, count: number, check: Watched['check']): Watched[] => {
  const all = Array.from({ length: count }, () => ({ check }))
  for (const watched of all) watch.add(watched)
  return all
}

test('thousands that are late at the same time are checked over many turns, each once', async () => {
  const watch = new Watch(EVERY_MS)
  let checks = 0
  watchedBy(watch, COUNT, () => void checks++)
  vi.advanceTimersByTime(EVERY_MS)
  let turns = 0
  let most = checks
  while (checks < COUNT && turns++ < COUNT) {
    const before = checks
    await turn()
    most = Math.max(most, checks - before)
  }
  expect(checks).toBe(COUNT)
  // A turn of the test may see two of the watch.
  expect(most).toBeLessThanOrEqual(2 * CHECKS_PER_TURN_MAX)
  await turn()
  expect(checks).toBe(COUNT)
})

test('time counts from the moment of adding, without pauses of the process', async () => {
  const watch = new Watch(EVERY_MS)
  const elapsed: number[] = []
  watchedBy(watch, 1, () => undefined)
  vi.advanceTimersByTime(700)
  watchedBy(watch, 1, (ms) => void elapsed.push(ms))
  vi.advanceTimersByTime(300)
  await turn()
  vi.setSystemTime(Date.now() + 60_000)
  vi.advanceTimersByTime(EVERY_MS)
  await turn()
  expect(elapsed[0]).toBe(300)
  expect(elapsed[1]).toBeLessThanOrEqual(2 * EVERY_MS)
})

test('members deleted during a round are not checked, added ones wait for the next round', async () => {
  const watch = new Watch(EVERY_MS)
  const checked: string[] = []
  const late: Watched = { check: () => void checked.push('late') }
  const gone: Watched = { check: () => void checked.push('gone') }
  const first: Watched = {
    check: () => {
      checked.push('first')
      watch.delete(gone)
      watch.add(late)
    },
  }
  for (const watched of [first, gone]) watch.add(watched)
  vi.advanceTimersByTime(EVERY_MS)
  await turn()
  expect(checked).toEqual(['first'])
  watch.delete(first)
  vi.advanceTimersByTime(EVERY_MS)
  await turn()
  expect(checked).toEqual(['first', 'late'])
})
