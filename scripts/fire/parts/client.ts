// Requests as a client sends them, under the control of a test: headers, raw bodies, and
// connections that break half way.

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text parsed as JSON; undefined if it is not JSON. */
  readonly json: ReturnType<typeof JSON.parse>
}

export type AskOptions = {
  /** An object is sent as JSON, bytes and text unchanged. */
  readonly body?: object | string | Uint8Array
  readonly headers?: { readonly [name: string]: string }
}

export type Client = {
  /** Rejects when the connection breaks or no answer arrives in time. */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Answer>
  readonly close: () => void
}

const ANSWER_MS_MAX = 60_000
const TASK_MS_MAX = 120_000

/** `key` is sent with every request that has no other authorization. */
export function clientOf(url: string, key: string | null = null): Client {
  const agent = new Agent({ keepAlive: true })
  const ask = (method: string, path: string, options: AskOptions = {}): Promise<Answer> => {
    const { body, type } = payloadOf(options)
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(type === null ? {} : { 'content-type': type }),
      ...(body === null ? {} : { 'content-length': String(body.length) }),
      ...options.headers,
    }
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, agent, headers, timeout: ANSWER_MS_MAX })
      sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)))
      sent.once('error', reject)
      sent.once('response', (response) => read(response).then(resolve, reject))
      sent.end(body ?? undefined)
    })
  }
  return { ask, close: () => agent.destroy() }
}

function payloadOf({ body }: AskOptions): { body: Uint8Array | null; type: string | null } {
  if (body === undefined) return { body: null, type: null }
  if (body instanceof Uint8Array) return { body, type: 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { body: Buffer.from(text), type: 'application/json' }
}

/** Reads a response completely. */
async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk as Uint8Array)
  const text = Buffer.concat(chunks).toString()
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // An empty body, or an HTML page.
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

type Asking = Pick<Client, 'ask'>

/** Returns the task after its end. @throws if it does not end in time */
export async function endOfTask(client: Asking, uid: number): Promise<Answer['json']> {
  let task: Answer['json']
  await untilHolds(`task ${uid} ends`, TASK_MS_MAX, async () => {
    task = (await client.ask('GET', `/tasks/${uid}`)).json
    return Boolean(task?.finishedAt)
  })
  return task
}

/** Resolves when no task waits or runs. @throws if that takes too long */
export const untilIdle = (client: Asking): Promise<void> =>
  untilHolds('all tasks end', TASK_MS_MAX, async () => {
    const { json } = await client.ask('GET', '/tasks?statuses=enqueued,processing&limit=1')
    return json?.total === 0
  })

export const pause = (ms: number): Promise<void> => sleep(ms)

/** Waits until `holds` returns true; its errors count as false. @throws Error after `msMax` */
export async function untilHolds(
  what: string,
  msMax: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  let failure: unknown = null
  for (const begun = performance.now(); performance.now() - begun < msMax; ) {
    try {
      if (await holds()) return
    } catch (error) {
      failure = error
    }
    await pause(20)
  }
  throw new Error(`it does not happen: ${what}; ${failure}`)
}
