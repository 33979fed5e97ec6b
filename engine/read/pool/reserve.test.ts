// When the last search thread works, with a clock of the test.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  COLD_MS,
  COLD_WAIT_MS,
  RESERVE_LONG_MS,
  RESERVE_MAIN_SHARE,
  RESERVE_OPEN_MS,
  RESERVE_WAIT_MS,
} from '../jobs/limits.ts'
import { Reserve } from './reserve.ts'

/** Milliseconds of the main thread per search. */
const MAIN_MS = 0.25
/** Milliseconds of a search for which the reserve pays, and of one for which it does not. */
const LONG_MS = MAIN_MS / RESERVE_MAIN_SHARE
const SHORT_MS = LONG_MS / 2

let now = 0
let mainBusy = 0
let reserve: Reserve

const clock = { now: () => now, mainBusy: () => mainBusy }

beforeEach(() => {
  now = 1000
  reserve = new Reserve(true, 2, clock)
})

/** Runs searches; `slow` is how many times slower the machine is. */
function search(ms: number, times: number, slow = 1): void {
  for (let i = 0; i < times; i++) {
    now += ms * slow
    mainBusy += MAIN_MS * slow
    reserve.worked(ms * slow)
  }
}

describe('the thread in reserve', () => {
  it('works always if none is kept', () => {
    expect(new Reserve(false, 2, clock).isOpen).toBe(true)
  })

  it('works for some time after a search has needed it', () => {
    expect(reserve.isOpen).toBe(false)
    reserve.open()
    now += RESERVE_OPEN_MS - 1
    expect(reserve.isOpen).toBe(true)
    now += 1
    expect(reserve.isOpen).toBe(false)
  })

  it('works while searches are long, but not because code is not compiled yet', () => {
    search(10, COLD_MS / 10 - 1)
    expect([reserve.isCold, reserve.isOpen, reserve.waitMs]).toEqual([true, false, COLD_WAIT_MS])
    search(SHORT_MS, 2000)
    expect([reserve.isCold, reserve.isOpen, reserve.waitMs]).toEqual([
      false,
      false,
      RESERVE_WAIT_MS,
    ])
    search(LONG_MS, 1024)
    expect(reserve.isOpen).toBe(true)
    now += RESERVE_LONG_MS
    search(SHORT_MS, 2000)
    expect(reserve.isOpen).toBe(false)
  })

  it('works sooner if searches are twice as long', () => {
    search(10, COLD_MS / 10 - 1)
    search(2 * LONG_MS, 50)
    expect(reserve.isOpen).toBe(true)
  })

  it('is not kept busy by searches that take longer because it works', () => {
    search(SHORT_MS, (2 * COLD_MS) / SHORT_MS)
    reserve.open()
    search(2 * LONG_MS, RESERVE_OPEN_MS / (2 * LONG_MS))
    expect(reserve.isOpen).toBe(false)
    search(SHORT_MS, 1000)
    expect(reserve.isOpen).toBe(false)
  })

  it('works for the same searches on a slow machine', () => {
    search(SHORT_MS, 8 * COLD_MS, 4)
    expect(reserve.isOpen).toBe(false)
    search(LONG_MS, 1024, 4)
    expect(reserve.isOpen).toBe(true)
  })

  it('works for longer searches only if more threads share the work with the main thread', () => {
    reserve = new Reserve(true, 5, clock)
    search(LONG_MS, 2 * COLD_MS)
    expect(reserve.isOpen).toBe(false)
    search(4 * LONG_MS, 1024)
    expect(reserve.isOpen).toBe(true)
  })

  it('does not work because of one long search', () => {
    search(SHORT_MS, (2 * COLD_MS) / SHORT_MS)
    search(40, 1)
    expect(reserve.isOpen).toBe(false)
  })

  it('is cold until the others have worked for a time', () => {
    reserve.worked(COLD_MS - 1)
    expect([reserve.isCold, reserve.waitMs]).toEqual([true, COLD_WAIT_MS])
    reserve.worked(1)
    expect([reserve.isCold, reserve.waitMs]).toEqual([false, RESERVE_WAIT_MS])
  })

  it.each([
    // Half of the share suffices after 32 searches.
    [2, 2 * LONG_MS, 32],
    [2, 1.9 * LONG_MS, 512],
    [2, LONG_MS, 512],
    [2, 0.99 * LONG_MS, 1001],
    [1, LONG_MS, 512],
    [3, 2 * LONG_MS, 512],
  ])('of %i threads with searches of %d ms works after %i', (threads, ms, count) => {
    reserve = new Reserve(true, threads, clock)
    reserve.worked(COLD_MS - 1)
    const searchesUntilOpen = (): number => {
      let searches = 0
      while (!reserve.isOpen && searches <= 1000) {
        search(ms, 1)
        searches++
      }
      return searches
    }
    expect(searchesUntilOpen()).toBe(count)
    // Then it measures from the beginning.
    now += RESERVE_LONG_MS
    expect(searchesUntilOpen()).toBe(count)
  })

  it('measures from the beginning after searches that were too short', () => {
    reserve.worked(COLD_MS - 1)
    // The first one is short of the cold time.
    search(SHORT_MS, 513)
    search(2 * LONG_MS, 31)
    expect(reserve.isOpen).toBe(false)
    search(2 * LONG_MS, 1)
    expect(reserve.isOpen).toBe(true)
  })

  it('works until the latest of several ends', () => {
    reserve.open(100)
    reserve.open(10)
    now += 99
    expect(reserve.isOpen).toBe(true)
    now += 1
    expect(reserve.isOpen).toBe(false)
  })
})
