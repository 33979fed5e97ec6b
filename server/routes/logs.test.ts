// The log over HTTP, of a running server.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeEach(async () => {
  server = await startServer({ EXPERIMENTAL_ENABLE_LOGS_ROUTE: 'true' })
})
afterEach(() => server.stop())

type Listener = {
  readonly answer: Response
  /** Returns the text received up to and including `text`. */
  readonly until: (text: string) => Promise<string>
  readonly rest: () => Promise<string>
  readonly leave: () => void
}

async function listen(method: 'GET' | 'POST', options: object = {}): Promise<Listener> {
  const controller = new AbortController()
  const query = new URLSearchParams(options as Record<string, string>)
  const answer =
    method === 'GET'
      ? await fetch(`${server.url}/logs/stream?${query}`, { signal: controller.signal })
      : await fetch(`${server.url}/logs/stream`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(options),
          signal: controller.signal,
        })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ''
  const until = async (text: string): Promise<string> => {
    while (!heard.includes(text)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`it ended before ${text}: ${heard}`)
      heard += value
    }
    return heard
  }
  const rest = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return heard
      heard += value
    }
  }
  return { answer, until, rest, leave: () => controller.abort() }
}

describe.each(['GET', 'POST'] as const)('%s /logs/stream', (method) => {
  test('logs every request, as text for people', async () => {
    const { answer, until, rest } = await listen(method)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    const key = 'abcdef01'.repeat(8)
    await fetch(`${server.url}/indexes/none?api_key=hidden&q=shown`, {
      headers: { 'user-agent': 'tests/1.0 (a b)' },
    })
    await fetch(`${server.url}/keys/${key}`)
    const heard = await until('/keys/')
    expect(heard).toMatch(
      /^\S+Z {2}INFO HTTP request\{method=GET host="127\.0\.0\.1:\d+" route=\/indexes\/none /m,
    )
    expect(heard).toContain(
      'query_parameters="api_key=…&q=shown" user_agent="tests/1.0 (a b)" status_code=404 ' +
        'error="Index `none` not found."}: svc::http: close time.busy=',
    )
    expect(heard).not.toContain(key)
    expect(heard).not.toContain('hidden')
    expect((await server.ask('DELETE', '/logs/stream')).status).toBe(204)
    await rest()
    expect((await server.ask('DELETE', '/logs/stream')).status).toBe(204)
  })

  test('has one listener at a time, and accepts another one after it disconnects', async () => {
    const first = await listen(method, { mode: 'json' })
    const second = await listen(method)
    expect(second.answer.status).toBe(400)
    expect(JSON.parse(await second.rest())).toMatchObject({
      code: 'bad_request',
      message: 'The `/logs/stream` route is currently in use by someone else.',
    })
    first.leave()
    let third = await listen(method, { mode: 'json', target: 'svc::http=info' })
    for (let i = 0; third.answer.status !== 200 && i < 1000; i++) third = await listen(method)
    expect(third.answer.status).toBe(200)
    third.leave()
  })
})

test('records spans of requests and of batches in a profile', async () => {
  const { until } = await listen('POST', { mode: 'profile', profileMemory: true })
  await server.ask('POST', '/indexes/films/documents', [{ id: 1 }])
  await server.idle()
  for (let i = 0; i < 30; i++) await server.ask('GET', '/health')
  await until('"GET /health"')
  const heard = await until('"batch 0"')
  expect(heard).toContain('"name":"POST /indexes/:indexUid/documents"')
  expect(heard).toContain('"name":"processing tasks"')
  expect(heard).toContain('"SpanEnter":{"id":1,"time":{"secs":0,')
  expect(heard).toContain('"memory":{"resident":')
})

test('logs a line per batch', async () => {
  const { until, leave } = await listen('GET', { target: 'svc::engine', mode: 'human' })
  await server.ask('POST', '/indexes/films/documents', [{ id: 1 }])
  await server.ask('DELETE', '/indexes/none')
  await server.idle()
  const heard = await until('1 failed')
  expect(heard).toMatch(
    /INFO batch\{uid=0 types="1 documentAdditionOrUpdate" indexes="1 films" ended="1 succeeded" /,
  )
  expect(heard).toMatch(
    /types="1 indexDeletion" indexes="1 none" .*\}: svc::engine: close time\.busy=/,
  )
  leave()
})

test('offers the routes with GET only while they are switched on', async () => {
  expect((await server.ask('GET', '/logs/stderr?target=warn')).status).toBe(204)
  expect(await server.ask('GET', '/logs/stderr?target=')).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  expect((await server.ask('GET', '/logs/stream?mode=loud')).status).toBe(400)
  expect((await server.ask('GET', '/logs/stream?profileMemory=true')).status).toBe(400)
  await server.ask('PATCH', '/experimental-features', { logsRoute: false })
  const off = await fetch(`${server.url}/logs/stream`)
  expect([off.status, off.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
  expect((await server.ask('GET', '/logs/stderr')).status).toBe(405)
})

test('stops without waiting for a listener', async () => {
  const { rest } = await listen('GET')
  const stopped = server.stop()
  await rest()
  await stopped
  server = await startServer()
})
