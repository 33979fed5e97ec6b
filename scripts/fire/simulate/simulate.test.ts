// Seeds hold, a seed replays, and faults of the code itself are noticed.
import { expect, test } from 'vitest'
import type { Tamper } from './instance.ts'
import { MODES, type Mode, type Outcome, simulateSeed } from './simulate.ts'

const SIZE = { instances: 3, rounds: 1 }
const SEEDS = 6
/** A fault of the code has to be found within this number of seeds. */
const SEEDS_MAX = 200
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

/** Returns the first outcome with a problem. */
async function firstFound(mode: Mode, tamper: () => Tamper): Promise<Outcome | null> {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const outcome = await simulateSeed({ ...SIZE, seed, mode, tamper: tamper() })
    if (outcome.problems.length > 0) return outcome
  }
  return null
}

test(
  'an instance that drops a write which it has confirmed is noticed',
  async () => {
    const tamper = (): Tamper => {
      let writes = 0
      return {
        accept: (name, { method, path, headers }) => {
          const isCopy = 'X-Svc-Proxy-Origin-Remote' in headers
          const isWrite = method === 'POST' && path.includes('/documents?')
          if (name !== 'b' || !isCopy || !isWrite || ++writes !== 3) return null
          const task = { taskUid: 1000, indexUid: 'main', status: 'enqueued' }
          const body = {
            ...task,
            type: 'documentAdditionOrUpdate',
            enqueuedAt: '2027-01-01T00:00:00Z',
          }
          return { status: 202, headers: {}, body: Buffer.from(JSON.stringify(body)) }
        },
      }
    }
    const found = await firstFound('network', tamper)
    expect(found?.problems[0]).toMatch(/missing or differ|is stale/)
  },
  TEST_MS_MAX,
)
