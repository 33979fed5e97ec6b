// Standby followers under fire, a few rounds; the long version is
// `node scripts/run.mjs fire failover`.
import { expect, it } from 'vitest'
import { type FailoverRound, failoverSession } from './failover.ts'
import type { Disturbance } from './failover-disturbances.ts'

const SEED = 3
const KINDS: readonly Disturbance[] = ['kill', 'freeze', 'terminate']

it(`a standby takes over, and no acknowledged write is lost (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const rounds: FailoverRound[] = []
  for (const kind of KINDS) {
    const report = await failoverSession({ seed: SEED, rounds: 1, kinds: [kind], mode: 'sync' })
    rounds.push(...report.rounds)
    expect(report.faults).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(10)
  }
  expect(rounds.map(({ kind }) => kind)).toEqual(KINDS)
  expect(rounds.some(({ isTakenOver }) => isTakenOver)).toBe(true)
})
