// How quickly a server answers while it indexes as fast as it can: `GET /health` and searches, one
// after another, as long as bodies of documents keep coming in.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomOf } from '../../engine/storage/index.ts'
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
    const body = { q: 'w1 w2', limit: 20 }
    const searches = repeat(
      () => isBusy,
      SEARCH_PAUSE_MS,
      () => reader.ask('POST', '/indexes/busy/search', { body }),
    )
    await feed(writer, options)
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

/** Asks again and again; how long each answer took. @throws when one is not 200 */
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

async function feed(client: Client, { documents, seed, onBody }: BusyOptions): Promise<void> {
  for (let sent = 0; sent < documents; ) {
    const count = Math.min(DOCUMENTS_PER_BODY, documents - sent)
    await post(client, bodyOf(seed + sent, sent, count))
    sent += count
    onBody?.(sent)
  }
}

async function post(client: Client, body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, text } = await client.ask('POST', '/indexes/busy/documents', { body, headers })
  if (status !== 202) throw new Error(`documents were refused: ${status} ${text}`)
}

/** Documents of some 400 bytes, of words as unevenly spread as those of a language. */
function bodyOf(seed: number, from: number, count: number): string {
  const random = randomOf(seed)
  const word = (): string => `w${Math.floor(WORDS_OF_ALL ** (random.below(10_000) / 10_000))}`
  const text = (words: number): string => Array.from({ length: words }, word).join(' ')
  const lines: string[] = []
  for (let i = 0; i < count; i++) {
    lines.push(JSON.stringify({ id: from + i, title: text(5), overview: text(60), n: i % 100 }))
  }
  return `${lines.join('\n')}\n`
}
