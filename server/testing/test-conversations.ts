// Plays recorded conversations against a server in this process: sends the requests one after
// another, and compares each answer, and the task that it started, with the recorded one.
// fixtures/conversations/README.md describes the format.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import type { Engine } from '../../engine/index.ts'
import { asTaskUid } from '../../format/ids.ts'
import { differencesOf, type Json, shapeOf } from './test-answers.ts'
import { PlayedProvider, type PlayedRoute, type RecordedForm } from './test-provider.ts'
import type { PlayedReply } from './test-provider-chat.ts'
import { openServer } from './test-server.ts'

type Recorded = { readonly status: number; readonly body: Json; readonly task?: Json }

type Step = {
  readonly name?: string
  /** The server that gets the request; absent: the first one. */
  readonly node?: string
  /** Sends no request: waits until no server has a waiting or running task. */
  readonly settle?: boolean
  /** Sends no request: sets the provider's answers. */
  readonly provide?: { readonly [path: string]: PlayedRoute | null }
  /** Sends no request: sets the replies of the provider's model, in order. */
  readonly replies?: readonly PlayedReply[]
  /** Replaces built-in prompts in requests to the provider by their form. */
  readonly hidesPrompts?: boolean
  /** Sends no request: compares the requests that the provider received. */
  readonly asked?: RecordedForm
  /** Includes the trial requests of embedders. */
  readonly withTrials?: boolean
  /** Compares only these members of the answer; lists on the path are traversed. */
  readonly pick?: readonly string[]
  readonly method: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Json
  readonly raw?: string
  readonly base64?: string
  /** Milliseconds to wait first. */
  readonly pause?: number
  /** Does not wait for the task. */
  readonly nowait?: boolean
  /** Only prepares the conversation: its answer is not compared. */
  readonly silent?: boolean
  readonly statusOnly?: boolean
  /** false: sends no master key. */
  readonly auth?: boolean
  readonly ignore?: readonly string[]
  /** Name → member of the answer, which replaces `{{name}}` from here on. */
  readonly save?: { readonly [name: string]: string }
  readonly expect: Recorded
}

export type Conversation = {
  readonly name: string
  readonly about?: string
  readonly env?: { readonly [option: string]: string }
  readonly masterKey?: string
  /** Several servers by name, each with its own options and key; absent: one server. */
  readonly nodes?: { readonly [name: string]: Pick<Conversation, 'env' | 'masterKey'> }
  /** Starts a provider of embeddings; `{{mock}}` stands for its address. */
  readonly hasProvider?: boolean
  readonly steps: readonly Step[]
}

/** A step whose answer differs from the recording. */
export type Deviation = { readonly step: number; readonly differences: readonly string[] }

export const GROUPS = ['api', 'semantics', 'ai', 'network'] as const
export type Group = (typeof GROUPS)[number]

export function readConversations(group: Group): readonly Conversation[] {
  const file = new URL(`../../fixtures/conversations/${group}.ndjson.gz`, import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Conversation)
}

/** Plays a whole conversation on an empty database, and returns the deviations. */
export async function play(conversation: Conversation): Promise<readonly Deviation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conversation-'))
  const provider = conversation.hasProvider ? await PlayedProvider.start() : null
  const nodes = new Map<string, Node>()
  try {
    try {
      for (const [name, plan] of Object.entries(conversation.nodes ?? { '': conversation })) {
        nodes.set(name, await serve(plan, join(folder, `node-${name}`), provider?.url ?? ''))
      }
      return await new Player(nodes, conversation, provider).play()
    } finally {
      for (const { stop } of nodes.values()) await stop()
    }
  } finally {
    await provider?.stop()
    rmSync(folder, { recursive: true })
  }
}

type Node = {
  readonly url: string
  readonly engine: Pick<Engine, 'visibility'>
  readonly masterKey: string | undefined
  readonly stop: () => Promise<void>
}

async function serve(
  { env = {}, masterKey }: Pick<Conversation, 'env' | 'masterKey'>,
  folder: string,
  providerUrl: string,
): Promise<Node> {
  const options = Object.entries(env).map(([name, value]) => [
    name,
    value.replace('{{mock}}', providerUrl),
  ])
  const opened = await openServer(folder, { MASTER_KEY: masterKey, ...Object.fromEntries(options) })
  const { url, engine, stop } = opened
  return { url, engine, masterKey, stop }
}

const TASK_TIMEOUT_MS = 60_000

class Player {
  readonly #nodes: ReadonlyMap<string, Node>
  readonly #conversation: Conversation
  readonly #provider: PlayedProvider | null
  readonly #saved = new Map<string, string>()

  constructor(
    nodes: ReadonlyMap<string, Node>,
    conversation: Conversation,
    provider: PlayedProvider | null,
  ) {
    this.#nodes = nodes
    this.#conversation = conversation
    for (const [name, { url }] of conversation.nodes === undefined ? [] : nodes) {
      this.#saved.set(`url:${name}`, url).set(`addr:${name}`, new URL(url).host)
    }
    this.#provider = provider
    if (provider !== null) this.#saved.set('mock', provider.url)
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
    if (step.settle) return this.#settled()
    const node = this.#nodeOf(step)
    if (step.provide !== undefined) this.#provider!.set(step.provide)
    if (step.replies !== undefined) this.#provider!.chat.set(step.replies)
    if (step.asked !== undefined) {
      const { asked: how, withTrials = false, hidesPrompts = false } = step
      const requests = this.#provider!.takeRequests(how, withTrials, hidesPrompts)
      if (statusOnly) return []
      return differencesOf(sorted(recorded.body), sorted(shapeOf(requests, new Set(ignore))))
    }
    if (step.provide !== undefined || step.replies !== undefined) return []
    const headers = this.#headers(step, node)
    const { status, body } = await this.#send(step, node, headers)
    const differences: string[] = []
    if (status !== recorded.status) {
      differences.push(`status ${recorded.status} recorded, ${status} here`)
    }
    const ignored = new Set(ignore)
    if (!statusOnly) {
      const shape = shapeOf(this.#isOfSeveral ? withoutCauses(body) : body, ignored)
      differences.push(...differencesOf(recorded.body, picked(shape, step.pick)))
    }
    const uid = memberOf(body, 'taskUid')
    if (status !== 202 || uid === undefined || nowait) return differences
    const task = await this.#ended(Number(uid), node, headers['authorization'])
    if (this.#nodes.size > 1) await this.#settled()
    if (recorded.task !== undefined) {
      differences.push(
        ...differencesOf(
          recorded.task,
          shapeOf(this.#isOfSeveral ? withoutCauses(task) : task, ignored),
          'task',
        ),
      )
    }
    return differences
  }

  get #isOfSeveral(): boolean {
    return this.#conversation.nodes !== undefined
  }

  #nodeOf({ node }: Step): Node {
    const [first] = this.#nodes.values()
    return (node === undefined ? first : this.#nodes.get(node))!
  }

  /** Waits until no server has a waiting or running task. */
  async #settled(): Promise<readonly string[]> {
    const deadline = performance.now() + TASK_TIMEOUT_MS
    for (const { url, masterKey } of this.#nodes.values()) {
      const headers = masterKey === undefined ? {} : { authorization: `Bearer ${masterKey}` }
      for (;;) {
        const answer = await request(`${url}/tasks?statuses=enqueued,processing&limit=1`, {
          headers,
        })
        if (memberOf(parsed(await answer.body.text()), 'total') === 0) break
        if (performance.now() > deadline) throw new Error('tasks do not end')
        await rest(10)
      }
    }
    return []
  }

  #headers({ headers = {}, auth, body }: Step, { masterKey }: Node): { [name: string]: string } {
    const all = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.#filledIn(value, (to) => to)]),
    )
    if (masterKey !== undefined && auth !== false) all['authorization'] ??= `Bearer ${masterKey}`
    if (body !== undefined) all['content-type'] ??= 'application/json'
    return all
  }

  async #send(
    { method, path, body, raw, base64, save = {} }: Step,
    { url }: Node,
    headers: { readonly [name: string]: string },
  ): Promise<{ readonly status: number; readonly body: Json }> {
    const sent =
      base64 !== undefined
        ? Buffer.from(base64, 'base64')
        : (raw ?? (body === undefined ? null : this.#filledIn(JSON.stringify(body), (to) => to)))
    const target = this.#filledIn(path, encodeURIComponent)
    const isText = typeof sent === 'string' && headers['content-type'] === undefined
    // `request` costs a fraction of `fetch`, and lets no answer be compressed.
    const answer = await request(url + target, {
      // The recording client sent `get` as `GET`, like `fetch`, and other names as they are.
      method: (method === 'get' ? 'GET' : method) as Dispatcher.HttpMethod,
      headers: isText ? { ...headers, 'content-type': 'text/plain;charset=UTF-8' } : headers,
      body: sent,
    })
    let text = await answer.body.text()
    const type = String(answer.headers['content-type'])
    // A body with the JSON content type must parse; other bodies are compared as text.
    const isJson = type.startsWith('application/json')
    if (isJson && text !== '') JSON.parse(text)
    for (const [name, member] of Object.entries(save)) {
      const value = memberOf(parsed(text), member)
      if (value !== undefined) this.#saved.set(name, String(value))
    }
    // Recorded without a body; ours says that there is no route.
    if (memberOf(parsed(text), 'code') === 'route_not_found') text = ''
    text = this.#named(text)
    const isStream = type === 'text/event-stream'
    return { status: answer.statusCode, body: isStream ? eventsIn(text) : parsed(text) }
  }

  /** Returns a text with the saved values in place of their names. */
  #filledIn(text: string, shown: (value: string) => string): string {
    return text.replace(/\{\{([\w:]+)\}\}/g, (all, name: string) => {
      const value = this.#saved.get(name)
      return value === undefined ? all : shown(value)
    })
  }

  /** Returns an answer with the names in place of saved values. */
  #named(text: string): string {
    let named = text
    for (const [name, value] of this.#saved) named = named.replaceAll(value, `{{${name}}}`)
    if (this.#conversation.nodes === undefined) return named
    // Messages also contain the versions of networks.
    return named.replace(VERSIONS, '<uuid>')
  }

  /** Returns the task when it has ended, as its client sees it. The engine says when that is. */
  async #ended(uid: number, node: Node, authorization: string | undefined): Promise<Json> {
    const { visibility } = node.engine
    const hasEnded = (): boolean => visibility.hasEnded(asTaskUid(uid))
    const wait = { ms: TASK_TIMEOUT_MS, signal: new AbortController().signal }
    if (!(await visibility.until(asTaskUid(uid), hasEnded, wait))) {
      throw new Error(`task ${uid} does not end`)
    }
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await request(`${node.url}/tasks/${uid}`, { headers })
    return parsed(this.#named(await answer.body.text()))
  }
}

/** Returns the members at the paths, by path. */
function picked(value: Json, paths: readonly string[] | undefined): Json {
  if (paths === undefined) return value
  return Object.fromEntries(paths.map((path) => [path, memberAt(value, path.split('.'))]))
}

function memberAt(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined) return value
  if (Array.isArray(value)) return value.map((item: Json) => memberAt(item, [name, ...rest]))
  return memberAt(memberOf(value, name) ?? null, rest)
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sorts members, because their order in a request to a provider may differ between engines. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

/** Removes HTTP client error texts, and the links inside messages. */
function withoutCauses(value: Json): Json {
  if (typeof value === 'string') return value.replace(INNER_LINKS, '"link":"<link>')
  if (Array.isArray(value)) return value.map(withoutCauses)
  if (typeof value !== 'object' || value === null) return value
  const isUnsent = memberOf(value, 'code') === 'remote_could_not_send_request'
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'message' && isUnsent ? '<why>' : withoutCauses(member),
    ]),
  )
}

const INNER_LINKS = /"link\\*":\\*"https?:[^"\\]*/g
const VERSIONS = /\b(?!0{8}-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Returns the events of a stream: their data, or other lines unchanged. */
function eventsIn(text: string): Json {
  const blocks = text.replace(UUID, '<uuid>').split('\n\n')
  return blocks.flatMap((block) => {
    if (block === '') return []
    return [block.startsWith('data: ') ? withArguments(parsed(block.slice(6))) : block]
  })
}

/** Returns a chunk with the arguments of the server's own calls as values instead of strings. */
function withArguments(event: Json): Json {
  const { choices } = event as unknown as { readonly choices?: readonly OwnCalls[] }
  for (const { function: called } of choices?.[0]?.delta.tool_calls ?? []) {
    if (called.name.startsWith('_meili')) called.arguments = parsed(String(called.arguments))
  }
  return event
}

type OwnCalls = {
  readonly delta: {
    readonly tool_calls: readonly { readonly function: { name: string; arguments: Json } }[] | null
  }
}

/** Parses JSON, or returns the text if it is not JSON. */
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
