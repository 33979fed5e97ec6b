// Seeds hold, a seed replays, and faults of the code itself are noticed.
import { expect, test } from 'vitest'
import { SEEDED_FAULTS } from './seeded-faults.ts'
import { MODES, simulateSeed } from './simulate.ts'

const SIZE = { instances: 3, rounds: 1 }
/** Of each mode: about a second each. */
const SEEDS = 6
const TEST_MS_MAX = 300_000

test.each(MODES)(
  'seeds of the mode %s hold',
  async (mode) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { problems } = await simulateSeed({ ...SIZE, seed, mode })
      expect(problems, `seed ${seed}`).toEqual([])
    }
  },
  TEST_MS_MAX,
)

test.each([
  ['a change whose manifest cannot be written', 'network', 2137],
  ['a change that ends with the backlog of a leader', 'network', 2189],
  ['a change whose records fail after its task is durable', 'network', 40_013],
  ['tasks of an instance that are dropped while its shards are sent again', 'network', 20_111],
  ['a disk that fails while a standby takes over', 'followers', 20_043],
] as const)(
  'holds: %s',
  async (_, mode, seed) => {
    expect((await simulateSeed({ ...SIZE, seed, mode })).problems).toEqual([])
  },
  TEST_MS_MAX,
)

test.each(MODES)(
  'a seed of the mode %s has the same trace each time',
  async (mode) => {
    const traces: string[] = []
    for (const seed of [7, 8, 7, 8]) {
      const { trace } = await simulateSeed({ ...SIZE, seed, mode })
      traces.push(trace)
    }
    expect(traces.slice(2)).toEqual(traces.slice(0, 2))
    expect(traces[0]).not.toBe(traces[1])
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
