// `npm run bench -- --scale`: how the cost of a search grows with the number of documents.
//
// The searches are the same for each number: their words come from the first batch of documents,
// and all batches draw from the same words with the same frequencies. Times grow where other
// programs use the processors, so the processor time of the server is beside them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../../tools/terminal/index.ts'
import { makeDocuments } from '../data.ts'
import { FACET, generatedData, NUMBER, queriesOf } from './data.ts'
import { INDEX, isHealthy, quantile, searchAll, setSettings, settle } from './measure-server.ts'
import { type RunningServer, startSystem } from './server.ts'

export type ScaleOptions = {
  /** The root of the checkout, with a built server. */
  readonly root: string
  readonly sizes: readonly number[]
  /** Milliseconds of the searches of each class. */
  readonly searchMs: number
}

export const SCALE_DEFAULTS = { sizes: [25_000, 100_000, 1_000_000], searchMs: 2_000 } as const

const BATCH_DOCUMENTS = 25_000

type Cost = { readonly medianMs: number; readonly cpuMs: number }
/** By class of searches. */
type Costs = ReadonlyMap<string, Cost>

/**
 * Returns the lines of a table. `progress` gets a line for each number of documents.
 * @throws ToolError
 */
export async function scale(
  { root, sizes, searchMs }: ScaleOptions,
  progress: (line: string) => void,
): Promise<readonly string[]> {
  if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw new ToolError('--sizes needs whole numbers with commas between them')
  }
  // Words of the first batch, which no number of documents is without.
  const first = Math.min(BATCH_DOCUMENTS, ...sizes)
  const bySize = new Map<number, Costs>()
  for (const size of sizes) {
    progress(`${size.toLocaleString('en')} documents`)
    const folder = mkdtempSync(join(tmpdir(), 'svc-scale-'))
    try {
      bySize.set(size, await measureSize(root, join(folder, 'db'), size, searchMs, first))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return scaleLines(bySize)
}

/** Indexes invented films and merges their segments; measures a server that starts with these. */
async function measureSize(
  root: string,
  db: string,
  size: number,
  searchMs: number,
  firstDocuments: number,
): Promise<Costs> {
  mkdirSync(db)
  const main = join(root, 'dist/server/main.js')
  const words = '--db-path {db} --http-addr 127.0.0.1:{port} --no-analytics'
  const command = `${process.execPath} ${main} ${words}`
  const filling = await startSystem(command, db, isHealthy)
  try {
    await fill(filling, size)
  } finally {
    await filling.stop()
  }
  const server = await startSystem(command, db, isHealthy)
  try {
    return await measureClasses(server, searchMs, firstDocuments)
  } finally {
    await server.stop()
  }
}

async function fill({ client }: RunningServer, size: number): Promise<void> {
  await setSettings(client)
  for (let from = 0; from < size; from += BATCH_DOCUMENTS) {
    const count = Math.min(BATCH_DOCUMENTS, size - from)
    const batch = makeDocuments(count, SEED + from).map((one) => ({ ...one, id: one.id + from }))
    await settle(client, 'POST', `${INDEX}/documents?primaryKey=id`, batch)
  }
  await settle(client, 'POST', `${INDEX}/compact`, {})
}

/** The seed of the first batch, the default of `makeDocuments`. */
const SEED = 5

/** Bodies by class, from words of the first documents. */
function bodiesByClass(firstDocuments: number): ReadonlyMap<string, readonly object[]> {
  const bodies = new Map<string, object[]>()
  const add = (name: string, body: object): void => {
    bodies.set(name, [...(bodies.get(name) ?? []), { limit: 20, ...body }])
  }
  for (const { class: name, q } of queriesOf(generatedData(firstDocuments))) {
    add(name.replace(/_1$/, '').replaceAll('_', ' '), { q })
    if (name === 'two_words') add('phrase', { q: `"${q}"` })
    if (name !== 'one_word') continue
    add('filter and sort', { q, filter: `${NUMBER} > 1960`, sort: [`${NUMBER}:desc`] })
    add('facets', { q, facets: [FACET, NUMBER] })
  }
  return bodies
}

/** Searches of one client, after a pass without measurement. */
async function measureClasses(
  server: RunningServer,
  searchMs: number,
  firstDocuments: number,
): Promise<Costs> {
  const costs = new Map<string, Cost>()
  const ignore = (): void => undefined
  const classes = bodiesByClass(firstDocuments)
  for (const bodies of classes.values()) {
    await searchAll(server.client, bodies, 1, searchMs, ignore)
  }
  for (const [name, bodies] of classes) {
    const times: number[] = []
    const before = server.cpu()
    await searchAll(server.client, bodies, 1, searchMs, (_, { ms }) => times.push(ms))
    const cpuMs = ((server.cpu() - before) * 1000) / times.length
    costs.set(name, { medianMs: quantile(times, 0.5), cpuMs })
  }
  return costs
}

/** Returns a table with a row for each class and a column for each number of documents. */
export function scaleLines(bySize: ReadonlyMap<number, Costs>): readonly string[] {
  const names = [...new Set([...bySize.values()].flatMap((costs) => [...costs.keys()]))]
  const heads = [...bySize.keys()].map((size) => size.toLocaleString('en'))
  const cell = (cost: Cost | undefined): string =>
    cost === undefined ? '–' : `${cost.medianMs.toFixed(2)} (${cost.cpuMs.toFixed(2)})`
  return [
    `| median, ms (CPU, ms) | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---:|').join('')}`,
    ...names.map((name) => {
      const cells = [...bySize.values()].map((costs) => cell(costs.get(name)))
      return `| ${name} | ${cells.join(' | ')} |`
    }),
  ]
}
