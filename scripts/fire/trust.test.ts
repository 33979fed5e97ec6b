// A few rounds of a network of trust under fire; the long version is
// `node scripts/run.mjs fire network`.
import { expect, it, test } from 'vitest'
import { trustFire } from './trust.ts'
import { wrongDocuments } from './trust-traffic.ts'

const SEED = 3

it(`trusts neither a hostile client, nor clones, nor an old leader (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const report = await trustFire({
    seed: SEED,
    kinds: ['lost-leader', 'copy-away', 'clock'],
    inTurn: true,
    rounds: 3,
    msMax: 120_000,
  })
  expect(report.problems).toEqual([])
  expect(report.rounds).toBe(3)
  // Otherwise the run has checked nothing.
  const { writes, searches, hostile, permitted, clones, takeovers, clocks } = report.counts
  for (const count of [writes, searches, hostile, permitted, clones, takeovers, clocks]) {
    expect(count).toBeGreaterThan(0)
  }
})

test('documents that lack, that are old, that are there twice, or that no client wrote are named', () => {
  const least = new Map([
    [1, 1],
    [2, 5],
  ])
  const most = new Map([...least, [3, 1]])
  const one = { id: 1, version: 1 }
  const two = { id: 2, version: 5 }
  expect(wrongDocuments([one, two], least, most)).toEqual({ missing: null, wrong: null })
  expect(wrongDocuments([one], least, most).missing).toContain('2 (version 5, found nothing)')
  expect(wrongDocuments([one, { id: 2, version: 4 }], least, most).missing).toContain('found 4')
  expect(wrongDocuments([one, two, two], least, most).wrong).toContain('twice')
  expect(wrongDocuments([one, { id: 2, version: 6 }], least, most).wrong).toContain('"version":6')
  expect(wrongDocuments([one, two, { id: 4, version: 1 }], least, most).wrong).toContain('"id":4')
})
