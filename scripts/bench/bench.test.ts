// The arithmetic of measuring, with a fake clock. That every benchmark runs: ./counts.drill.test.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Benchmark, Work } from './benchmark.ts'
import { BENCH_DEFAULTS, type BenchOptions, benchCommand } from './command.ts'
import { risesOf } from './count-command.ts'
import { Counter, executedIn } from './counts.ts'
import { makeDocuments, makeIds, makeWords, WordSource } from './data.ts'
import { readHistory, writeEntry } from './history.ts'
import { BENCHMARKS, choose } from './list.ts'
import { measure, SAMPLES_MIN } from './measure.ts'
import { duration, type Report, rate, readReport, resultLine } from './report.ts'
import { compare, NOISE_MIN, summarize } from './statistics.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('statistics', () => {
  it('of known numbers', () => {
    expect(summarize([4, 1, 3, 2, 5])).toEqual({ samples: 5, min: 1, p50: 3, spread: 2 / 3 })
    expect(summarize([7])).toEqual({ samples: 1, min: 7, p50: 7, spread: 0 })
  })

  it('call a difference one only beyond the noise', () => {
    const side = (p50: number, spread = 0, min = p50) => ({ p50, spread, min })
    const quiet = side(100)
    expect(compare(quiet, side(100 * (1 + NOISE_MIN / 2))).verdict).toBe('same')
    expect(compare(quiet, side(120))).toEqual({ ratio: 1.2, verdict: 'slower' })
    expect(compare(quiet, side(50))).toEqual({ ratio: 0.5, verdict: 'faster' })
    expect(compare(quiet, side(120, 0.3)).verdict).toBe('same')
    expect(compare(side(100, 0.3), side(80)).verdict).toBe('same')
    // The machine was busy: the median grew, the fastest run did not.
    expect(compare(quiet, side(200, 0.1, 101)).verdict).toBe('same')
    expect(compare(side(200, 0.1, 99), quiet).verdict).toBe('same')
  })

  it('of two results are symmetrical', () => {
    const side = fc.record({
      p50: fc.double({ min: 1, max: 1e6, noNaN: true }),
      min: fc.double({ min: 1, max: 1e6, noNaN: true }),
      spread: fc.double({ min: 0, max: 2, noNaN: true }),
    })
    fc.assert(
      fc.property(side, side, (a, b) => {
        const there = compare(a, b)
        const back = compare(b, a)
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9)
        const opposite = { faster: 'slower', slower: 'faster', same: 'same' } as const
        expect(back.verdict).toBe(opposite[there.verdict])
      }),
    )
  })
})

/** Returns a clock on which run i of `work` takes `ms[i]`, and later runs take the last value. */
function clocked(ms: readonly number[], operations: number) {
  let time = 0
  let runs = 0
  const work: Work = {
    operations,
    bytes: null,
    run: () => {
      time += ms[Math.min(runs++, ms.length - 1)]!
      return 7
    },
  }
  return { work, now: () => time, runs: () => runs }
}

describe('measuring', () => {
  it('excludes the warm-up and divides by operations', async () => {
    const { work, now } = clocked([500, 90, 2], 4)
    const { time, result } = await measure(work, { seconds: 1, now })
    expect(result).toBe(7)
    expect(time).toMatchObject({ min: 500_000, p50: 500_000, spread: 0 })
  })

  it('groups short runs into samples that the clock can measure', async () => {
    const { work, now, runs } = clocked([0.001], 1)
    const { time } = await measure(work, { seconds: 0.1, now })
    expect(time.p50).toBeCloseTo(1_000, 3)
    expect(time.samples).toBeLessThan(200)
    expect(runs()).toBeGreaterThan(100_000)
  })

  it('takes few samples of slow work, and accepts promises', async () => {
    const slow = clocked([60_000], 1)
    const run = async () => slow.work.run()
    const { time } = await measure({ ...slow.work, run }, { seconds: 1, now: slow.now })
    expect(time.samples).toBe(SAMPLES_MIN)
  })

  it('ends even if the clock stands still', async () => {
    const { work } = clocked([0], 1)
    let looks = 0
    const { time } = await measure(work, { seconds: 0.001, now: () => looks++ >> 4 })
    expect(time.samples).toBeGreaterThanOrEqual(SAMPLES_MIN)
  })

  it('refuses work that differs from run to run', async () => {
    let runs = 0
    const work = { operations: 1, bytes: null, run: () => runs++ }
    await expect(measure(work, { seconds: 0, now: () => 0 })).rejects.toThrow(/gave 1 where .* 0/)
  })
})

describe('data', () => {
  it('is the same every time, and has the expected properties', () => {
    expect(makeWords(500)).toEqual(makeWords(500))
    expect(new Set(makeWords(5_000)).size).toBe(5_000)
    expect(makeDocuments(5)).toEqual(makeDocuments(5))
    const ids = [...makeIds(1_000, 5_000, 3)]
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    const counts = new Map<string, number>()
    const words = makeWords(1_000)
    const source = new WordSource(words, 1)
    for (let i = 0; i < 20_000; i++) {
      const word = source.next()
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    expect(counts.get(words[0]!)!).toBeGreaterThan(counts.get(words[20]!)! * 4)
  })
})

const made = (name: string, run: () => number): Benchmark => ({
  name,
  about: `about ${name}`,
  operation: 'thing',
  prepare: () => ({ operations: 10, bytes: 1_000, run }),
})
const SOME = [made('a/one', () => 1), made('a/two', () => 2), made('ab/three', () => 3)]

async function command(options: Partial<BenchOptions>, benchmarks: readonly Benchmark[] = SOME) {
  const lines: string[] = []
  const complaints: string[] = []
  const all = { ...BENCH_DEFAULTS, seconds: 0.001, ...options }
  const output = {
    out: (line: string) => lines.push(line),
    complain: (line: string) => complaints.push(line),
  }
  const code = await benchCommand(all, output, benchmarks)
  return { code, lines, complaints }
}

describe('the command', () => {
  it('chooses by names and beginnings of names', async () => {
    const names = (wanted: string[]) => choose(SOME, wanted).chosen.map(({ name }) => name)
    expect(names([])).toEqual(['a/one', 'a/two', 'ab/three'])
    expect(names(['a'])).toEqual(['a/one', 'a/two'])
    expect(names(['ab/three', 'a/one'])).toEqual(['a/one', 'ab/three'])
    const { code, complaints } = await command({ names: ['a', 'b'] })
    expect([code, complaints]).toEqual([1, ['No benchmark is called b; --list names them.']])
  })

  it('lists, runs, and prints JSON that it can compare with', async () => {
    const listed = await command({ list: true, names: ['ab'] })
    expect(listed.lines).toEqual(['ab/three               about ab/three'])
    const run = await command({})
    expect(run.lines).toHaveLength(4)
    expect(run.lines[1]).toMatch(/^a\/one .* thing$/)

    const report = readReport((await command({ json: true })).lines.join('\n'))
    expect(report.results.map(({ name, result }) => [name, result])).toEqual([
      ['a/one', 1],
      ['a/two', 2],
      ['ab/three', 3],
    ])
    const [one, two] = report.results
    const then: Report = {
      ...report,
      results: [
        { ...one!, p50: 1e12, min: 1e12 },
        { ...two!, result: 5 },
      ],
    }
    const path = join(folder, 'then.json')
    writeFileSync(path, JSON.stringify(then))
    const compared = await command({ compare: path })
    expect(compared.lines[1]).toMatch(/▼ [\d.]+ × faster {2}thing$/)
    expect(compared.lines[2]).toMatch(/other work {2}thing$/)
    expect(compared.lines[3]).not.toMatch(/faster|slower|same|other/)
    expect(() => readReport('{"version":2}')).toThrow(/not a report/)
  })

  it('releases everything when a benchmark fails', async () => {
    let closed = 0
    let place = ''
    const failing: Benchmark = {
      ...made('x/fails', () => 0),
      prepare: ({ folder: make }) => {
        place = make()
        const run = (): number => {
          throw new Error('no')
        }
        return { operations: 1, bytes: null, run, close: () => void closed++ }
      },
    }
    await expect(command({}, [failing])).rejects.toThrow('no')
    expect(closed).toBe(1)
    expect(() => readFileSync(place)).toThrow(/ENOENT/)
  })
})

it('results are readable', () => {
  expect([0.5, 12.34, 123.4, 999.6, 12_345, 5e9].map(duration)).toEqual([
    '0.50 ns',
    '12.3 ns',
    '123 ns',
    '1.00 µs',
    '12.3 µs',
    '5.00 s',
  ])
  expect([0.5, 999.6, 12_345, 1.5e7, 2e9].map(rate)).toEqual([
    '0.50',
    '1.00 k',
    '12.3 k',
    '15.0 M',
    '2.00 G',
  ])
  const result = {
    name: 'a/b',
    operation: 'key',
    p50: 250,
    min: 230,
    spread: 0.08,
    samples: 12,
    bytesPerSecond: 4e7,
    result: 1,
  }
  expect(resultLine(result, null)).toBe(
    'a/b                       250 ns      4.00 M       40      8 %       12  key',
  )
})

describe('every benchmark', () => {
  it('has a unique name', () => {
    const names = BENCHMARKS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+\/[a-z0-9-]+$/)
  })
})

describe('counts', () => {
  const block = (startOffset: number, endOffset: number, count: number) => ({
    startOffset,
    endOffset,
    count,
  })

  it('assign each character to the innermost block', () => {
    expect(executedIn([])).toBe(0)
    expect(executedIn([block(0, 100, 2)])).toBe(200)
    // A loop of 24 characters ran 100 times, a branch of 15 in it 50 times.
    expect(executedIn([block(1, 96, 1), block(54, 78, 100), block(62, 77, 50)])).toBe(
      95 - 24 + 9 * 100 + 15 * 50,
    )
    expect(executedIn([block(0, 10, 1), block(10, 20, 3), block(12, 14, 0)])).toBe(10 + 8 * 3)
    expect(executedIn([block(50, 60, 4), block(0, 100, 0)])).toBe(40)
  })

  it('match a real run: a loop twice as long costs twice as much, allocations too', async () => {
    const counter = await Counter.start()
    const source = 'let s = 0; for (let i = 0; i < n; i++) s += [i].length; return s'
    const loop = new Function('n', source) as (n: number) => number
    const counts = async (n: number) => {
      const work = { operations: 1, bytes: null, run: () => loop(n) }
      const { executed } = await counter.count(work, () => false)
      return executed
    }
    const [once, twice] = [await counts(1_000), await counts(2_000)]
    counter.stop()
    expect(twice - once).toBeGreaterThan(0.9 * once)
    expect(twice).toBeLessThan(2.1 * once)
  })

  it('count as risen if they are a fifth higher and the difference is not small', () => {
    const then = { executed: 1_000_000, allocated: 100_000, produced: 1_000 }
    expect(risesOf(then, then)).toEqual([])
    expect(risesOf(then, { executed: 1_190_000, allocated: 119_000, produced: 1_190 })).toEqual([])
    expect(risesOf(then, { ...then, executed: 1_210_000 })).toEqual([
      'executed 1000000 → 1210000 (+21 %)',
    ])
    expect(risesOf(then, { ...then, allocated: null })).toEqual([])
    expect(risesOf({ ...then, allocated: 100 }, { ...then, allocated: 8_000 })).toEqual([])
    expect(risesOf(then, { ...then, produced: 1_300, allocated: 200_000 })).toHaveLength(2)
  })
})

describe('the history', () => {
  it('reads what it wrote, the oldest first', () => {
    const place = join(folder, 'history')
    expect(readHistory(place)).toEqual([])
    const counts = { 'a/one': { executed: 2_500_000, allocated: 10, produced: null } }
    const report: Report = {
      version: 1,
      node: 'v20.0.0',
      platform: 'linux x64',
      cpu: 'some',
      seconds: 1,
      results: [],
    }
    writeEntry(place, '2026-02-01', { ...report, counts })
    writeEntry(place, '2026-01-01-first', { ...report, counts: {} })
    const entries = readHistory(place)
    expect(entries.map(({ name }) => name)).toEqual(['2026-01-01-first', '2026-02-01'])
    expect(entries[1]).toEqual({ ...report, counts, name: '2026-02-01' })
    expect(() => writeEntry(place, '../out', { ...report, counts })).toThrow(/name/)
    writeFileSync(join(place, '2026-03-01.json'), JSON.stringify(report))
    expect(() => readHistory(place)).toThrow(/has no counts/)
  })
})
