// `npm run bench -- --counts`: counts one run of each benchmark on small data and compares the
// counts with the last entry of the history. Counts are the same on every machine, so the test run
// fails when one has risen.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Benchmark } from './benchmark.ts'
import { COUNTING_FLAGS, Counter, type Counts, type CountsByName } from './counts.ts'
import type { HistoryEntry } from './history.ts'
import { withWork } from './with-work.ts'

/** A count may be higher than the recorded one by this share. */
const RISE_MAX = 0.2
/** Smaller differences are noise, for example of lazily built tables or another release of V8. */
const DIFFERENCE_MIN = { executed: 20_000, allocated: 8_192, produced: 64 } as const

/**
 * Counts in this process if it has the necessary flags, otherwise in another one. Returns the exit
 * code: 1 if a count has risen by more than `RISE_MAX` since `entry`.
 */
export async function countCommand(
  benchmarks: readonly Benchmark[],
  isJson: boolean,
  out: (line: string) => void,
  entry: HistoryEntry | null,
): Promise<number> {
  if (!COUNTING_FLAGS.every((flag) => process.execArgv.includes(flag))) return again()
  if (isJson) {
    out(JSON.stringify(await countAll(benchmarks, () => false)))
    return 0
  }
  // Another release of V8 allocates differently.
  const isComparable = majorOf(entry?.node ?? '') === majorOf(process.version)
  const risesSince = (name: string, now: Counts): readonly string[] => {
    const then = entry?.counts[name] ?? null
    return then === null ? [] : risesOf(isComparable ? then : { ...then, allocated: null }, now)
  }
  const counts = await countAll(benchmarks, (name, now) => risesSince(name, now).length === 0)
  let rises = 0
  for (const [name, now] of Object.entries(counts)) {
    const risen = risesSince(name, now)
    rises += risen.length
    out(`${countLine(name, now)}${risen.map((text) => `  ▲ ${text}`).join('')}`)
  }
  if (rises > 0) {
    out(
      `${rises} counts rose by more than ${RISE_MAX * 100} % since ${entry!.name}. If that is ` +
        'the price of something better, record them: npm run bench -- --record NAME',
    )
  }
  return rises > 0 ? 1 : 0
}

const majorOf = (version: string): string => version.split('.')[0]!

/** The bundle of this program, which another process runs without making it again. */
const PROGRAM = fileURLToPath(import.meta.url)

/** Runs this program once more with the flags for counting. */
function again(): number {
  const args = [...COUNTING_FLAGS, PROGRAM, ...process.argv.slice(2)]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}

/** Returns counts of all benchmarks, from another process. */
export function countApart(): CountsByName {
  const args = [...COUNTING_FLAGS, PROGRAM, '--counts', '--json']
  const { stdout, status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The counting process ended with code ${status}.`)
  return JSON.parse(stdout) as CountsByName
}

async function countAll(
  benchmarks: readonly Benchmark[],
  isEnough: (name: string, counts: Counts) => boolean,
): Promise<CountsByName> {
  const counter = await Counter.start()
  const counts: { [name: string]: Counts } = {}
  for (const benchmark of benchmarks) {
    counts[benchmark.name] = await withWork(benchmark, true, (work) =>
      counter.count(work, (now) => isEnough(benchmark.name, now)),
    )
  }
  counter.stop()
  return counts
}

/** Returns messages for the counts of `now` that are too high. */
export function risesOf(then: Counts, now: Counts): string[] {
  return (['executed', 'allocated', 'produced'] as const).flatMap((what) => {
    const before = then[what]
    const after = now[what]
    if (before === null || after === null) return []
    if (after - before < DIFFERENCE_MIN[what] || after <= before * (1 + RISE_MAX)) return []
    return [`${what} ${before} → ${after} (+${((after / before - 1) * 100).toFixed(0)} %)`]
  })
}

function countLine(name: string, { executed, allocated, produced }: Counts): string {
  const cell = (count: number | null, unit: string): string =>
    (count === null ? '' : `${count.toLocaleString('en')} ${unit}`).padStart(22)
  return (
    name.padEnd(22) +
    cell(executed, 'executed') +
    cell(allocated, 'B allocated') +
    cell(produced, 'B written')
  ).trimEnd()
}
