// A few rounds of a network of trust under fire; the long version is
// `node scripts/run.mjs fire network`.
import { expect, it } from 'vitest'
import { trustFire } from './trust.ts'

const SEED = 3

it(`trusts neither a hostile client, nor clones, nor an old leader (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const report = await trustFire({
    seed: SEED,
    kinds: ['lost-leader', 'copy-away', 'clock'],
    inTurn: true,
    rounds: 3,
    msMax: 480_000,
  })
  expect(report.problems).toEqual([])
  expect(report.rounds).toBe(3)
  // Otherwise the run has checked nothing.
  const { writes, searches, hostile, permitted, clones, takeovers, clocks } = report.counts
  for (const count of [writes, searches, hostile, permitted, clones, takeovers, clocks]) {
    expect(count).toBeGreaterThan(0)
  }
})
