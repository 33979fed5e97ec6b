// Hostile bodies of a moderate size; the long version is `node tools/fire/run.mjs bodies`.
import { expect, it } from 'vitest'
import { attack } from './attack.ts'

const MIB = 1024 * 1024
const SIZES = { ndjsonBytes: 4.5 * MIB, fields: 70_000, bombBytes: 60 * MIB, depth: 100_000 }

it('are refused or taken as they should, in bounded memory', { timeout: 120_000 }, async () => {
  const { reports, bytesBefore, bytesPeak } = await attack(SIZES, 5 * MIB)
  expect(reports.filter(({ problem }) => problem !== '')).toEqual([])
  expect(reports.length).toBeGreaterThan(40)
  expect(bytesPeak - bytesBefore).toBeLessThan(500 * MIB)
})
