// Load and rough clients for a short time; the long version is `node scripts/run.mjs fire load`.
import { expect, it } from 'vitest'
import { load } from './load.ts'
import { loadProblems, loadText } from './load-report.ts'

const SEED = 11
const [CONNECTIONS, REQUESTS, QUEUED] = [40, 30, 300]

it(`nothing breaks or grows under load (seed ${SEED})`, { timeout: 180_000 }, async () => {
  const report = await load({
    connections: CONNECTIONS,
    requests: REQUESTS,
    rough: 2,
    queued: QUEUED,
    seed: SEED,
  })
  expect(loadProblems(report)).toEqual([])
  expect(report.answers).toBe(CONNECTIONS * REQUESTS)
  expect(report.queue.tasks).toBe(QUEUED)
  // Otherwise nothing was tested.
  expect(report.health.length).toBeGreaterThan(10)
  expect(report.rough.answers).toBeGreaterThan(10)
  expect(report.rough.cut).toBeGreaterThan(10)
  expect(report.statuses.get(202)).toBeGreaterThan(10)
  expect(loadText(report)).toContain(`${report.answers} answers`)
})
