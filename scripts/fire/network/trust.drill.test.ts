// A few rounds of a network of trust under fire; the long version is
// `node scripts/run.mjs fire network`.
import { expect, it } from 'vitest'
import { trustFire } from './trust.ts'

const SEED = 3

it(`trusts neither a hostile client, nor clones, nor an old leader (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const { figures, problems } = await trustFire({
    seed: SEED,
    kinds: ['lost-leader', 'copy-away', 'clock'],
    inTurn: true,
    rounds: 3,
  })
  expect(problems).toEqual([])
  expect(figures['rounds']).toBe(3)
  // Otherwise the run has checked nothing.
  for (const name of [
    'writes acknowledged',
    'searches',
    'hostile requests',
    'hostile requests within the rights of the key',
    'clones',
    'takeovers',
    'jumps of clocks',
  ]) {
    expect(figures[name], name).toBeGreaterThan(0)
  }
})
