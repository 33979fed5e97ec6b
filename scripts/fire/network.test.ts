// A network of three instances under fire, a few rounds; the long version is
// `node scripts/run.mjs fire network`.
import { expect, it } from 'vitest'
import { networkFire } from './network.ts'

const SEED = 5

it(`loses no acknowledged write and returns all hits (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const report = await networkFire({
    instances: 3,
    replicas: 2,
    shards: 4,
    seed: SEED,
    kinds: ['kill', 'change', 'both', 'stop', 'cancel', 'drop'],
    inTurn: true,
    rounds: 6,
    outageMs: 700,
    verifyEvery: 3,
    msMax: 120_000,
  })
  expect(report.problems).toEqual([])
  expect(report.rounds).toBe(6)
  // Otherwise the run has checked no answers.
  expect(report.counts.searches).toBeGreaterThan(0)
  expect(report.changes).toBe(3)
  expect(report.counts.writes).toBeGreaterThan(0)
  expect(report.documents).toBeGreaterThan(100)
})
