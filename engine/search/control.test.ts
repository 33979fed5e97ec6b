// When a search is to stop: called off, or late; who is told.
import { expect, it } from 'vitest'
import { SearchCanceled, SearchControl } from './control.ts'

it('tells of lateness when time is up, and throws when called off', () => {
  let [late, canceled] = [0, false]
  const watch = Object.assign(() => canceled, { late: () => void late++ })
  const early = new SearchControl(performance.now() + 60_000, watch)
  expect([early.isLate(), late]).toEqual([false, 0])
  const over = new SearchControl(performance.now() - 1, watch)
  expect([over.isLate(), late]).toEqual([true, 1])
  canceled = true
  expect(() => over.isLate()).toThrow(SearchCanceled)
  expect(late).toBe(1)
  // Whoever only calls off need not hear of lateness.
  expect(new SearchControl(0, () => false).isLate()).toBe(true)
})
