// Keys that expire or are deleted while one of their requests runs.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-for-tests-only'
let server: TestServer

beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER })
  await ask('PATCH', '/experimental-features', { logsRoute: true })
})
afterAll(() => server.stop())

type Body = { readonly [member: string]: unknown }

async function ask(method: string, path: string, body?: unknown): Promise<Body> {
  const headers = { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' }
  const sent = body === undefined ? null : JSON.stringify(body)
  const answer = await fetch(server.url + path, { method, headers, body: sent })
  const text = await answer.text()
  return text === '' ? {} : (JSON.parse(text) as Body)
}

const newKey = (action: string): Promise<Body> =>
  ask('POST', '/keys', { actions: [action], indexes: ['*'], expiresAt: null })

type Open = { readonly sent: ClientRequest; readonly answer: Promise<IncomingMessage> }

function begin(path: string, key: Body): Open {
  const headers = { authorization: `Bearer ${key['key']}`, 'content-type': 'application/json' }
  const sent = request(server.url + path, { method: 'POST', headers })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  return { sent, answer }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of answer) text += part
  return text
}

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200))

test.each([
  ['deleted', 403, 0],
  ['kept', 202, 1],
] as const)('checks the key again after the body: key %s', async (what, status, tasks) => {
  const key = await newKey('documents.add')
  const uid = `of-${what}`
  const { sent, answer } = begin(`/indexes/${uid}/documents`, key)
  sent.write('[{"id":1},')
  await moment()
  if (what === 'deleted') await ask('DELETE', `/keys/${key['uid']}`)
  sent.end('{"id":2}]')
  const answered = await answer
  expect([answered.statusCode, await textOf(answered)]).toEqual([status, expect.any(String)])
  await server.idle()
  expect(await ask('GET', `/tasks?indexUids=${uid}`)).toMatchObject({ total: tasks })
})

test('ends a log stream with its key', async () => {
  const key = await newKey('metrics.get')
  const { sent, answer } = begin('/logs/stream', key)
  sent.end('{"mode":"human","target":"info"}')
  const stream = await answer
  expect(stream.statusCode).toBe(200)
  const ended = textOf(stream)
  await ask('DELETE', `/keys/${key['uid']}`)
  await ended
  // The slot of the stream is free again.
  const next = begin('/logs/stream', await newKey('metrics.get'))
  next.sent.end('{"mode":"human","target":"info"}')
  expect((await next.answer).statusCode).toBe(200)
  next.sent.destroy()
}, 20_000)
