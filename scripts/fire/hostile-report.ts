// Reports of hostile runs, and the limits that they missed.
import { bytesText, type Column } from '../../tools/terminal/index.ts'
import type { AttackReport } from './hostile-session.ts'
import type { Times } from './hostile-watch.ts'

const GB = 1_000_000_000
const HEALTH_P99_MS_MAX = 50
const SEARCH_P99_MS_MAX = 500
const RESIDENT_BYTES_MAX = GB
/** Largest share of failed searches of others: a p99 would not show them. */
const FAILED_SHARE_MAX = 0.01

/** Returns a short text for each missed limit. */
export function missed(report: AttackReport): readonly string[] {
  const { watched, residentBytes, aborted, recoveredMs, tallies } = report
  const { health, searches } = watched
  const limits: readonly (readonly [boolean, string])[] = [
    [aborted !== null, `the server ended: ${aborted}`],
    [health.p99 >= HEALTH_P99_MS_MAX, `health p99 ${millis(health.p99)}`],
    [failed(health) > 0, `health failed: ${failuresText(health)}`],
    [searches.p99 >= SEARCH_P99_MS_MAX, `searches p99 ${millis(searches.p99)}`],
    [
      failed(searches) > FAILED_SHARE_MAX * searches.count,
      `searches failed: ${failuresText(searches)}`,
    ],
    [residentBytes.max >= RESIDENT_BYTES_MAX, `memory ${bytesText(residentBytes.max)}`],
    [recoveredMs === null, 'no answer afterwards'],
    ...tallies.map(({ name, unwanted }): readonly [boolean, string] => [
      unwanted.length > 0,
      `${name} got ${unwanted.join(', ')}`,
    ]),
  ]
  return limits.filter(([isMissed]) => isMissed).map(([, words]) => words)
}

const failed = ({ failures }: Times): number =>
  Object.values(failures).reduce((sum, count) => sum + count, 0)
const failuresText = ({ failures }: Times): string => countsText(failures)

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([key, count]) => `${key}: ${count}`)
    .join(' · ')

const millis = (value: number): string =>
  value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`

const timesText = ({ p50, p99, max, count }: Times): string =>
  `p50 ${millis(p50)} · p99 ${millis(p99)} · most ${millis(max)} (${count} measured)`

/** Returns a paragraph per attack, or a line of JSON with all measurements. */
export const reportText = (report: AttackReport, isJson: boolean): string =>
  isJson ? `${JSON.stringify({ ...report, missed: missed(report) })}\n` : attackText(report)

function attackText(report: AttackReport): string {
  const { name, seconds, watched, residentBytes, tallies, recoveredMs } = report
  const { before, max, after } = residentBytes
  const problems = missed(report)
  const lines = [
    `${problems.length === 0 ? 'held  ' : 'MISSED'} ${name} (${seconds.toFixed(0)} s)`,
    ...tallies.map(
      (tally) =>
        `  sent        ${tallies.length === 1 ? '' : `${tally.name} `}${tally.sent} requests, ` +
        `answers ${countsText(tally.outcomes) || 'none'} (${bytesText(tally.answerBytes)})`,
    ),
    `  health      ${timesText(watched.health)}`,
    `  corrected   ${timesText(watched.healthCorrected)}`,
    `  searches    ${timesText(watched.searches)}`,
    `  probe late  ${timesText(watched.lateness)}`,
    `  memory      ${bytesText(before)} before · ${bytesText(max)} at most · ` +
      `${bytesText(after)} after`,
    `  processor   server ${report.serverCpuSeconds.toFixed(1)} s, ` +
      `its main thread waited for one ${report.serverWaitSeconds.toFixed(1)} s · ` +
      `attackers ${report.cpuSeconds.toFixed(1)} s`,
    `  afterwards  ${recoveredMs === null ? 'no answer' : `health after ${millis(recoveredMs)}`}`,
    ...problems.map((problem) => `  MISSED      ${problem}`),
  ]
  return `${lines.join('\n')}\n`
}

export const SUMMARY_COLUMNS: readonly Column[] = [
  { title: 'attack' },
  { title: 'item', align: 'right' },
  { title: 'sent', align: 'right' },
  { title: 'health p50 / p99 / most' },
  { title: 'searches p50 / p99 / most' },
  { title: 'memory', align: 'right' },
  { title: 'verdict' },
]

/** Returns one row of the table of all attacks. */
export function summaryRow(item: string, report: AttackReport): readonly string[] {
  const { name, tallies, watched, residentBytes } = report
  const times = ({ p50, p99, max }: Times): string =>
    [p50, p99, max].map((value) => value.toFixed(value < 10 ? 1 : 0)).join(' / ')
  const problems = missed(report)
  return [
    name,
    item,
    String(tallies.reduce((sum, { sent }) => sum + sent, 0)),
    times(watched.health),
    times(watched.searches),
    bytesText(residentBytes.max),
    problems.length === 0 ? 'held' : problems.join('; '),
  ]
}
