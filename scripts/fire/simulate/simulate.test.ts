// Seeds hold, a seed replays, and faults of the code itself are noticed.
import { expect, test } from 'vitest'
import { FIRST_SEED } from '../../../fixtures/first-seed.ts'
import { EARLIER_FAULTS } from './earlier-faults.table.ts'
import { SEEDED_FAULTS } from './seeded-faults.ts'
import { MODES, simulateSeed } from './simulate.ts'

const SIZE = { instances: 3, rounds: 1 }
/** Of each mode: about a second each. The variant of a mode is the remainder of a seed by six. */
const SEEDS = 4
/** Of the seeds in which there was a fault, the last ones; runs by hours have all of them. */
const EARLIER = 4
const TEST_MS_MAX = 300_000

test.each(MODES)(
  `seeds of the mode %s hold (from ${FIRST_SEED}), and have the same trace each time`,
  async (mode) => {
    const traceOf = async (seed: number): Promise<string> => {
      const { problems, trace } = await simulateSeed({ ...SIZE, seed, mode })
      expect(problems, `seed ${seed}`).toEqual([])
      return trace
    }
    const traces: string[] = []
    for (let i = 0; i < SEEDS; i++) traces.push(await traceOf(FIRST_SEED + i))
    expect(new Set(traces).size).toBe(SEEDS)
    expect(await traceOf(FIRST_SEED)).toBe(traces[0])
  },
  TEST_MS_MAX,
)

test.each(EARLIER_FAULTS.slice(-EARLIER))(
  'holds: %s',
  async (_, mode, seed) => {
    expect((await simulateSeed({ ...SIZE, seed, mode })).problems).toEqual([])
  },
  TEST_MS_MAX,
)

test.each(SEEDED_FAULTS)(
  'seeds find that $what',
  async ({ mode, seed, tamper, noticed }) => {
    const { problems } = await simulateSeed({ ...SIZE, seed, mode, tamper: tamper() })
    expect(problems[0]).toMatch(noticed)
  },
  TEST_MS_MAX,
)
