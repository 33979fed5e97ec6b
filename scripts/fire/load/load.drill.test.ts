// Load and rough clients for a short time; the long version is `node scripts/run.mjs fire load`.
import { expect, it } from 'vitest'
import { load } from './load.ts'

const SEED = 11
const [CONNECTIONS, REQUESTS, QUEUED] = [40, 30, 300]

it(`nothing breaks or grows under load (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const { figures, problems } = await load({
    connections: CONNECTIONS,
    requests: REQUESTS,
    rough: 2,
    queued: QUEUED,
    seed: SEED,
  })
  expect(problems).toEqual([])
  expect(figures['answers']).toBe(CONNECTIONS * REQUESTS)
  expect(figures['queue']).toContain(`${QUEUED} tasks accepted`)
  // Otherwise nothing was tested.
  for (const name of ['rough answers', 'rough cuts', 'answers 202']) {
    expect(figures[name], name).toBeGreaterThan(10)
  }
  expect((figures['health'] as number[]).length).toBeGreaterThan(10)
})
