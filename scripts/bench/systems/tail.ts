// `npm run bench -- --tail`: the slowest searches of a run, and what each of them waited for.
//
// The answer says how long the search waited for its thread and how long each step took
// (`performanceDetails`). V8 reports collections of garbage in the server's output, for all threads
// together: those that overlap a search are counted, whether or not they were in its thread. The
// rest of the time passed outside of the search thread: in the event loops of the server and of
// this client, and between them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../../tools/terminal/index.ts'
import { type DataSet, dataOf, generatedData, queriesOf } from './data.ts'
import { fillIndex, isHealthy, type Span, searchAll } from './measure-server.ts'
import { startSystem } from './server.ts'

export type TailOptions = {
  /** The root of the checkout, with a built server. */
  readonly root: string
  /** `NAME=FILE` of documents; null for invented films. */
  readonly data: string | null
  readonly documents: number
  readonly clients: number
  readonly searchMs: number
}

export const TAIL_DEFAULTS = { documents: 20_000, clients: 4, searchMs: 6_000 } as const

export type TimedSearch = Span & {
  readonly q: string
  /** Milliseconds by step, as in `performanceDetails`. */
  readonly steps: ReadonlyMap<string, number>
}

const SHOWN = 10
const QUEUE = 'wait in queue'
const BETWEEN = ' > '

/** Returns the lines of the report. */
export async function tail(options: TailOptions): Promise<readonly string[]> {
  const data = options.data === null ? generatedData(options.documents) : dataOf(options.data)
  const folder = mkdtempSync(join(tmpdir(), 'svc-tail-'))
  try {
    const db = join(folder, 'db')
    mkdirSync(db)
    return await runTail(options, data, db)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runTail(
  { root, clients, searchMs }: TailOptions,
  data: DataSet,
  db: string,
): Promise<readonly string[]> {
  const collections: Span[] = []
  const main = join(root, 'dist/server/main.js')
  const words = '--db-path {db} --http-addr 127.0.0.1:{port} --no-analytics'
  const command = `${process.execPath} --trace-gc ${main} ${words}`
  const server = await startSystem(command, db, isHealthy, (line) => {
    const ms = collectionMs(line)
    if (ms !== null) collections.push({ begun: performance.now() - ms, ms })
  })
  try {
    await fillIndex(server.client, data)
    const { client } = server
    const bodies = queriesOf(data).map(({ q }) => ({ q, limit: 10, showPerformanceDetails: true }))
    await searchAll(client, bodies, clients, searchMs / 3, () => undefined)
    const searches: TimedSearch[] = []
    await searchAll(client, bodies, clients, searchMs, ({ q }, span, { performanceDetails }) =>
      searches.push({ q, ...span, steps: stepsOf(performanceDetails) }),
    )
    return tailLines(searches, collections)
  } finally {
    await server.stop()
  }
}

/** Returns the milliseconds of a collection that V8 reports in this line, or null for others. */
export function collectionMs(line: string): number | null {
  const found = /^\[\d+:0x[0-9a-f]+\].* MB, (?:pooled: \S+ MB, )?([\d.]+) \/ /.exec(line)
  return found === null ? null : Number(found[1])
}

const UNITS: { readonly [unit: string]: number } = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1000 }

/** Reads durations such as `1.25ms`. */
function stepsOf(details: { readonly [step: string]: string } = {}): Map<string, number> {
  const steps = new Map<string, number>()
  for (const [step, text] of Object.entries(details)) {
    const [, number, unit] = /^([\d.]+)(ns|µs|ms|s)$/.exec(text) ?? []
    if (number === undefined) throw new ToolError(`${step} is no duration: ${text}`)
    steps.set(step, Number(number) * UNITS[unit!]!)
  }
  return steps
}

/** Returns a line for each of the slowest searches, under lines about all. */
export function tailLines(
  searches: readonly TimedSearch[],
  collections: readonly Span[],
): readonly string[] {
  const slowest = searches.toSorted((a, b) => b.ms - a.ms)
  const at = (share: number): string => ms(slowest[Math.floor((1 - share) * slowest.length)]?.ms)
  return [
    `${searches.length} searches, ms: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)}`,
    '',
    '      ms    queue   search  outside  garbage  longest step of the search, and its words',
    ...slowest.slice(0, SHOWN).map((one) => lineOf(one, collections)),
  ]
}

function lineOf(search: TimedSearch, collections: readonly Span[]): string {
  const { q, steps } = search
  const queue = steps.get(QUEUE) ?? 0
  // Steps inside of another one have two marks in their names.
  const parts = [...steps].filter(([name]) => name.split(BETWEEN).length === 2)
  const own = parts.reduce((sum, [, part]) => sum + part, 0)
  const [step, longest] = parts.reduce((a, b) => (b[1] > a[1] ? b : a), ['no step', 0] as const)
  const outside = Math.max(0, search.ms - own - queue)
  const garbage = collections.reduce((sum, one) => sum + overlap(search, one), 0)
  const figures = [search.ms, queue, own, outside, garbage].map((n) => ms(n).padStart(8))
  return `${figures.join(' ')}  ${step} ${ms(longest)}: ${JSON.stringify(q)}`
}

const overlap = (a: Span, b: Span): number =>
  Math.max(0, Math.min(a.begun + a.ms, b.begun + b.ms) - Math.max(a.begun, b.begun))

const ms = (value = 0): string => value.toFixed(2)
