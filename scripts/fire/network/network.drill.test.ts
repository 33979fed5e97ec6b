// A network of three instances under fire, a few rounds; the long version is
// `node scripts/run.mjs fire network`.
import { expect, it } from 'vitest'
import { networkFire } from './network.ts'

const SEED = 5

it(`loses no acknowledged write and returns all hits (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const { figures, problems } = await networkFire({
    instances: 3,
    seed: SEED,
    kinds: ['kill', 'change', 'both', 'stop', 'cancel', 'drop'],
    inTurn: true,
    rounds: 6,
    outageMs: 700,
    verifyEvery: 3,
  })
  expect(problems).toEqual([])
  // Otherwise the run has checked no answers.
  expect(figures).toMatchObject({ rounds: 6, changes: 2, 'canceled changes': 1 })
  expect(figures['searches']).toBeGreaterThan(0)
  expect(figures['writes acknowledged']).toBeGreaterThan(0)
  expect(figures['documents']).toBeGreaterThan(100)
})
