// kill -9 while dumps are made and imported, a few times; the long version is
// `node scripts/run.mjs fire dumps`.
import { expect, it } from 'vitest'
import { type KillDumpsReport, killDumps } from './kill-dumps.ts'

const SEED = 3
const KILLS = 2

it(`dumps live through kill -9 (seed ${SEED})`, { timeout: 240_000 }, async () => {
  const reports: KillDumpsReport[] = []
  const onKill = (report: KillDumpsReport): void => void reports.push(report)
  await killDumps({ seed: SEED, kills: KILLS, documents: 1000, onKill })
  expect(reports.map(({ during }) => during)).toEqual([
    ...Array.from({ length: KILLS }, () => 'dump'),
    ...Array.from({ length: KILLS }, () => 'import'),
  ])
  // Otherwise nothing was looked at.
  expect(reports.some(({ isInTime }) => isInTime)).toBe(true)
})
