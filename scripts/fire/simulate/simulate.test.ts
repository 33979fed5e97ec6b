// Seeds hold, a seed replays, and faults of the code itself are noticed.
import { expect, test } from 'vitest'
import { FIRST_SEED } from '../../../fixtures/first-seed.ts'
import { SEEDED_FAULTS } from './seeded-faults.ts'
import { MODES, simulateSeed } from './simulate.ts'

const SIZE = { instances: 3, rounds: 1 }
/** Of each mode: about a second each. The variant of a mode is the remainder of a seed by six. */
const SEEDS = 4
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

test.each([
  ['a change whose manifest cannot be written', 'network', 2137],
  ['a change that ends with the backlog of a leader', 'network', 2189],
  ['a change whose records fail after its task is durable', 'network', 40_013],
  ['both owners of a shard that are away at the same time', 'network', 41_090],
  ['an instance that is away after the removal of another one was canceled', 'network', 40_343],
  ['an instance that gets a change behind tasks of ended ones', 'network', 78_267],
  ['a write that is canceled while its last owner is away', 'network', 81_110],
  ['a read on an instance that lacks writes and is removed', 'network', 82_889],
  ['a shard whose owners both lack writes, one of them in a resync', 'network', 40_541],
  ['tasks of an instance that are dropped while its shards are sent again', 'network', 20_111],
  ['a disk that fails while a standby takes over', 'followers', 20_043],
] as const)(
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
