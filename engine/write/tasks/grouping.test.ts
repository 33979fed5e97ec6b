// When batches begin: at once at rest, further apart the more searches there are. The clock is the
// test's.
import { beforeEach, describe, expect, it } from 'vitest'
import { DISTANCE_MS, Grouping, HIGH_SHARE, LOOK_MS, LOW_SHARE } from './grouping.ts'

let nowMs = 0
/** The share of search threads' time that is used, until that time. */
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

/** How long a batch waits. */
async function waited(mayWait = always): Promise<number> {
  const begun = nowMs
  await grouping.wait(mayWait)
  return nowMs - begun
}

describe('a batch', () => {
  it('begins at once at rest', async () => {
    grouping.began()
    expect(await waited()).toBe(0)
  })

  it('begins at once where searches use a little of the time', async () => {
    share = LOW_SHARE
    grouping.began()
    expect(await waited()).toBe(0)
  })

  it('begins at once when the last one was long ago, however many searches there are', async () => {
    share = 1
    expect(await waited()).toBe(0)
    grouping.began()
    nowMs += DISTANCE_MS
    expect(await waited()).toBe(0)
  })

  it('keeps the whole distance where no time is left, and no longer than that is so', async () => {
    share = HIGH_SHARE
    grouping.began()
    expect(await waited()).toBe(DISTANCE_MS)
    grouping.began()
    shareUntil = nowMs + 3 * LOOK_MS
    expect(await waited()).toBe(3 * LOOK_MS)
  })

  it('keeps part of the distance between the two', async () => {
    share = (LOW_SHARE + HIGH_SHARE) / 2
    grouping.began()
    expect(await waited()).toBe(DISTANCE_MS / 2)
  })

  it('does not wait with something urgent', async () => {
    share = 1
    grouping.began()
    expect(await waited(() => false)).toBe(0)
    const urgentAt = nowMs + 5 * LOOK_MS
    expect(await waited(() => nowMs < urgentAt)).toBe(5 * LOOK_MS)
  })

  it('is found within a second: the distance leaves the batch a quarter of it', () => {
    expect(DISTANCE_MS + LOOK_MS).toBeLessThanOrEqual(750)
  })
})
