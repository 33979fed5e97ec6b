// Answers arrive while the server indexes; `node scripts/run.mjs fire busy` measures how fast.
import { expect, it } from 'vitest'
import { measureBusy } from './busy.ts'

it('health and searches are answered during indexing', { timeout: 120_000 }, async () => {
  const { health, searches } = await measureBusy({ documents: 10_000, seed: 3 })
  expect(health.length).toBeGreaterThan(5)
  expect(searches.length).toBeGreaterThan(2)
})
