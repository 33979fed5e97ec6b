// The whole demo: starts a server, indexes, searches, and stays up until it is stopped.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Meilisearch, MeilisearchError } from 'meilisearch'
import {
  bytesText,
  countOf,
  countText,
  type Terminal,
  ToolError,
  toolErrorOf,
} from '../../tools/terminal/index.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { EVENTS, SEARCHES } from './searches.table.ts'
import { showSearches } from './show.ts'

export type DemoOptions = {
  /** The root of the checkout, with a built server. */
  readonly root: string
  /** 0 means any free port. */
  readonly port: number
  /** The folder of the database, or null for a temporary one, which is removed at the end. */
  readonly db: string | null
  /** The user's file of documents, or null for the demo's own. */
  readonly data: string | null
  /** Whether to end after the searches. */
  readonly exit: boolean
}

/** Larger than any file that one request should send. */
const BODY_MAX = '4GiB'
const CONTENT_TYPES: { readonly [ending: string]: string } = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
}

/** Returns the exit code. `stopped` resolves when the user wants to end the demo. */
export async function runDemo(
  options: DemoOptions,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<number> {
  const { root, port, db, data, exit } = options
  const folder = db === null ? mkdtempSync(join(tmpdir(), 'svc-demo-')) : resolve(db)
  let server: ServerProcess | null = null
  try {
    mkdirSync(folder, { recursive: true })
    const program = [process.execPath, join(root, 'dist/server/main.js')]
    const words = ['--db-path', folder, '--http-payload-size-limit', BODY_MAX]
    server = await startServer({ command: [...program, ...words], cwd: folder, port })
    const { url, ended } = server
    terminal.out(`The server runs at ${url}\n`)
    const broken = ended.then((how): never => {
      throw new ToolError(`The server ended: ${how}`)
    })
    const shown = show(
      url,
      data ?? join(root, 'scripts/demo/events.ndjson.gz'),
      data === null,
      terminal,
    )
    const isStopped = stopped.then(() => null)
    const empty = await Promise.race([shown, isStopped, broken])
    if (empty === null) return 0
    if (!exit) {
      terminal.out(`\nThe server stays up until Ctrl-C: open ${url} in a browser.\n`)
      await Promise.race([isStopped, broken])
    }
    return empty === 0 ? 0 : 1
  } catch (error) {
    const failure = error instanceof MeilisearchError ? error : toolErrorOf(error)
    if (failure === null) throw error
    terminal.err(`${failure.message}\n`)
    return 1
  } finally {
    await server?.stop()
    if (db === null) rmSync(folder, { recursive: true, force: true })
  }
}

/** Indexes and searches. Returns the number of searches that found nothing and should have. */
async function show(
  url: string,
  file: string,
  isOwn: boolean,
  terminal: Terminal,
): Promise<number> {
  const client = new Meilisearch({ host: url })
  const name = basename(file)
  const uid = isOwn ? EVENTS.uid : name.replace(/\..*$/, '').replace(/[^\w-]+/g, '-')
  await index(client, url, uid, file, isOwn, terminal)
  if (isOwn) return showSearches(client, uid, SEARCHES, terminal)
  await showSearches(client, uid, [{ about: 'everything', request: {} }], terminal)
  return 0
}

/** Settings first, so that documents are indexed once; then the file as one body. */
async function index(
  client: Meilisearch,
  url: string,
  uid: string,
  file: string,
  isOwn: boolean,
  terminal: Terminal,
): Promise<void> {
  const plain = file.toLowerCase().replace(/\.gz$/, '')
  const contentType = CONTENT_TYPES[/\.(\w+)$/.exec(plain)?.[1] ?? '']
  if (contentType === undefined) throw new ToolError(`${file}: neither NDJSON, JSON nor CSV`)
  const body = readFileSync(file)
  terminal.out(`Indexing ${basename(file)}\n`)
  const begin = performance.now()
  if (isOwn) await finished(client, await client.index(uid).updateSettings(EVENTS.settings))
  const answer = await fetch(`${url}/indexes/${uid}/documents`, {
    method: 'POST',
    headers: {
      'Content-Type': contentType,
      ...(plain.length === file.length ? {} : { 'Content-Encoding': 'gzip' }),
    },
    body,
  }).catch((error: unknown) => {
    throw new ToolError(`The server did not answer: ${String(error)}`)
  })
  const accepted = (await answer.json()) as { taskUid: number; message?: string }
  if (!answer.ok) throw new ToolError(`${file}: ${accepted.message}`)
  await finished(client, accepted)
  const seconds = (performance.now() - begin) / 1000
  const { databaseSize, indexes } = await client.getStats()
  const documents = indexes[uid]?.numberOfDocuments ?? 0
  terminal.out(
    `${countOf(documents, 'document')}, searchable after ${seconds.toFixed(2)} s ` +
      `(${countText(Math.round(documents / seconds))} a second), ${bytesText(databaseSize)} on disk\n\n`,
  )
}

async function finished(client: Meilisearch, { taskUid }: { taskUid: number }): Promise<void> {
  const { status, error } = await client.tasks.waitForTask(taskUid, { timeout: 0 })
  if (status !== 'succeeded') throw new ToolError(`The task ${status}: ${error?.message}`)
}
