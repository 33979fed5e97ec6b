// When batches begin: immediately when searches are few, at a distance when they are many. The test
// supplies the clock.
import { beforeEach, describe, expect, it } from 'vitest'
import { DISTANCE_MS, Grouping, HIGH_SHARE, LOW_SHARE, POLL_MS } from './grouping.ts'

let nowMs = 0
/** The share of time that search threads use, until a given time. */
let share = 0
let shareUntil = 0
let grouping: Grouping
const always = (): boolean => true

beforeEach(() => {
  nowMs = 1_000_000
  share = 0
  shareUntil = Number.POSITIVE_INFINITY
  grouping = new Grouping({
    searchShare: () => (nowMs < shareUntil ? share : 0),
    now: () => nowMs * 1000,
    sleep: async (ms) => {
      nowMs += ms
    },
  })
})

/** Returns how long a batch waits. */
async function waited(mayWait = always): Promise<number> {
  const begun = nowMs
  await grouping.wait(mayWait)
  return nowMs - begun
}

describe('a batch', () => {
  it('begins immediately without searches', async () => {
    grouping.began()
    expect(await waited()).toBe(0)
  })

  it('begins immediately if searches use little time', async () => {
    share = LOW_SHARE
    grouping.began()
    expect(await waited()).toBe(0)
  })

  it('begins immediately if the last one was long ago, despite searches', async () => {
    share = 1
    expect(await waited()).toBe(0)
    grouping.began()
    nowMs += DISTANCE_MS
    expect(await waited()).toBe(0)
  })

  it('keeps the whole distance only while search threads are fully busy', async () => {
    share = HIGH_SHARE
    grouping.began()
    expect(await waited()).toBe(DISTANCE_MS)
    grouping.began()
    shareUntil = nowMs + 3 * POLL_MS
    expect(await waited()).toBe(3 * POLL_MS)
  })

  it('keeps part of the distance at a medium share', async () => {
    share = (LOW_SHARE + HIGH_SHARE) / 2
    grouping.began()
    expect(await waited()).toBe(DISTANCE_MS / 2)
  })

  it('does not delay urgent tasks', async () => {
    share = 1
    grouping.began()
    expect(await waited(() => false)).toBe(0)
    const urgentAt = nowMs + 5 * POLL_MS
    expect(await waited(() => nowMs < urgentAt)).toBe(5 * POLL_MS)
  })

  it('is found within a second: the distance leaves the batch a quarter of it', () => {
    expect(DISTANCE_MS + POLL_MS).toBeLessThanOrEqual(750)
  })
})
