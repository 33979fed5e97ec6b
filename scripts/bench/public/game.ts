// The forms of the search benchmark game (github.com/quickwit-oss/search-benchmark-game): builds an
// index from its corpus, answers its queries, and measures them on one search thread. Each query is
// in Lucene's syntax; the engine's own parameters say the same.
import { createInterface } from 'node:readline'
import type { openEngine } from '../../../server/embed/index.ts'

export type Engine = Awaited<ReturnType<typeof openEngine>>

export const COMMANDS = ['TOP_10', 'COUNT', 'TOP_10_COUNT'] as const
export type Command = (typeof COMMANDS)[number]

const INDEX = 'game'
/** The game's parameters of BM25; no typos, no prefixes, no stems. */
const SETTINGS = {
  searchableAttributes: ['text'],
  displayedAttributes: ['id'],
  rankingRules: ['bm25'],
  similarity: { k1: 0.9, b: 0.4 },
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
}
const BATCH_DOCUMENTS = 10_000

type Search = { readonly q: string; readonly matchingStrategy: 'any' | 'all' }

/**
 * Returns the search of a query: `a b` (any word), `+a +b` (all words), `"a b"` (a phrase), `+a -b`
 * (without b); or null for the other forms, such as ranges.
 */
export function searchOf(query: string): Search | null {
  const parts = query.trim().match(/[+-]?(?:"[^"]*"|\S+)/g) ?? []
  const isPlain = (part: string): boolean =>
    /^[+-]?(?:[\p{L}\p{N}']+|"[\p{L}\p{N}' ]+")$/u.test(part)
  if (parts.length === 0 || !parts.every(isPlain)) return null
  const required = parts.filter((part) => part.startsWith('+'))
  const optional = parts.filter((part) => !/^[+-]/.test(part))
  // Lucene matches the required words, and the optional ones raise scores.
  if (required.length > 0 && optional.length > 0) return null
  const words = parts.map((part) => part.replace(/^\+/, ''))
  return { q: words.join(' '), matchingStrategy: required.length > 0 ? 'all' : 'any' }
}

/** Returns the number of matches, or null if the engine has no such command or query. */
export async function answerOf(
  engine: Engine,
  command: string,
  query: string,
): Promise<number | null> {
  const search = searchOf(query)
  const known = COMMANDS.find((one) => one === command)
  if (search === null || known === undefined) return null
  const isCounted = known !== 'TOP_10'
  const answer = await engine.search(INDEX, {
    ...search,
    limit: known === 'COUNT' ? 0 : 10,
    ...(isCounted ? { countTotal: true } : {}),
  })
  return isCounted ? (answer.estimatedTotalHits ?? 0) : 1
}

type CorpusLine = { readonly id: string; readonly text: string }

/** `lines`: documents of the game's corpus, one JSON object each. Returns their number. */
export async function buildIndex(engine: Engine, lines: AsyncIterable<string>): Promise<number> {
  await engine.waitForTask(await engine.updateSettings(INDEX, SETTINGS))
  let batch: { readonly id: number; readonly text: string }[] = []
  let count = 0
  const send = async (): Promise<void> => {
    if (batch.length === 0) return
    const task = await engine.waitForTask(await engine.addDocuments(INDEX, batch))
    if (task.status !== 'succeeded') throw new Error(task.error?.message ?? task.status)
    batch = []
  }
  for await (const line of lines) {
    if (line.trim() === '') continue
    // The game's ids are URLs, which a primary key cannot hold.
    batch.push({ id: count++, text: (JSON.parse(line) as CorpusLine).text })
    if (batch.length === BATCH_DOCUMENTS) await send()
  }
  await send()
  return count
}

/** Answers lines of `COMMAND<tab>query`, each by a line: what the game's driver expects. */
export async function serve(
  engine: Engine,
  input: NodeJS.ReadableStream,
  write: (line: string) => void,
): Promise<void> {
  for await (const line of createInterface({ input })) {
    const [command = '', query = ''] = line.split('\t')
    write(String((await answerOf(engine, command, query)) ?? 'UNSUPPORTED'))
  }
}

export type GameQuery = { readonly query: string; readonly tags: readonly string[] }

export type GameResult = {
  readonly command: Command
  readonly tag: string
  readonly queries: number
  /** Microseconds, of the best of all runs of each query. */
  readonly mean: number
  readonly median: number
}

/** Runs all queries once, then `runs` times, and returns the best times by tag. */
export async function measureGame(
  engine: Engine,
  queries: readonly GameQuery[],
  runs: number,
  now: () => number,
): Promise<readonly GameResult[]> {
  const supported = queries.filter(({ query }) => searchOf(query) !== null)
  const results: GameResult[] = []
  for (const command of COMMANDS) {
    const best = supported.map(() => Number.POSITIVE_INFINITY)
    for (let run = 0; run <= runs; run++) {
      for (const [i, { query }] of supported.entries()) {
        const begun = now()
        await answerOf(engine, command, query)
        const micros = (now() - begun) * 1000
        if (run > 0) best[i] = Math.min(best[i]!, micros)
      }
    }
    for (const tag of ['all', ...new Set(supported.flatMap(({ tags }) => tags))]) {
      const times = best.filter((_, i) => tag === 'all' || supported[i]!.tags.includes(tag))
      results.push({ command, tag, queries: times.length, ...summaryOf(times) })
    }
  }
  return results
}

function summaryOf(times: readonly number[]): { mean: number; median: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  return { mean: Math.round(mean), median: Math.round(sorted[sorted.length >> 1]!) }
}

/** `total`: number of queries before unsupported ones were left out. */
export function gameText(results: readonly GameResult[], total: number): string {
  const first = results[0]
  const left = total - (first?.queries ?? 0)
  const rows = results.map(
    ({ command, tag, queries, mean, median }) =>
      `| ${command} | ${tag} | ${queries} | ${mean} | ${median} |\n`,
  )
  const note =
    left === 0 ? '' : `\n${left} of ${total} queries have a form that is not supported.\n`
  const head = '| command | queries | number | mean, µs | median, µs |\n|---|---|---:|---:|---:|\n'
  return `${head}${rows.join('')}${note}`
}
