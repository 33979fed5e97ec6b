// A database with one damaged file, some dozen times; the long version is
// `node scripts/run.mjs fire damage`.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MadeDatabase, makeDatabase } from '../../../tools/test-support.ts'
import { type CaseReport, damageCases, filesOf } from './damage.ts'

const SEED = 11
const CASES = 60

let made: MadeDatabase
let reports: readonly CaseReport[]
beforeAll(async () => {
  made = await makeDatabase()
  reports = await damageCases(made.path, SEED, CASES)
}, 300_000)
afterAll(() => made.remove())

it(`answers the same, or refuses and names the file (seed ${SEED})`, () => {
  expect(reports.filter(({ verdict }) => verdict === 'broken')).toEqual([])
  expect(reports).toHaveLength(CASES)
})

it('covers every file and every verdict', () => {
  const files = new Set(reports.map((report) => report.case.file))
  expect([...files].sort()).toEqual(filesOf(made.path).filter((file) => file !== 'LOCK'))
  const verdicts = new Set(reports.map(({ verdict }) => verdict))
  expect([...verdicts].sort()).toEqual(['failed', 'refused', 'same'])
})
