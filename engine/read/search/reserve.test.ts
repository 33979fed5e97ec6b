// When the last search thread works, with a clock of the test.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  COLD_MS,
  COLD_WAIT_MS,
  RESERVE_LONG_MS,
  RESERVE_MEAN_MS,
  RESERVE_OPEN_MS,
  RESERVE_WAIT_MS,
} from './limits.ts'
import { Reserve } from './reserve.ts'

let now = 0
let reserve: Reserve

beforeEach(() => {
  now = 1000
  reserve = new Reserve(true, () => now)
})

function search(ms: number, times: number): void {
  for (let i = 0; i < times; i++) {
    now += ms
    reserve.worked(ms)
  }
}

describe('the thread in reserve', () => {
  it('works always if none is kept', () => {
    expect(new Reserve(false, () => now).isOpen).toBe(true)
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
    search(0.5, 2000)
    expect([reserve.isCold, reserve.isOpen, reserve.waitMs]).toEqual([
      false,
      false,
      RESERVE_WAIT_MS,
    ])
    search(RESERVE_MEAN_MS, 1024)
    expect(reserve.isOpen).toBe(true)
    now += RESERVE_LONG_MS
    search(0.5, 2000)
    expect(reserve.isOpen).toBe(false)
  })

  it('works sooner if searches are twice as long', () => {
    search(10, COLD_MS / 10 - 1)
    search(2 * RESERVE_MEAN_MS, 50)
    expect(reserve.isOpen).toBe(true)
  })

  it('is not kept busy by searches that take longer because it works', () => {
    search(0.5, (2 * COLD_MS) / 0.5)
    reserve.open()
    search(2 * RESERVE_MEAN_MS, RESERVE_OPEN_MS / (2 * RESERVE_MEAN_MS))
    expect(reserve.isOpen).toBe(false)
    search(0.5, 1000)
    expect(reserve.isOpen).toBe(false)
  })

  it('does not work because of one long search', () => {
    search(0.5, (2 * COLD_MS) / 0.5)
    search(40, 1)
    expect(reserve.isOpen).toBe(false)
  })
})
