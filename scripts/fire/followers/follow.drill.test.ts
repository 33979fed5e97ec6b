// Followers under fire, a few rounds; the long version is `node scripts/run.mjs fire follow`.
import { expect, it } from 'vitest'
import { follow } from './follow.ts'

const SEED = 4
const ROUNDS = 2

it(`followers have all acknowledged documents after kills and store failures (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const { figures } = await follow({ seed: SEED, rounds: ROUNDS })
  expect(figures['rounds']).toBe(ROUNDS)
  // Two followers in each round.
  expect(figures['behind after a round']).toHaveLength(2 * ROUNDS)
  expect(figures['reads of followers']).toBeGreaterThan(0)
  expect(figures['requests acknowledged']).toBeGreaterThan(0)
})
