// The tables of docs/scaling.md: the results of the simulation as Markdown. The page holds each
// between two comments; a test compares them.
import { PARAMETERS } from './parameters.table.ts'
import {
  firstDownload,
  simulateFollowers,
  simulateLag,
  simulatePublishing,
} from './simulate-followers.ts'
import { simulateSearches, simulateShards, simulateWrites } from './simulate-network.ts'

const INSTANCES = [1, 3, 5, 10, 20, 50]
const REPLICAS = [1, 2, 3]
const RATES = [0.1, 1, 10, 100, 1000]
const INTERVALS = [1, 5, 60]
const SIZES = [1e6, 1e7, 1e8, 1e9]

/** Name of a table → its Markdown. Takes some seconds. */
export const scalingTables = (): ReadonlyMap<string, string> =>
  new Map([
    ['parameters', parameters()],
    ['writes', writes()],
    ['searches', searches()],
    ['shards', shards()],
    ['publishing', publishing()],
    ['lag', lag()],
    ['followers', followers()],
    ['download', download()],
  ])

/** Returns the page with these tables in their places. @throws Error if a place is missing */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  let text = page
  for (const [name, table] of tables) {
    const begin = `<!-- simulated: ${name} -->\n`
    const end = `<!-- end of ${name} -->`
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`the page has no place for the table ${name}`)
    text = `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`
  }
  return text
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return `${[line(head), `|${'---:|'.repeat(head.length)}`, ...rows.map(line)].join('\n')}\n`
}

const parameters = (): string =>
  tableOf(
    ['value', 'unit', 'what', 'from'],
    Object.values(PARAMETERS).map(({ value, unit, what, from }) => [
      counted(value),
      unit,
      what,
      from,
    ]),
  )

const writes = (): string =>
  tableOf(
    ['instances', ...REPLICAS.map((count) => `documents/s, replicas ${count}`)],
    simulateWrites(INSTANCES, REPLICAS).map(({ instances, perS }) => [
      String(instances),
      ...perS.map((value, i) => (REPLICAS[i]! > instances ? '–' : rounded(value))),
    ]),
  )

const searches = (): string =>
  tableOf(
    ['instances', 'median ms', 'p99 ms', 'p99 ms with hedging'],
    simulateSearches(INSTANCES).map(({ instances, p50, p99, hedgedP99 }) => [
      String(instances),
      p50.toFixed(0),
      p99.toFixed(0),
      instances === 1 ? '–' : hedgedP99.toFixed(0),
    ]),
  )

const shards = (): string =>
  tableOf(
    ['instances', 'largest shard / mean', 'documents that move', 'hours'],
    simulateShards(INSTANCES.slice(1)).map(({ instances, largest, moved, hours }) => [
      `${instances} → ${instances + 1}`,
      largest.toFixed(2),
      `${(100 * moved).toFixed(1)} %`,
      hours.toFixed(2),
    ]),
  )

const publishing = (): string =>
  tableOf(
    [
      'documents/s',
      'interval s',
      'intervals with a state',
      'files a state',
      'sent a state',
      'PUT an hour',
      'sent an hour',
      '$ a month',
      '$ a month and follower',
    ],
    RATES.flatMap((rate) =>
      INTERVALS.map((interval) => {
        const row = simulatePublishing(rate, interval)
        return [
          String(rate),
          String(interval),
          `${(100 * row.published).toFixed(0)} %`,
          row.files.toFixed(1),
          size(row.bytes),
          rounded(row.putsPerHour),
          size(row.bytesPerHour),
          row.dollarsPerMonth.toFixed(2),
          row.followerDollarsPerMonth.toFixed(2),
        ]
      }),
    ),
  )

const lag = (): string =>
  tableOf(
    ['interval s', 'poll s', 'median s', 'p99 s', 'most s'],
    INTERVALS.flatMap((interval) =>
      [1, 5].map((poll) => {
        const { p50, p99, most } = simulateLag(interval, poll)
        return [String(interval), String(poll), p50.toFixed(1), p99.toFixed(1), most.toFixed(1)]
      }),
    ),
  )

const followers = (): string =>
  tableOf(
    ['interval s', 'poll s', 'reads/s of a follower', 'followers', 'stopped by'],
    INTERVALS.flatMap((interval) =>
      [1, 5].map((poll) => {
        const { readsPerS, followers: count, stoppedBy } = simulateFollowers(interval, poll)
        return [String(interval), String(poll), readsPerS.toFixed(2), rounded(count), stoppedBy]
      }),
    ),
  )

const download = (): string =>
  tableOf(
    ['documents', 'downloaded', 'time'],
    SIZES.map((documents) => {
      const { bytes, seconds } = firstDownload(documents)
      const time = seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`
      return [counted(documents), size(bytes), time]
    }),
  )

const MB = 1e6

const size = (bytes: number): string => {
  if (bytes >= 1000 * MB) return `${(bytes / 1000 / MB).toFixed(1)} GB`
  return bytes >= MB ? `${(bytes / MB).toFixed(1)} MB` : `${(bytes / 1000).toFixed(0)} kB`
}

const counted = (value: number): string => value.toLocaleString('en')

/** Rounds to two significant digits: more would not be exact. */
const rounded = (value: number): string =>
  value < 100 ? value.toFixed(0) : counted(Number(value.toPrecision(2)))
