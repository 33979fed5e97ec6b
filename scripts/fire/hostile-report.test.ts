// Reports of hostile runs: a paragraph for people, a line of JSON for programs, missed limits.
import { expect, it } from 'vitest'
import { missed, reportText } from './hostile-report.ts'
import type { AttackReport } from './hostile-session.ts'
import type { Times } from './hostile-watch.ts'

const times = (p99: number): Times => ({ count: 100, p50: 1, p99, max: p99 + 1, failures: {} })
const reportOf = (healthP99: number): AttackReport => ({
  name: 'ranges',
  tallies: [
    { name: 'ranges', sent: 2, outcomes: { '200': 1, cut: 1 }, unwanted: ['cut'], answerBytes: 9 },
  ],
  cpuSeconds: 0.5,
  seconds: 10,
  watched: {
    health: times(healthP99),
    healthCorrected: times(1),
    searches: times(20),
    lateness: times(1),
  },
  residentBytes: { before: 1, max: 2, after: 1 },
  recoveredMs: 3,
  aborted: null,
  serverCpuSeconds: 4,
  serverWaitSeconds: 1,
})

it('a line of JSON holds all measurements and the missed limits', () => {
  const report = reportOf(50)
  const text = reportText(report, true)
  expect(text.indexOf('\n')).toBe(text.length - 1)
  const wanted = { ...report, missed: ['health p99 50 ms', 'ranges got cut'] }
  expect(JSON.parse(text)).toEqual(wanted)
})

it('a paragraph begins with the verdict', () => {
  const held = { ...reportOf(49), tallies: [] }
  expect(missed(held)).toEqual([])
  expect(reportText(held, false)).toMatch(/^held {3}ranges \(10 s\)\n/)
  const text = reportText(reportOf(49), false)
  expect(text.split('\n')[0]).toBe('MISSED ranges (10 s)')
  expect(text).toContain('MISSED      ranges got cut\n')
})
