// Measures the cost of a search over a network of three instances beside the same search on one
// instance with the same documents: processor time in all processes of the side, duration, rate.
//
// The instances call each other directly, and only their processor time counts, not that of the
// clients in this process. The two sides search in turns, so that a machine that becomes slower
// slows down both.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countOf, table } from '../../tools/terminal/index.ts'
import { type AskOptions, clientOf, pause, untilHolds, untilIdle } from './ask.ts'
import { type Doc, documentsOf, type Query, queriesOf } from './network-cost-data.ts'
import { Instance } from './network-instance.ts'
import { percentile } from './summary.ts'

type Step = 'documents' | 'totals' | 'warm-up' | 'searches'

export type NetworkCostOptions = {
  readonly documents: number
  /** Searches of each side, for each number of clients. */
  readonly searches: number
  /** Searches of each side before the measurement. */
  readonly warmUp: number
  /** Numbers of clients that search at the same time. */
  readonly clients: readonly number[]
  /** Seed of the documents and queries. */
  readonly seed: number
  readonly onStep?: (step: Step) => void
}

export type CostRow = {
  readonly clients: number
  readonly side: SideName
  /** Processor time of a search in all processes of the side, in milliseconds. */
  readonly cpuMs: number
  /** Milliseconds until the answer: the median, and the 95th percentile. */
  readonly p50: number
  readonly p95: number
  readonly perSecond: number
}

export type NetworkCostReport = {
  /** For each number of clients: the instance alone, then the network. */
  readonly rows: readonly CostRow[]
  /** Number of found documents of each query, the same on both sides. */
  readonly totals: readonly number[]
}

type SideName = 'one' | 'network'

/** `entry` receives the searches and the writes; `instances` has it too. */
type Side = {
  readonly name: SideName
  readonly entry: Instance
  readonly instances: readonly Instance[]
}

/** Turns of each side for a row. */
const TURNS = 6
const LIMIT = 20
const BATCH = 10_000
/** Pause before processor times are read: Linux adds to the time of a thread when it stops. */
const SETTLE_MS = 50
/** Instances are quiet if they use less than this share of a processor during this time. */
const QUIET_SHARE = 0.05
const QUIET_MS = 1000
const QUIET_MS_MAX = 120_000

const INDEX = '/indexes/films'
const SHARDS = {
  s1: { remotes: ['a', 'b'] },
  s2: { remotes: ['b', 'c'] },
  s3: { remotes: ['c', 'a'] },
}

/** @throws Error when a search fails, or the two sides find different numbers of documents */
export async function measureNetworkCost(options: NetworkCostOptions): Promise<NetworkCostReport> {
  const root = mkdtempSync(join(tmpdir(), 'svc-network-cost-'))
  const instances: Instance[] = []
  try {
    for (const name of ['one', 'a', 'b', 'c']) instances.push(await Instance.start(name, root))
    return await measure(instances, options)
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()))
    rmSync(root, { recursive: true })
  }
}

/** Returns the rows, and for each number of clients the network compared with one instance. */
export function costText(rows: readonly CostRow[]): string {
  const titles = ['CPU ms a search', 'p50 ms', 'p95 ms', 'searches a second']
  const columns = [
    { title: 'clients', align: 'right' as const },
    { title: 'side' },
    ...titles.map((title) => ({ title, align: 'right' as const })),
  ]
  const cells = rows.map(({ clients, side, cpuMs, p50, p95, perSecond }) => {
    const values = [cpuMs, p50, p95].map((ms) => ms.toFixed(3))
    return [String(clients), side, ...values, perSecond.toFixed(0)]
  })
  const lines = rows.flatMap(({ side, clients, cpuMs, p50 }, i) => {
    const network = rows[i + 1]
    if (side !== 'one' || network === undefined) return []
    const ratio = (network.cpuMs / cpuMs).toFixed(2)
    const more = network.p50 - p50
    const sign = more < 0 ? '−' : '+'
    const difference = `${sign}${Math.abs(more).toFixed(3)} ms`
    return `${countOf(clients, 'client')}: processor time × ${ratio}, p50 ${difference}\n`
  })
  return table(columns, cells) + lines.join('')
}

async function measure(
  instances: readonly Instance[],
  { documents, searches, warmUp, clients, seed, onStep = () => undefined }: NetworkCostOptions,
): Promise<NetworkCostReport> {
  const [one, ...members] = instances as [Instance, ...Instance[]]
  const sides: readonly Side[] = [
    { name: 'one', entry: one, instances: [one] },
    { name: 'network', entry: members[0]!, instances: members },
  ]
  onStep('documents')
  await connect(members)
  const docs = documentsOf(documents, seed)
  const queries = queriesOf(docs, seed)
  for (const side of sides) await fill(side, docs)
  // Otherwise the leader would compare its members later, during the measurement.
  const { json } = await members[0]!.ask('GET', '/network/replicas')
  if (json?.verdict !== 'equal') throw new Error(`replicas are not equal: ${JSON.stringify(json)}`)
  onStep('totals')
  const totals = await comparedTotals(sides, queries)
  onStep('warm-up')
  const bodies = queries.map((query) => JSON.stringify({ ...query, limit: LIMIT }))
  for (const side of sides) await searched(side, bodies, 0, warmUp, Math.max(...clients))
  // Instances prepare their search threads while no request arrives.
  await untilQuiet(instances)
  onStep('searches')
  const rows: CostRow[] = []
  for (const count of clients) rows.push(...(await measureRows(sides, bodies, searches, count)))
  return { rows, totals }
}

/** Creates a network of these instances; the first leads. */
async function connect(members: readonly Instance[]): Promise<void> {
  for (const each of members) {
    await changed(each, 'PATCH', '/experimental-features', { body: { network: true } })
  }
  const remotes = Object.fromEntries(
    members.map(({ name, directUrl }) => [name, { url: directUrl }]),
  )
  const { name } = members[0]!
  const body = { self: name, leader: name, remotes, shards: SHARDS }
  await changed(members[0]!, 'PATCH', '/network', { body })
  await untilAllIdle(members)
}

/** Sends settings and documents to a side, and waits until they are indexed. */
async function fill({ entry, instances }: Side, docs: readonly Doc[]): Promise<void> {
  await changed(entry, 'PATCH', `${INDEX}/settings`, { body: { filterableAttributes: ['n'] } })
  for (let from = 0; from < docs.length; from += BATCH) {
    await changed(entry, 'POST', `${INDEX}/documents`, { body: docs.slice(from, from + BATCH) })
  }
  await untilAllIdle(instances)
}

async function changed(
  instance: Instance,
  method: string,
  path: string,
  options: AskOptions,
): Promise<void> {
  const { status, text } = await instance.ask(method, path, options)
  if (status === 200 || status === 202) return
  throw new Error(`${instance.name}, ${path}: ${status} ${text}`)
}

async function untilAllIdle(instances: readonly Instance[]): Promise<void> {
  for (const { directUrl } of instances) {
    const client = clientOf(directUrl)
    await untilIdle(client)
    client.close()
  }
}

const untilQuiet = (instances: readonly Instance[]): Promise<void> =>
  untilHolds('instances without requests use no processor time', QUIET_MS_MAX, async () => {
    const before = threadTimes(instances)
    await pause(QUIET_MS)
    return cpuMsBetween(before, threadTimes(instances)) < QUIET_SHARE * QUIET_MS
  })

/** Returns the number of found documents of each query. @throws Error if the sides differ */
async function comparedTotals(
  sides: readonly Side[],
  queries: readonly Query[],
): Promise<readonly number[]> {
  const totals: number[] = []
  for (const query of queries) {
    // With `limit` and `offset`, totals may be estimates.
    const body = JSON.stringify({ ...query, page: 1, hitsPerPage: LIMIT })
    const found: number[] = []
    for (const side of sides) found.push((await search(side, body)).totalHits)
    const [total] = found
    if (total === undefined || found.some((other) => other !== total)) {
      throw new Error(`the sides find different numbers: ${found.join(' and ')}, ${body}`)
    }
    totals.push(total)
  }
  return totals
}

/** Measures both sides with this number of clients. */
async function measureRows(
  sides: readonly Side[],
  bodies: readonly string[],
  searches: number,
  clients: number,
): Promise<readonly CostRow[]> {
  const all = sides.map((side) => ({ side, durations: [] as number[], cpuMs: 0, elapsedMs: 0 }))
  for (let turn = 0; turn < TURNS; turn++) {
    const [from, to] = [turn, turn + 1].map((part) => Math.round((searches * part) / TURNS))
    for (const spent of turn % 2 === 0 ? all : [...all].reverse()) {
      const { instances } = spent.side
      const before = threadTimes(instances)
      const begun = performance.now()
      spent.durations.push(...(await searched(spent.side, bodies, from!, to!, clients)))
      spent.elapsedMs += performance.now() - begun
      await pause(SETTLE_MS)
      spent.cpuMs += cpuMsBetween(before, threadTimes(instances))
    }
  }
  return all.map(({ side, durations, cpuMs, elapsedMs }) => ({
    clients,
    side: side.name,
    cpuMs: cpuMs / searches,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    perSecond: (searches / elapsedMs) * 1000,
  }))
}

/**
 * Sends the searches with these numbers, each client one after another; returns the milliseconds
 * of each.
 */
async function searched(
  side: Side,
  bodies: readonly string[],
  from: number,
  to: number,
  clients: number,
): Promise<readonly number[]> {
  const durations: number[] = []
  let next = from
  const client = async (): Promise<void> => {
    while (next < to) {
      const body = bodies[next++ % bodies.length]!
      const begun = performance.now()
      await search(side, body)
      durations.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return durations
}

/** Returns the answer. @throws Error if it is not complete, or not of the network */
async function search({ name, entry }: Side, body: string) {
  const { status, json, text } = await entry.ask('POST', `${INDEX}/search`, { body })
  const errors = JSON.stringify(json?.remoteErrors)
  // An instance alone does not mention remotes.
  if (status !== 200 || errors !== (name === 'one' ? undefined : '{}')) {
    throw new Error(`a search of ${name} failed: ${status} ${text.slice(0, 500)}, ${body}`)
  }
  return json
}

/**
 * Returns the nanoseconds of processor time of each thread of these instances, by its number: more
 * exact than the time of a process, which Linux reports in hundredths of a second.
 */
function threadTimes(instances: readonly Instance[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { pid } of instances) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      times.set(thread, nanosOf(`/proc/${pid}/task/${thread}/schedstat`))
    }
  }
  return times
}

function nanosOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0])
  } catch (error) {
    // The thread has ended since the list was read.
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return 0
  }
}

/**
 * Returns the milliseconds of processor time between two readings, without those of threads that
 * ended in between: threads that indexed end when they have been idle for some seconds.
 */
function cpuMsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  let nanos = 0
  for (const [thread, time] of after) nanos += Math.max(0, time - (before.get(thread) ?? 0))
  return nanos / 1e6
}
