// Results as lines for people, and as JSON for comparisons.
import type { Measured } from './measure.ts'
import { compare, type Summary, type Verdict } from './statistics.ts'

/** One benchmark's result in the form of the file. Times are nanoseconds per operation. */
export type Result = Summary & {
  readonly name: string
  readonly operation: string
  /** Bytes per second, or null if they are meaningless. */
  readonly bytesPerSecond: number | null
  /** The result of a run. */
  readonly result: number
}

export type Report = {
  readonly version: 1
  readonly node: string
  readonly platform: string
  readonly cpu: string
  readonly seconds: number
  readonly results: readonly Result[]
}

export function resultOf(
  name: string,
  operation: string,
  work: { readonly operations: number; readonly bytes: number | null },
  { time, result }: Measured,
): Result {
  const perSecond = 1e9 / (time.p50 * work.operations)
  const bytesPerSecond = work.bytes === null ? null : work.bytes * perSecond
  return { name, operation, ...time, bytesPerSecond, result }
}

/** @throws Error for anything that no version of this program wrote */
export function readReport(text: string): Report {
  const report = JSON.parse(text) as Partial<Report>
  if (report.version !== 1 || !Array.isArray(report.results)) {
    throw new Error('This is not a report of `bench --json`.')
  }
  return report as Report
}

const NAME_COLUMNS = 22
const MARKS: Readonly<Record<Verdict, string>> = { faster: '▼', slower: '▲', same: ' ' }

export function headLine(isCompared: boolean): string {
  const head = `${'benchmark'.padEnd(NAME_COLUMNS)}${'one'.padStart(10)}${'a second'.padStart(12)}`
  const tail = `${'MB/s'.padStart(9)}${'spread'.padStart(9)}${'samples'.padStart(9)}`
  return head + tail + (isCompared ? `${'against then'.padStart(16)}` : '')
}

/** `then`: the earlier result to compare with, or null. */
export function resultLine(now: Result, then: Result | null): string {
  const { name, operation, p50, bytesPerSecond, spread, samples } = now
  const speed = bytesPerSecond === null ? '' : (bytesPerSecond / 1e6).toFixed(0)
  const cells = [
    name.padEnd(NAME_COLUMNS),
    duration(p50).padStart(10),
    rate(1e9 / p50).padStart(12),
    speed.padStart(9),
    `${(spread * 100).toFixed(0)} %`.padStart(9),
    String(samples).padStart(9),
    then === null ? '' : comparison(then, now).padStart(16),
    `  ${operation}`,
  ]
  return cells.join('').trimEnd()
}

function comparison(then: Result, now: Result): string {
  if (then.result !== now.result) return 'other work'
  const { ratio, verdict } = compare(then, now)
  const factor = ratio > 1 ? `${ratio.toFixed(2)} × slower` : `${(1 / ratio).toFixed(2)} × faster`
  return verdict === 'same' ? 'same' : `${MARKS[verdict]} ${factor}`
}

/** Formats nanoseconds with three significant digits. */
export function duration(ns: number): string {
  const units = ['ns', 'µs', 'ms', 's']
  let value = ns
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${threeDigits(value)} ${units[unit]}`
}

/** Formats a number per second. */
export function rate(perSecond: number): string {
  if (perSecond >= 999.5e6) return `${threeDigits(perSecond / 1e9)} G`
  if (perSecond >= 999.5e3) return `${threeDigits(perSecond / 1e6)} M`
  return perSecond >= 999.5 ? `${threeDigits(perSecond / 1e3)} k` : threeDigits(perSecond)
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0)
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2)
}
