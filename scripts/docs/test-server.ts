// The server for the examples of a page: a real one in this process, started by the first request.
// A proxy adds the master key to requests without a key, waits until the task of a write has
// finished, and records all requests with their answers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLoopback } from '../../server/testing/test-loopback.ts'
import { startServer, type TestServer } from '../../server/testing/test-server.ts'

export const MASTER_KEY = 'the-master-key-of-the-examples'

export type Exchange = {
  readonly request: string
  readonly status: number
  readonly body: string
  /** The error of the request's task, or null if the task succeeded or there was no task. */
  readonly taskError: string | null
}

export type ExampleServer = {
  readonly port: string
  readonly exchanges: readonly Exchange[]
  readonly stop: () => Promise<void>
}

type Task = { readonly error: { readonly message: string } | null }

const HOP_HEADERS = ['host', 'connection', 'content-length', 'expect', 'transfer-encoding']

export async function startExampleServer(): Promise<ExampleServer> {
  let started: Promise<TestServer> | null = null
  const running = (): Promise<TestServer> => {
    started ??= startServer({ MASTER_KEY, EXPERIMENTAL_ENABLE_METRICS: 'true' })
    return started
  }
  const exchanges: Exchange[] = []
  const front = await startLoopback(async (request, response, body) => {
    const { method = 'GET', url: path = '/' } = request
    // This proxy collects whole answers. Clients without a stream ask for the task instead.
    if (path.startsWith('/tasks/stream')) return void response.writeHead(404).end()
    const hasBody = method !== 'GET' && body !== ''
    const init = { method, headers: headersOf(request), body: hasBody ? body : null }
    const server = await running()
    const answer = await fetch(server.url + path, init)
    const text = await answer.text()
    const taskError = answer.status === 202 ? await errorOfTask(text) : null
    exchanges.push({ request: `${method} ${path}`, status: answer.status, body: text, taskError })
    send(response, answer, text)
  })

  async function errorOfTask(text: string): Promise<string | null> {
    const { taskUid } = JSON.parse(text) as { readonly taskUid?: number }
    if (taskUid === undefined) return null
    const server = await running()
    await server.idle()
    const headers = { authorization: `Bearer ${MASTER_KEY}` }
    const answer = await fetch(`${server.url}/tasks/${taskUid}`, { headers })
    return ((await answer.json()) as Task).error?.message ?? null
  }

  const stop = async (): Promise<void> => {
    await front.stop()
    await (await started)?.stop()
  }
  return { port: new URL(front.url).port, exchanges, stop }
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = { authorization: `Bearer ${MASTER_KEY}` }
  for (const [name, value] of Object.entries(request.headers)) {
    if (!HOP_HEADERS.includes(name)) headers[name] = String(value)
  }
  return headers
}

function send(response: ServerResponse, answer: Response, text: string): void {
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
  response.end(text)
}
