// One round on a server: bulk, searches, updates, restart, each from outside over HTTP.
import { ToolError } from '../../../tools/terminal/index.ts'
import { type Client, endOfTask } from '../../fire/parts/client.ts'
import { type DataSet, FACET, FIELDS, NUMBER, type Query, type SystemDocument } from './data.ts'
import type { Figures } from './results.ts'
import { megabytes, megabytesBelow, type RunningServer, startSystem } from './server.ts'

export type RoundOptions = {
  readonly data: DataSet
  readonly queries: readonly Query[]
  /** Milliseconds of each kind of search. */
  readonly searchMs: number
}

const BATCH_DOCUMENTS = 5_000
const CLIENTS = 8
const SINGLE_DOCUMENTS = 20
const SINGLE_MS_MAX = 30_000
const UPDATED_SHARE = 0.1
export const INDEX = '/indexes/films'

/** `db`: an empty folder, which keeps the database. */
export async function measureServer(
  command: string,
  db: string,
  { data, queries, searchMs }: RoundOptions,
): Promise<Figures> {
  const server = await startSystem(command, db, isHealthy)
  let figures: Figures
  try {
    await setSettings(server.client)
    figures = await measureBulk(server, data)
    figures = { ...figures, disk: megabytesBelow(db) }
    figures = { ...figures, ...(await measureSearches(server, queries, searchMs)) }
    figures = { ...figures, memory: megabytes(server.memory().now) }
    figures = { ...figures, ...(await measureUpdates(server, data)) }
  } finally {
    await server.stop()
  }
  return { ...figures, ...(await measureRestart(command, db, queries)) }
}

export const setSettings = (client: Client): Promise<void> =>
  settle(client, 'PATCH', `${INDEX}/settings`, {
    searchableAttributes: FIELDS,
    filterableAttributes: [FACET, NUMBER],
    sortableAttributes: [NUMBER],
  })

/** Adds the documents, and returns when they are found. */
export async function fillIndex(client: Client, { documents }: DataSet): Promise<void> {
  await setSettings(client)
  await settle(client, 'POST', `${INDEX}/documents?primaryKey=id`, ...batchesOf(documents))
}

export const isHealthy = async (client: Client): Promise<boolean> =>
  (await client.ask('GET', '/health')).status === 200

/** Sends writes one after another and waits for the last one. @throws ToolError if one fails */
export async function settle(
  client: Client,
  method: string,
  path: string,
  ...bodies: unknown[]
): Promise<void> {
  const uids: number[] = []
  for (const body of bodies) {
    const { json } = await client.ask(method, path, { body: JSON.stringify(body) })
    uids.push(json?.taskUid)
  }
  await endOfTask(client, uids.at(-1)!)
  const { json } = await client.ask('GET', `/tasks?uids=${uids.join(',')}&statuses=succeeded`)
  if (json?.total !== uids.length) throw new ToolError(`A task of ${method} ${path} failed.`)
}

async function timed(
  server: RunningServer,
  work: () => Promise<unknown>,
): Promise<{ seconds: number; cpu: number }> {
  const before = { time: performance.now(), cpu: server.cpu() }
  await work()
  const seconds = (performance.now() - before.time) / 1000
  return { seconds, cpu: server.cpu() - before.cpu }
}

const batchesOf = (documents: readonly SystemDocument[]): SystemDocument[][] =>
  Array.from({ length: Math.ceil(documents.length / BATCH_DOCUMENTS) }, (_, i) =>
    documents.slice(i * BATCH_DOCUMENTS, (i + 1) * BATCH_DOCUMENTS),
  )

async function measureBulk(server: RunningServer, { documents }: DataSet): Promise<Figures> {
  const bodies = batchesOf(documents)
  const { seconds, cpu } = await timed(server, () =>
    settle(server.client, 'POST', `${INDEX}/documents?primaryKey=id`, ...bodies),
  )
  const bulkMemory = megabytes(server.memory().peak)
  return { bulkSeconds: seconds, bulkCpu: cpu, bulkMemory }
}

type Found = {
  readonly hits: readonly SystemDocument[]
  readonly performanceDetails?: { readonly [step: string]: string }
}

async function search(client: Client, body: object): Promise<Found> {
  const { status, json } = await client.ask('POST', `${INDEX}/search`, { body })
  if (status !== 200) throw new ToolError(`A search is refused: ${JSON.stringify(json)}`)
  return json
}

async function measureSearches(
  server: RunningServer,
  queries: readonly Query[],
  searchMs: number,
): Promise<Figures> {
  const plain = queries.map(({ q }) => ({ q, limit: 10 }))
  const filtered = queries
    .filter((query) => query.class === 'one_word')
    .map(({ q }) => ({ q, filter: `${NUMBER} > 1960`, sort: [`${NUMBER}:desc`], facets: [FACET] }))
  await searchFor(server.client, plain, 1, searchMs / 2)
  let times: number[] = []
  const { cpu } = await timed(server, async () => {
    times = await searchFor(server.client, plain, 1, searchMs)
  })
  const begun = performance.now()
  const many = await searchFor(server.client, plain, CLIENTS, searchMs)
  const seconds = (performance.now() - begun) / 1000
  const filterTimes = await searchFor(server.client, filtered, 1, searchMs / 2)
  return {
    searchMs: quantile(times, 0.5),
    searchP99Ms: quantile(times, 0.99),
    searchCpuMs: (cpu * 1000) / times.length,
    searchesPerSecond: many.length / seconds,
    filterMs: quantile(filterTimes, 0.5),
  }
}

/** Returns the times in milliseconds. */
async function searchFor(
  client: Client,
  bodies: readonly object[],
  clients: number,
  msMax: number,
): Promise<number[]> {
  const times: number[] = []
  await searchAll(client, bodies, clients, msMax, (_, { ms }) => times.push(ms))
  return times
}

/** Milliseconds since the start of this process, and how long it took. */
export type Span = { readonly begun: number; readonly ms: number }

/** Each client sends its next search when it has the answer. */
export async function searchAll<Body extends object>(
  client: Client,
  bodies: readonly Body[],
  clients: number,
  msMax: number,
  onAnswer: (body: Body, span: Span, answer: Found) => void,
): Promise<void> {
  const end = performance.now() + msMax
  let next = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const body = bodies[next++ % bodies.length]!
      const begun = performance.now()
      const answer = await search(client, body)
      onAnswer(body, { begun, ms: performance.now() - begun }, answer)
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!

async function measureUpdates(server: RunningServer, { documents }: DataSet): Promise<Figures> {
  const some = documents.slice(0, Math.ceil(documents.length * UPDATED_SHARE))
  const changed = some.map((one) => ({ ...one, [FIELDS[0]]: `${one[FIELDS[0]]} changed` }))
  const { seconds, cpu } = await timed(server, () =>
    settle(server.client, 'POST', `${INDEX}/documents`, ...batchesOf(changed)),
  )
  const times: number[] = []
  for (let i = 0; i < SINGLE_DOCUMENTS; i++) {
    const q = `unseen${String.fromCharCode(97 + i).repeat(6)}`
    const document = { ...documents[i], id: 1_000_000_000 + i, [FIELDS[0]]: q }
    const begun = performance.now()
    await server.client.ask('POST', `${INDEX}/documents`, { body: [document] })
    await untilFound(server.client, q)
    times.push(performance.now() - begun)
  }
  return { updateSeconds: seconds, updateCpu: cpu, singleMs: quantile(times, 0.5) }
}

async function untilFound(client: Client, q: string): Promise<void> {
  const begun = performance.now()
  while ((await search(client, { q: `"${q}"` })).hits.length === 0) {
    if (performance.now() - begun > SINGLE_MS_MAX) throw new ToolError(`${q} is not found.`)
  }
}

async function measureRestart(
  command: string,
  db: string,
  queries: readonly Query[],
): Promise<Figures> {
  const body = { q: queries[0]!.q }
  const begun = performance.now()
  const server = await startSystem(
    command,
    db,
    async (client) => (await client.ask('POST', `${INDEX}/search`, { body })).json.hits.length > 0,
  )
  const figures = { restartMs: performance.now() - begun, restartCpu: server.cpu() }
  await server.stop()
  return figures
}
