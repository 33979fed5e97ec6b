// Followers under fire, a few rounds; the long version is `node scripts/run.mjs fire follow`.
import { expect, it } from 'vitest'
import { followSession } from './follow.ts'

const SEED = 4
const ROUNDS = 2

it(`followers have all acknowledged documents after kills and store failures (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const rounds: number[] = []
  await followSession({
    seed: SEED,
    rounds: ROUNDS,
    promoteEvery: ROUNDS,
    onRound: ({ round, lagsMs, reads }) => {
      rounds.push(round)
      expect(lagsMs.length).toBe(2)
      expect(reads).toBeGreaterThan(0)
    },
  })
  expect(rounds).toEqual([1, 2])
})
