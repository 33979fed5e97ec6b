// The whole demo: starts a server, indexes, searches, and stays up until it is stopped.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiPlan } from './api-plan.ts'
import { Client, DemoError } from './client.ts'
import { dataPlan } from './data-plan.ts'
import type { DemoPlan } from './plan.ts'
import { type RunningServer, startServer } from './server-process.ts'
import { showSearches } from './show.ts'
import { grouped, megabytes, milliseconds, type Terminal } from './terminal.ts'

export type DemoOptions = {
  /** The built server, which Node.js runs. */
  readonly serverEntry: string
  /** URL of a file; the documents of the demo are searched in its packages. */
  readonly packagesOf: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** 0 means any free port. */
  readonly port: number
  /** null means a temporary folder, removed at the end. */
  readonly db: string | null
  /** null means the demo's own documents. */
  readonly data: string | null
  /** Whether to end after the searches. */
  readonly exit: boolean
}

const BODY_CHARACTERS = 2_000_000
const END_PATIENCE_MS = 1_000

/** Returns the exit code. `stopped` resolves when the user wants to end the demo. */
export async function runDemo(
  options: DemoOptions,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<number> {
  const plan = await planFor(options, terminal)
  if (plan === null) return 1
  const folder = openFolder(options.db)
  let server: RunningServer | null = null
  let wasStopped = false
  void stopped.then(() => {
    wasStopped = true
  })
  try {
    const running = await startServer({
      entry: options.serverEntry,
      folder: folder.path,
      port: options.port,
      environment: options.environment,
    })
    server = running
    if (wasStopped) return 0
    const broken = running.ended.then((how) => {
      throw new DemoError(endWords(running, how))
    })
    // A running step is abandoned when the user stops the demo.
    const code = await Promise.race([show(plan, running, terminal), stopped.then(() => 0), broken])
    if (options.exit || wasStopped) return code
    stayUp(running, plan, terminal)
    await Promise.race([stopped, broken])
    return code
  } catch (error) {
    if (!(error instanceof DemoError)) throw error
    const reason = server === null || !error.isConnection ? null : await endOf(server)
    terminal.line(reason ?? error.message)
    return 1
  } finally {
    if (server !== null) await server.stop()
    folder.close()
  }
}

/** Returns the plan, or null after a message if there are no documents. */
async function planFor(options: DemoOptions, terminal: Terminal): Promise<DemoPlan | null> {
  try {
    return options.data === null ? apiPlan(options.packagesOf) : await dataPlan(options.data)
  } catch (error) {
    if (!(error instanceof DemoError)) throw error
    terminal.line(error.message)
    return null
  }
}

const endWords = (server: RunningServer, how: string): string =>
  `The server ended (${how}).\n${server.lastWords()}`

/** Returns why the server ended, if a broken connection means that it did. */
function endOf(server: RunningServer): Promise<string | null> {
  const ended = server.ended.then((how) => endWords(server, how))
  return Promise.race([ended, sleep(END_PATIENCE_MS, null)])
}

function openFolder(db: string | null): { readonly path: string; readonly close: () => void } {
  if (db !== null) {
    mkdirSync(db, { recursive: true })
    return { path: resolve(db), close: () => undefined }
  }
  const path = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  return { path, close: () => rmSync(path, { recursive: true, force: true }) }
}

/** Returns the exit code: 1 if one of the demo's own searches found nothing. */
async function show(plan: DemoPlan, server: RunningServer, terminal: Terminal): Promise<number> {
  terminal.line(`The server runs at ${terminal.palette.accent(server.url)}`)
  terminal.line(`Indexing ${plan.origin}`)
  const client = new Client(server.url)
  await index(client, plan, terminal)
  terminal.line('')
  const empty = await showSearches(client, plan, terminal)
  if (empty === 0 || !plan.mustFind) return 0
  terminal.line(`${empty} of the searches found nothing, which is not how it should be.`)
  return 1
}

/**
 * Settings first, so that documents are indexed once; then documents in bodies of about two
 * megabytes.
 */
async function index(client: Client, plan: DemoPlan, terminal: Terminal): Promise<void> {
  const { uid, primaryKey } = plan
  const before = performance.now()
  const seconds = () => ((performance.now() - before) / 1000).toFixed(1)
  await client.finished(await client.changeSettings(uid, plan.settings))
  let [documents, characters, task] = [0, 0, -1]
  let body: string[] = []
  let bodyCharacters = 0
  const flush = async () => {
    if (body.length === 0) return
    task = await client.addDocuments(uid, primaryKey, `${body.join('\n')}\n`)
    body = []
    bodyCharacters = 0
  }
  for await (const line of plan.lines) {
    body.push(line)
    documents++
    characters += line.length + 1
    bodyCharacters += line.length + 1
    if (bodyCharacters < BODY_CHARACTERS) continue
    await flush()
    terminal.progress(`  sent ${grouped(documents)} documents, ${seconds()} s`)
  }
  await flush()
  // Tasks of one index end in order, so waiting for the last one is enough.
  const waiting = () => terminal.progress(`  indexing ${grouped(documents)}, ${seconds()} s`)
  if (task >= 0) await client.finished(task, waiting)
  const ms = performance.now() - before
  const rate = grouped((documents / ms) * 1000)
  const stored = await client.databaseBytes()
  terminal.line(
    `${grouped(documents)} documents, ${megabytes(characters)}, searchable after ` +
      `${milliseconds(ms / 1000)} s (${rate} a second), ${megabytes(stored)} on disk`,
  )
}

function stayUp(server: RunningServer, plan: DemoPlan, terminal: Terminal): void {
  const { accent, bold } = terminal.palette
  terminal.line('')
  terminal.line(`${bold(server.url)} stays up until Ctrl-C. For example:`)
  const words = plan.searches[0]?.request.q ?? ''
  const query = `q=${encodeURIComponent(words)}&limit=3`
  terminal.line(`  ${accent(`curl '${server.url}/indexes/${plan.uid}/search?${query}'`)}`)
}
