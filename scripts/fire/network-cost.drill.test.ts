// The measurement of searches over a network with few documents and searches; the long version is
// `node scripts/run.mjs fire network-cost`.
import { expect, it } from 'vitest'
import { costText, measureNetworkCost } from './network-cost.ts'

const SEED = 1
const DOCUMENTS = 400

it(`measures the same searches on one instance and over a network (seed ${SEED})`, {
  timeout: 180_000,
}, async () => {
  const steps: string[] = []
  const { rows, totals } = await measureNetworkCost({
    documents: DOCUMENTS,
    searches: 40,
    warmUp: 20,
    clients: [1, 2],
    seed: SEED,
    onStep: (step) => steps.push(step),
  })
  expect(steps).toEqual(['documents', 'totals', 'warm-up', 'searches'])
  expect(rows.map(({ clients, side }) => [clients, side])).toEqual([
    [1, 'one'],
    [1, 'network'],
    [2, 'one'],
    [2, 'network'],
  ])
  for (const { cpuMs, p50, p95, perSecond } of rows) {
    for (const value of [cpuMs, p50, p95, perSecond]) {
      expect(Number.isFinite(value) && value > 0, JSON.stringify(rows)).toBe(true)
    }
    expect(p95).toBeGreaterThanOrEqual(p50)
  }
  // The measurement has compared the totals of both sides. They are of all sizes; otherwise it has
  // compared little.
  expect(new Set(totals).size).toBeGreaterThan(40)
  expect(Math.min(...totals)).toBeLessThan(DOCUMENTS / 20)
  expect(Math.max(...totals)).toBeGreaterThan(DOCUMENTS / 2)
  const lines = costText(rows).split('\n')
  expect(
    lines.filter((line) => /^ +[12] +(?:one|network)(?: +[\d.]+){4}$/.test(line)),
  ).toHaveLength(4)
  const ratios = lines.filter((line) =>
    /^[12] clients?: processor time × \d+\.\d\d, p50 [+−]\d+\.\d{3} ms$/.test(line),
  )
  expect(ratios).toHaveLength(2)
})
