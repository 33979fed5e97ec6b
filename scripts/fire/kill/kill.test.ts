// kill -9 at random moments, a few times; the long version is `node scripts/run.mjs fire kill`.
import { expect, it } from 'vitest'
import { type KillReport, killSession } from './kill.ts'

/** The first life of this seed ends while a batch embeds, the second one at any moment. */
const SEED = 2
const KILLS = 2
/** On a busy machine little is written before a kill, so that more kills are needed. */
const KILLS_MAX = 16

it(`a database survives kill -9 (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const reports: KillReport[] = []
  const isTested = (): boolean =>
    reports.length >= KILLS &&
    reports.at(-1)!.tasks > 20 &&
    reports.some(({ unchanged }) => unchanged > 0)
  await killSession(SEED, KILLS_MAX, (report) => {
    reports.push(report)
    return isTested()
  })
  // Otherwise nothing was tested.
  expect(isTested(), JSON.stringify(reports)).toBe(true)
})
