// When batches begin: at once at rest, at a distance while searches wait. The clock is the test's.
import { beforeEach, describe, expect, it } from 'vitest'
import { DISTANCE_MS, Grouping, LOOK_MS, SHORT_DISTANCE_MS } from './grouping.ts'

let nowMs = 0
let behindUntil = 0
let busyUntil = 0
let grouping: Grouping
const always = (): boolean => true

beforeEach(() => {
  nowMs = 1_000_000
  behindUntil = 0
  busyUntil = 0
  grouping = new Grouping({
    searchesRun: () => nowMs < busyUntil,
    searchesWait: () => nowMs < behindUntil,
    now: () => nowMs * 1000,
    sleep: async (ms) => {
      nowMs += ms
    },
  })
})

/** How long a batch waits. */
async function waited(mayWait = always): Promise<number> {
  const begun = nowMs
  await grouping.wait(mayWait)
  return nowMs - begun
}

describe('a batch', () => {
  it('begins at once at rest', async () => {
    grouping.ended()
    expect(await waited()).toBe(0)
  })

  it('begins at once when the last one was long ago, also while searches wait', async () => {
    behindUntil = Number.POSITIVE_INFINITY
    expect(await waited()).toBe(0)
    grouping.ended()
    nowMs += DISTANCE_MS
    expect(await waited()).toBe(0)
  })

  it('keeps its distance while searches wait, and no longer', async () => {
    behindUntil = Number.POSITIVE_INFINITY
    grouping.ended()
    expect(await waited()).toBe(DISTANCE_MS)
    grouping.ended()
    behindUntil = nowMs + 3 * LOOK_MS
    expect(await waited()).toBe(3 * LOOK_MS)
  })

  it('keeps a short distance while searches run, and no longer', async () => {
    busyUntil = Number.POSITIVE_INFINITY
    grouping.ended()
    expect(await waited()).toBe(SHORT_DISTANCE_MS)
    expect(await waited()).toBe(0)
    grouping.ended()
    busyUntil = nowMs + 2 * LOOK_MS
    expect(await waited()).toBe(2 * LOOK_MS)
  })

  it('keeps the long distance as soon as searches wait as well', async () => {
    busyUntil = Number.POSITIVE_INFINITY
    behindUntil = nowMs + 30 * LOOK_MS
    grouping.ended()
    expect(await waited()).toBe(30 * LOOK_MS)
  })

  it('does not wait with something urgent', async () => {
    behindUntil = Number.POSITIVE_INFINITY
    grouping.ended()
    expect(await waited(() => false)).toBe(0)
    const urgentAt = nowMs + 5 * LOOK_MS
    expect(await waited(() => nowMs < urgentAt)).toBe(5 * LOOK_MS)
  })

  it('is found within a second: the distance leaves the batch half of it', () => {
    expect(DISTANCE_MS + LOOK_MS).toBeLessThan(500)
  })
})
