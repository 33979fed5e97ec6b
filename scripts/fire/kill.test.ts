// kill -9 at random moments, a few times; the long version is `node scripts/run.mjs fire kill`.
import { expect, it } from 'vitest'
import { type KillReport, killSession } from './kill.ts'

const SEED = 7
const KILLS = 4

it(`a database survives kill -9 (seed ${SEED})`, { timeout: 240_000 }, async () => {
  const reports: KillReport[] = []
  await killSession({ seed: SEED, kills: KILLS, onKill: (report) => reports.push(report) })
  expect(reports).toHaveLength(KILLS)
  // Otherwise nothing was tested.
  expect(reports.at(-1)?.tasks).toBeGreaterThan(20)
  expect(reports.some(({ unchanged }) => unchanged > 0)).toBe(true)
})
