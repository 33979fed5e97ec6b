// `npm run bench`: runs benchmarks one after another, prints each result, stores and compares
// results.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Benchmark } from './benchmark.ts'
import { countApart, countCommand } from './count-command.ts'
import { readHistory, writeEntry } from './history.ts'
import { BENCHMARKS, choose } from './list.ts'
import { measure } from './measure.ts'
import { headLine, type Report, type Result, readReport, resultLine, resultOf } from './report.ts'
import { withWork } from './with-work.ts'

export type BenchOptions = {
  /** Names or beginnings of names; empty means all benchmarks. */
  readonly names: readonly string[]
  /** Lists the benchmarks instead of running them. */
  readonly list: boolean
  /** Prints a report as JSON instead of lines. */
  readonly json: boolean
  /** A file with an earlier report as JSON, or null. */
  readonly compare: string | null
  /** Time for each benchmark without its warm-up. */
  readonly seconds: number
  /** Counts executed code and allocations instead of measuring times (`counts.ts`). */
  readonly counts: boolean
  /** Writes times and counts into the history under this name, unless null. */
  readonly record: string | null
}

export const BENCH_DEFAULTS: BenchOptions = {
  names: [],
  list: false,
  json: false,
  compare: null,
  seconds: 1,
  counts: false,
  record: null,
}

export type Output = {
  /** Prints a line of output. */
  readonly out: (line: string) => void
  /** Prints a line about an error. */
  readonly complain: (line: string) => void
}

/** Returns the exit code. `benchmarks`: all by default; tests pass others. */
export async function benchCommand(
  options: BenchOptions,
  { out, complain }: Output,
  benchmarks: readonly Benchmark[] = BENCHMARKS,
): Promise<number> {
  const { chosen, unknown } = choose(benchmarks, options.names)
  if (unknown.length > 0) {
    complain(`No benchmark is called ${unknown.join(', ')}; --list names them.`)
    return 1
  }
  if (options.list) {
    for (const { name, about } of chosen) out(`${name.padEnd(22)} ${about}`)
    return 0
  }
  if (options.counts)
    return countCommand(chosen, options.json, out, readHistory(HISTORY).at(-1) ?? null)
  const then = options.compare === null ? null : readReport(readFileSync(options.compare, 'utf8'))
  const earlier = new Map((then?.results ?? []).map((result) => [result.name, result]))
  if (!options.json) out(headLine(then !== null))
  const results: Result[] = []
  for (const benchmark of chosen) {
    const result = await runOne(benchmark, options)
    results.push(result)
    if (!options.json) out(resultLine(result, earlier.get(result.name) ?? null))
  }
  const report = reportOf(results, options.seconds)
  if (options.json) out(JSON.stringify(report, null, 2))
  if (options.record !== null) {
    const path = writeEntry(HISTORY, options.record, { ...report, counts: countApart() })
    complain(`Written: ${path}`)
  }
  return 0
}

/** The folder of the history, relative to the root of the checkout. */
const HISTORY = 'scripts/bench/history'

const runOne = (benchmark: Benchmark, options: BenchOptions): Promise<Result> =>
  withWork(benchmark, false, async (work) => {
    const now = () => performance.now()
    const measured = await measure(work, { seconds: options.seconds, now })
    return resultOf(benchmark.name, benchmark.operation, work, measured)
  })

const reportOf = (results: readonly Result[], seconds: number): Report => ({
  version: 1,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  seconds,
  results,
})
