// The report of the slowest searches: of given times, and of a small run of the built server.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { collectionMs, type TimedSearch, tail, tailLines } from './tail.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const searchOf = (q: string, begun: number, ms: number, steps: object = {}): TimedSearch => ({
  q,
  begun,
  ms,
  steps: new Map(Object.entries(steps)),
})

describe('the slowest searches', () => {
  it('are in order, with queue, search, rest and garbage', () => {
    const slow = {
      'wait in queue': 4,
      'search > rank': 9,
      'search > format hits': 2,
      'search > rank > a': 8,
    }
    const searches = [
      ...Array.from({ length: 98 }, (_, i) => searchOf(`q${i}`, i, 1 + i / 1000)),
      searchOf('slow', 100, 20, slow),
      searchOf('slower', 200, 30, { 'search > filter': 25 }),
    ]
    const collections = [
      { begun: 95, ms: 8 },
      { begun: 119, ms: 0.5 },
      { begun: 150, ms: 7 },
    ]
    const lines = tailLines(searches, collections)
    expect(lines[0]).toBe('100 searches, ms: p50 1.05, p95 1.09, p99 20.00, longest 30.00')
    expect(lines).toHaveLength(13)
    expect(lines[3]!.trim().split(/\s+/).slice(0, 5)).toEqual([
      '30.00',
      '0.00',
      '25.00',
      '5.00',
      '0.00',
    ])
    expect(lines[4]).toMatch(
      /^ +20\.00 +4\.00 +11\.00 +5\.00 +3\.50 {2}search > rank 9\.00: "slow"$/,
    )
    expect(lines[5]).toContain('"q97"')
  })

  it('are absent after a run without searches', () => {
    expect(tailLines([], [])).toHaveLength(3)
  })
})

describe('collections in the output of V8', () => {
  it.each([
    ['[7:0x5f0] 41 ms: Scavenge 4.5 (5.2) -> 3.9 (6.2) MB, 0.91 / 0.00 ms  (average mu = 1)', 0.91],
    ['[7:0x5f0] 90 ms: Mark-Compact (reduce) 9.1 (12) -> 5 (9) MB, 12.5 / 0.1 ms', 12.5],
    ['[7:0x5f0] 90 ms: Scavenge 9.1 (12) -> 5 (9) MB, pooled: 2 MB, 1.5 / 0.1 ms', 1.5],
    ['2026-01-02 INFO svc: the server is ready', null],
  ])('%s', (line, ms) => {
    expect(collectionMs(line)).toBe(ms)
  })
})

it('a run of the built server', { timeout: 120_000 }, async () => {
  const lines = await tail({ root, data: null, documents: 300, clients: 2, searchMs: 300 })
  expect(lines[0]).toMatch(/^\d+ searches, ms: p50 \d/)
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines.slice(3)) {
    expect(line).toContain('search > ')
    const [all, queue, search, outside] = line.trim().split(/\s+/).map(Number)
    expect(search).toBeGreaterThan(0)
    // The clock of the queue has whole milliseconds.
    expect(queue! + search! + outside!).toBeGreaterThanOrEqual(all! - 2)
  }
})
