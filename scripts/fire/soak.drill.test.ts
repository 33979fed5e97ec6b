// A day in some seconds; the long version is `node scripts/run.mjs fire soak`.
import { XMLValidator } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { soak } from './soak.ts'
import { soakSvg } from './soak-plot.ts'
import { threadNames } from './soak-samples.ts'

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

it(`a steady day has threads (seed ${SEED})`, { timeout: 180_000 }, async () => {
  const report = await soak({ seconds: 6, seed: SEED, isSteady: true })
  expect(report.problems).toEqual([])
  expect(report.events).toEqual([])
  const names = threadNames(report.samples)
  expect(names).toContain('main')
  expect(names.some((name) => name.startsWith('search-'))).toBe(true)
  const all = report.samples.flatMap(({ threads }) => threads)
  expect(all.every(({ heap, external, buffers }) => heap > 0 && external >= buffers)).toBe(true)
  const drawn = soakSvg(report, 'A steady day')
  expect(XMLValidator.validate(drawn)).toBe(true)
  expect(drawn).toContain('search-0')
})
