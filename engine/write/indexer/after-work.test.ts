// An index thread returns its memory after large work, and only then.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AfterWork } from './after-work.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function counted() {
  const held: number[] = []
  let ends = 0
  let collections = 0
  let time = 0
  const work = new AfterWork({
    held: (mebibytes) => void held.push(mebibytes),
    endBuilders: () => {
      ends++
    },
    collect: (done) => {
      collections++
      done()
    },
    now: () => time,
  })
  const workFor = (ms: number) => (): void => {
    time += ms
  }
  return { work, workFor, held, ends: () => ends, collections: () => collections }
}

it('small pieces of work change nothing until they add up', () => {
  const { work, workFor, held, collections } = counted()
  for (let i = 0; i < 4; i++) work.run(workFor(100))
  vi.advanceTimersByTime(10_000)
  expect(collections()).toBe(0)
  work.run(workFor(150))
  vi.advanceTimersByTime(5)
  expect(collections()).toBe(1)
  expect(held).toHaveLength(1)
  expect(held[0]).toBeGreaterThan(1)
  // The next collection is due after as much work.
  work.run(workFor(100))
  vi.advanceTimersByTime(10_000)
  expect(collections()).toBe(1)
})

it('building threads are ended once, after a pause without work', () => {
  const { work, workFor, ends } = counted()
  work.run(workFor(510))
  expect(ends()).toBe(0)
  vi.advanceTimersByTime(1999)
  work.run(workFor(10))
  vi.advanceTimersByTime(1999)
  expect(ends()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(ends()).toBe(1)
  work.run(workFor(10))
  vi.advanceTimersByTime(10_000)
  expect(ends()).toBe(1)
})
