// The busy share of search threads, with a clock of the test.
import { beforeEach, describe, expect, it } from 'vitest'
import { BusyShare } from './busy-share.ts'

let now = 0
let busy: BusyShare

beforeEach(() => {
  now = 1000
  busy = new BusyShare(2, () => now)
})

/** Runs searches of `workMs` each, with a pause between them, on this many threads. */
function work(threads: number, workMs: number, pauseMs: number, forMs: number): void {
  for (const end = now + forMs; now < end; ) {
    busy.note(threads)
    now += workMs
    busy.note(0)
    now += pauseMs
  }
}

describe('the busy share', () => {
  it('is zero before the first search', () => {
    now += 10_000
    expect(busy.share).toBe(0)
  })

  it('is the share of the time, for short and for long searches', () => {
    work(2, 3, 1, 5000)
    expect(busy.share).toBeCloseTo(0.75, 1)
    work(1, 30, 30, 5000)
    expect(busy.share).toBeCloseTo(0.25, 1)
  })

  it('counts a search that still runs', () => {
    busy.note(2)
    now += 5000
    expect(busy.share).toBeGreaterThan(0.99)
  })

  it('stays high in the moment between two searches, and falls within two seconds', () => {
    work(2, 10, 0, 5000)
    expect(busy.share).toBeGreaterThan(0.95)
    now += 10
    expect(busy.share).toBeGreaterThan(0.9)
    work(1, 1, 40, 2000)
    expect(busy.share).toBeLessThan(0.05)
  })

  it('is zero when there have been no searches for a while, but not forgotten', () => {
    work(2, 10, 0, 5000)
    now += 49
    expect(busy.share).toBeGreaterThan(0.85)
    now += 1
    expect(busy.share).toBe(0)
    busy.note(2)
    expect(busy.share).toBeGreaterThan(0.85)
    // The end of further work that needs no thread begins no other pause.
    busy.note(0)
    now += 30
    busy.note(0)
    now += 20
    expect(busy.share).toBe(0)
  })
})
