// A day in some seconds, its picture, and what counts as growth; the long version is
// `node scripts/run.mjs fire soak`.
import { XMLValidator } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { soak } from './soak.ts'
import { soakSvg } from './soak-plot.ts'
import { growth, type Sample, type SoakReport } from './soak-samples.ts'

const SEED = 5

it(`a short day loses nothing (seed ${SEED})`, { timeout: 180_000 }, async () => {
  const report = await soak({ seconds: 12, seed: SEED })
  expect(report.problems).toEqual([])
  expect(report.events.map(({ kind }) => kind)).toContain('kill')
  expect(report.samples.length).toBeGreaterThan(5)
  expect(report.searches).toBeGreaterThan(20)
  expect(report.writes).toBeGreaterThan(3)
  expect(XMLValidator.validate(soakSvg(report, 'A <short> day'))).toBe(true)
})

const MIB = 1024 * 1024
const sample = (hour: number, change: Partial<Sample> = {}): Sample => ({
  hour,
  memoryBytes: 200 * MIB,
  descriptors: 50,
  diskBytes: 80 * MIB,
  searches: [1, 2],
  health: [1],
  tasksWaiting: 0,
  ...change,
})
const dayOf = (change: (hour: number) => Partial<Sample>): SoakReport => ({
  samples: Array.from({ length: 24 }, (_, hour) => sample(hour, change(hour))),
  events: [{ hour: 3, kind: 'kill' }],
  trouble: [8, 12],
  heap: [10 * MIB, 11 * MIB],
  searches: 0,
  writes: 0,
  told: 0,
  problems: [],
})

it('growth is what stays, not what comes and goes', () => {
  expect(growth(dayOf(() => ({})))).toEqual([])
  expect(growth(dayOf((hour) => ({ memoryBytes: (hour === 20 ? 900 : 200) * MIB })))).toEqual([])
  expect(growth(dayOf((hour) => ({ memoryBytes: (200 + 20 * hour) * MIB })))).toHaveLength(1)
  expect(growth(dayOf((hour) => ({ descriptors: 50 + 3 * hour })))).toEqual([
    'descriptors grew from 68 to 110',
  ])
  expect(growth(dayOf((hour) => ({ diskBytes: (80 + 10 * hour) * MIB })))).toHaveLength(1)
  expect(growth({ ...dayOf(() => ({})), heap: [30 * MIB, 60 * MIB] })).toHaveLength(1)
})

it('an empty day is a picture, too', () => {
  const nothing = { ...dayOf(() => ({})), samples: [] }
  expect(XMLValidator.validate(soakSvg(nothing, 'Nothing'))).toBe(true)
})
