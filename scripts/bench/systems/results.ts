// Figures of whole systems, as `npm run bench -- --report` measures them, and the file that the
// pages and plots are generated from.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Metric = {
  readonly title: string
  readonly unit: string
  /** The measured work, for the page. */
  readonly about: string
}

export const METRICS = {
  bulkSeconds: {
    title: 'bulk',
    unit: 's',
    about:
      'import of all documents, 5,000 a request: from the first byte until the last document is searchable',
  },
  bulkCpu: {
    title: 'bulk, CPU',
    unit: 's',
    about: 'processor time of all threads during the bulk',
  },
  bulkMemory: {
    title: 'bulk, memory',
    unit: 'MB',
    about: 'largest resident memory during the bulk, mapped files included',
  },
  disk: { title: 'disk', unit: 'MB', about: 'allocated blocks of the data folder after the bulk' },
  updateSeconds: {
    title: 'update',
    unit: 's',
    about:
      'a tenth of the documents is sent again with changed titles: until the last document is searchable',
  },
  updateCpu: { title: 'update, CPU', unit: 's', about: 'processor time during the update' },
  singleMs: {
    title: 'one document',
    unit: 'ms',
    about: 'median time from the request with one new document until a search finds the document',
  },
  searchMs: {
    title: 'search',
    unit: 'ms',
    about:
      'median response time with one client; words, prefixes, typos and whole titles in equal parts',
  },
  searchP99Ms: { title: 'search, p99', unit: 'ms', about: '99 % of the responses are faster' },
  searchCpuMs: { title: 'search, CPU', unit: 'ms', about: 'processor time for each search' },
  searchesPerSecond: {
    title: 'searches',
    unit: '1/s',
    about: 'responses per second with 8 clients',
  },
  filterMs: {
    title: 'filtered search',
    unit: 'ms',
    about: 'median response time of one word with a filter, a sort and facets, with one client',
  },
  memory: {
    title: 'memory',
    unit: 'MB',
    about: 'resident memory after all searches, mapped files included',
  },
  restartMs: {
    title: 'restart',
    unit: 'ms',
    about: 'from the start of the server with these data until the first response to a search',
  },
  restartCpu: { title: 'restart, CPU', unit: 's', about: 'processor time until that response' },
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof METRICS
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[]

/** The figures of one round; absent ones were not measured. */
export type Figures = { readonly [name in MetricName]?: number }

/** Median and extremes of the rounds. */
export type Range = { readonly median: number; readonly min: number; readonly max: number }

export type SystemResult = {
  readonly name: string
  /** False for a library in its own process: its times have no HTTP in them. */
  readonly isServer: boolean
  readonly figures: { readonly [name in MetricName]?: Range }
}

export type DataResult = {
  readonly name: string
  readonly documents: number
  /** Bytes of JSON. */
  readonly bytes: number
  readonly systems: readonly SystemResult[]
}

export type Results = {
  /** A date without time. */
  readonly date: string
  readonly commit: string
  readonly node: string
  readonly cpu: string
  readonly processors: number
  readonly memoryBytes: number
  readonly platform: string
  readonly rounds: number
  /** Processors that other programs used before each round, on average. */
  readonly otherProcessors: number
  readonly data: readonly DataResult[]
}

/** Relative to the root of the checkout. */
export const RESULTS_FILE = 'scripts/bench/systems/results.json'

export const readResults = (root: string): Results =>
  JSON.parse(readFileSync(join(root, RESULTS_FILE), 'utf8')) as Results

/** Joins the figures of several rounds. */
export function rangesOf(rounds: readonly Figures[]): SystemResult['figures'] {
  const found: { [name in MetricName]?: Range } = {}
  for (const name of METRIC_NAMES) {
    const values = rounds.flatMap(({ [name]: value }) => (value === undefined ? [] : [value]))
    if (values.length === 0) continue
    const sorted = values.toSorted((a, b) => a - b)
    const at = (place: number): number => Number(sorted[place]!.toPrecision(4))
    found[name] = { median: at(sorted.length >> 1), min: at(0), max: at(sorted.length - 1) }
  }
  return found
}
