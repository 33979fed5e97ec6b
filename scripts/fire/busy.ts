// Measures how fast a server answers while it indexes at full speed: `GET /health` and searches,
// one after another, while bodies of documents keep arriving.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { type Client, clientOf, pause, untilIdle } from './ask.ts'
import { memoryOf, startProgram } from './program.ts'

export type BusyOptions = {
  readonly documents: number
  readonly seed: number
  readonly onBody?: (documents: number) => void
}

export type BusyReport = {
  /** Milliseconds, answer by answer. */
  readonly health: readonly number[]
  readonly searches: readonly number[]
  /** From the first body to the end of the last task. */
  readonly seconds: number
  readonly bytesPeak: number
}

const DOCUMENTS_PER_BODY = 10_000
const HEALTH_PAUSE_MS = 5
const SEARCH_PAUSE_MS = 20
const WORDS_OF_ALL = 20_000

export async function measureBusy(options: BusyOptions): Promise<BusyReport> {
  const { onBody = () => undefined } = options
  // Created before: generating bodies would disturb the measurement.
  const bodies = bodiesOf(options)
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const program = startProgram({ db: join(root, 'data.ms') })
  const url = await program.url
  const [writer, watcher, reader] = [clientOf(url), clientOf(url), clientOf(url)]
  let isBusy = true
  const first = bodyOf(options.seed, 0, 100)
  try {
    await post(writer, first)
    await untilIdle(writer)
    const begun = performance.now()
    const health = repeat(
      () => isBusy,
      HEALTH_PAUSE_MS,
      () => watcher.ask('GET', '/health'),
    )
    const random = randomOf(options.seed)
    const searches = repeat(
      () => isBusy,
      SEARCH_PAUSE_MS,
      () => reader.ask('POST', '/indexes/busy/search', { body: { q: queryOf(random) } }),
    )
    await feed(writer, bodies, onBody)
    await untilIdle(writer)
    const seconds = (performance.now() - begun) / 1000
    isBusy = false
    const bytesPeak = memoryOf(program.pid)?.peak ?? 0
    return { health: await health, searches: await searches, seconds, bytesPeak }
  } finally {
    isBusy = false
    for (const client of [writer, watcher, reader]) client.close()
    await program.stop()
    rmSync(root, { recursive: true })
  }
}

/** Repeats a request; returns the time of each answer. @throws if one is not 200 */
async function repeat(
  goesOn: () => boolean,
  pauseMs: number,
  ask: () => Promise<{ readonly status: number; readonly text: string }>,
): Promise<readonly number[]> {
  const millis: number[] = []
  while (goesOn()) {
    const begun = performance.now()
    const { status, text } = await ask()
    millis.push(performance.now() - begun)
    if (status !== 200) throw new Error(`${status} while it indexes: ${text}`)
    await pause(pauseMs)
  }
  return millis
}

type Body = { readonly documents: number; readonly bytes: Uint8Array }

function bodiesOf({ documents, seed }: BusyOptions): readonly Body[] {
  const bodies: Body[] = []
  for (let from = 0; from < documents; from += DOCUMENTS_PER_BODY) {
    const count = Math.min(DOCUMENTS_PER_BODY, documents - from)
    bodies.push({ documents: count, bytes: Buffer.from(bodyOf(seed + from, from, count)) })
  }
  return bodies
}

async function feed(
  client: Client,
  bodies: readonly Body[],
  onBody: (documents: number) => void,
): Promise<void> {
  let sent = 0
  for (const { documents, bytes } of bodies) {
    await post(client, bytes)
    sent += documents
    onBody(sent)
  }
}

async function post(client: Client, body: string | Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, text } = await client.ask('POST', '/indexes/busy/documents', { body, headers })
  if (status !== 202) throw new Error(`documents were refused: ${status} ${text}`)
}

/** Creates documents of about 400 bytes, with words distributed as in a natural language. */
function bodyOf(seed: number, from: number, count: number): string {
  const random = randomOf(seed)
  const text = (words: number): string =>
    Array.from({ length: words }, () => wordOf(random, 0)).join(' ')
  const lines: string[] = []
  for (let i = 0; i < count; i++) {
    lines.push(JSON.stringify({ id: from + i, title: text(5), overview: text(60), n: i % 100 }))
  }
  return `${lines.join('\n')}\n`
}

/** `least`: minimum rarity from 0 to 1; the most frequent words are in every document. */
function wordOf(random: Random, least: number): string {
  const rank = WORDS_OF_ALL ** (least + (1 - least) * (random.below(10_000) / 10_000))
  return `w${Math.floor(rank)}`
}

const queryOf = (random: Random): string => `${wordOf(random, 0.5)} ${wordOf(random, 0.5)}`
