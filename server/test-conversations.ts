// Recorded conversations, played against a server of this process: requests one after the other,
// each answer compared with the recorded one, and so is the task that it started.
// fixtures/conversations/README.md says what stands in a recording.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openEngine } from '../engine/engine.ts'
import { RELEASE, readConfig } from './config/index.ts'
import { engineOptions } from './engine-options.ts'
import { Log } from './log/index.ts'
import { run } from './run.ts'
import { differencesOf, type Json, shapeOf } from './test-answers.ts'

type Recorded = { readonly status: number; readonly body: Json; readonly task?: Json }

type Step = {
  readonly name?: string
  readonly method: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Json
  readonly raw?: string
  readonly base64?: string
  /** Milliseconds to wait first. */
  readonly pause?: number
  /** The task is not waited for. */
  readonly nowait?: boolean
  /** Part of the scene: nothing of it is compared. */
  readonly silent?: boolean
  readonly statusOnly?: boolean
  /** Without the master key. */
  readonly auth?: boolean
  readonly ignore?: readonly string[]
  /** Name → member of the answer: stands for `{{name}}` from here on. */
  readonly save?: { readonly [name: string]: string }
  readonly expect: Recorded
}

export type Conversation = {
  readonly name: string
  readonly about?: string
  readonly env?: { readonly [option: string]: string }
  readonly masterKey?: string
  readonly steps: readonly Step[]
}

/** A step that went otherwise than recorded. */
export type Deviation = { readonly step: number; readonly differences: readonly string[] }

export function readConversations(group: 'api' | 'semantics'): readonly Conversation[] {
  const file = new URL(`../fixtures/conversations/${group}.ndjson.gz`, import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Conversation)
}

/** Plays it from beginning to end on an empty database; what went otherwise. */
export async function play(conversation: Conversation): Promise<readonly Deviation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conversation-'))
  try {
    const { url, stop } = await serve(conversation, folder)
    try {
      return await new Player(url, conversation).play()
    } finally {
      await stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function serve(
  { env = {}, masterKey }: Conversation,
  folder: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const options = {
    HTTP_ADDR: '127.0.0.1:0',
    DB_PATH: join(folder, 'db'),
    DUMP_DIR: join(folder, 'dumps'),
    SNAPSHOT_DIR: join(folder, 'snapshots'),
    EXPERIMENTAL_ALLOWED_IP_NETWORKS: 'any',
    MASTER_KEY: masterKey,
    ...env,
  }
  const variables = Object.entries(options).map(([name, value]) => [`SVC_${name}`, value])
  const config = await readConfig(new Map(), Object.fromEntries(variables))
  const log = new Log({ level: 'OFF', mode: 'human', write: () => undefined, now: () => 0 })
  const nowhere = new URL('file:///nowhere')
  const threads = {
    search: nowhere,
    index: nowhere,
    archive: nowhere,
    template: nowhere,
    models: nowhere,
  }
  const engine = await openEngine({
    ...engineOptions(config, RELEASE.version, threads, log),
    workers: null,
  })
  const { address, stop } = await run(config, engine, log)
  return { url: `http://127.0.0.1:${address.port}`, stop }
}

const ENDED: ReadonlySet<unknown> = new Set(['succeeded', 'failed', 'canceled'])
const TASK_PATIENCE_MS = 20_000

class Player {
  readonly #url: string
  readonly #conversation: Conversation
  readonly #saved = new Map<string, string>()

  constructor(url: string, conversation: Conversation) {
    this.#url = url
    this.#conversation = conversation
  }

  async play(): Promise<readonly Deviation[]> {
    const deviations: Deviation[] = []
    for (const [at, step] of this.#conversation.steps.entries()) {
      const differences = await this.#step(step)
      if (differences.length > 0 && !step.silent) deviations.push({ step: at, differences })
    }
    return deviations
  }

  async #step(step: Step): Promise<readonly string[]> {
    const { expect: recorded, ignore = [], pause, statusOnly, nowait } = step
    if (pause !== undefined) await rest(pause)
    const headers = this.#headers(step)
    const { status, body } = await this.#send(step, headers)
    const differences: string[] = []
    if (status !== recorded.status) {
      differences.push(`status ${recorded.status} recorded, ${status} here`)
    }
    const ignored = new Set(ignore)
    if (!statusOnly) differences.push(...differencesOf(recorded.body, shapeOf(body, ignored)))
    const uid = memberOf(body, 'taskUid')
    if (status !== 202 || uid === undefined || nowait) return differences
    const task = await this.#ended(Number(uid), headers['authorization'])
    if (recorded.task !== undefined) {
      differences.push(...differencesOf(recorded.task, shapeOf(task, ignored), 'task'))
    }
    return differences
  }

  #headers({ headers = {}, auth, body }: Step): { [name: string]: string } {
    const { masterKey } = this.#conversation
    const all = { ...headers }
    if (masterKey !== undefined && auth !== false) all['authorization'] ??= `Bearer ${masterKey}`
    if (body !== undefined) all['content-type'] ??= 'application/json'
    return all
  }

  async #send(
    { method, path, body, raw, base64, save = {} }: Step,
    headers: { readonly [name: string]: string },
  ): Promise<{ readonly status: number; readonly body: Json }> {
    const sent =
      base64 !== undefined
        ? Buffer.from(base64, 'base64')
        : (raw ?? (body === undefined ? null : JSON.stringify(body)))
    const target = path.replace(/\{\{(\w+)\}\}/g, (all, name: string) =>
      encodeURIComponent(this.#saved.get(name) ?? all),
    )
    const answer = await fetch(this.#url + target, {
      method,
      headers,
      body: sent,
      redirect: 'manual',
    })
    let text = await answer.text()
    // What says that it is JSON has to be; other texts are compared as they are.
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    if (isJson && text !== '') JSON.parse(text)
    for (const [name, member] of Object.entries(save)) {
      const value = memberOf(parsed(text), member)
      if (value !== undefined) this.#saved.set(name, String(value))
    }
    for (const [name, value] of this.#saved) text = text.replaceAll(value, `{{${name}}}`)
    return { status: answer.status, body: parsed(text) }
  }

  async #ended(uid: number, authorization: string | undefined): Promise<Json> {
    const headers = authorization === undefined ? {} : { authorization }
    const deadline = performance.now() + TASK_PATIENCE_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      const answer = await fetch(`${this.#url}/tasks/${uid}`, { headers })
      const task = parsed(await answer.text())
      if (answer.status >= 400 || ENDED.has(memberOf(task, 'status'))) return task
      if (performance.now() > deadline) throw new Error(`task ${uid} does not end`)
      await rest(pause)
    }
  }
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** JSON, or the text where it is none. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}

const memberOf = (value: Json, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })[name]
    : undefined
