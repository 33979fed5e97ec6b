// A day in some seconds; the long version is `node scripts/run.mjs fire soak`.
import { expect, it } from 'vitest'
import { threadNames } from './samples.ts'
import { Soak } from './soak.ts'

const SEED = 5

it(`a short day loses nothing (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const { figures, day, problems } = await new Soak({
    seconds: 12,
    seed: SEED,
    steady: false,
  }).play()
  expect(problems).toEqual([])
  expect(figures.events).toContain('SIGKILL')
  expect(day.samples.length).toBeGreaterThan(5)
  expect(figures.searches.length).toBeGreaterThan(20)
  expect(figures.writes).toBeGreaterThan(3)
})

it(`a steady day has threads (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const { figures, day, problems } = await new Soak({ seconds: 6, seed: SEED, steady: true }).play()
  expect(problems).toEqual([])
  expect(figures.events).toBe('')
  const names = threadNames(day.samples)
  expect(names).toContain('main')
  expect(names.some((name) => name.startsWith('search-'))).toBe(true)
  const all = day.samples.flatMap(({ threads }) => threads)
  expect(all.every(({ heap, external, buffers }) => heap > 0 && external >= buffers)).toBe(true)
})
