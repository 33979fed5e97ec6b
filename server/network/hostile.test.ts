// Another instance is slow or sends too much, malformed or false answers. It costs bounded time and
// memory and is named in the answer. If another owner is honest, no hit is missing.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'
import { writeAnswers } from './calls/answer-list.ts'

type Body = { readonly [member: string]: unknown }
type Behave = (response: ServerResponse, request: IncomingMessage) => void

const LIMIT_S = 2

let a: TestServer
let hostile: Server
let behave: Behave = (response) => response.end()
let sent = 0

beforeAll(async () => {
  hostile = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      // The instance answers correctly until the network is set up.
      if (request.url === '/network/search' || request.url?.includes('/documents')) {
        behave(response, request)
        return
      }
      const answer = JSON.stringify({ network: true, total: 0, results: [], taskUid: 1 })
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
  })
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  const { port } = hostile.address() as AddressInfo
  a = await startServer({ EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS: String(LIMIT_S) })
  await a.ask('PATCH', '/experimental-features', { network: true })
  await a.ask('POST', '/indexes/films/documents', [
    { id: 1, title: 'one' },
    { id: 2, title: 'two' },
  ])
  await a.idle()
  // The network has no leader, so that the other instance receives searches only.
  const answer = await a.ask('PATCH', '/network', {
    self: 'a',
    remotes: { a: { url: a.url }, h: { url: `http://127.0.0.1:${port}` } },
  })
  expect(answer.status).toBe(200)
})

afterAll(async () => {
  hostile.closeAllConnections()
  hostile.close()
  await a.stop()
})

beforeEach(() => {
  sent = 0
})

const search = async (): Promise<Body> => {
  const { status, body } = await a.ask('POST', '/indexes/films/search', { useNetwork: true })
  expect(status).toBe(200)
  return body as Body
}

const fetchAll = async (): Promise<Body> => {
  const fetchRequest = { useNetwork: true }
  const { status, body } = await a.ask('POST', '/indexes/films/documents/fetch', fetchRequest)
  expect(status).toBe(200)
  return body as Body
}

/** Expects the local documents, and an error of the other instance with one of these codes. */
function expectNamed(answer: Body, ...codes: readonly string[]): void {
  expect((answer.hits ?? answer.results) as readonly unknown[]).toHaveLength(2)
  const { h } = answer.remoteErrors as { readonly h?: { readonly code: string } }
  expect(codes).toContain(h?.code)
}

/** Sends chunk after chunk until the other side closes the connection. */
function flood(response: ServerResponse, begin: string, chunk: string, most: number): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(begin)
  const more = (): void => {
    while (sent < most) {
      if (response.destroyed) return
      sent += chunk.length
      if (!response.write(chunk)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

const answering =
  (bytes: Buffer): Behave =>
  (response) => {
    for (const piece of writeAnswers([{ status: 200, bytes }])) response.write(piece)
    response.end()
  }

test('waits for a silent instance no longer than a search may take', async () => {
  behave = () => undefined
  for (const answer of await Promise.all([search(), fetchAll()])) {
    expectNamed(answer, 'remote_timeout')
  }
})

test('waits for an instance that sends byte by byte no longer than a search may take', async () => {
  behave = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  }
  expectNamed(await search(), 'remote_timeout')
})

test('aborts an endless answer', async () => {
  const most = 1024 * MiB
  behave = (response) => flood(response, '{"hits":[', ' '.repeat(MiB), most)
  // On a busy machine, the time limit is reached before the size limit.
  expectNamed(await search(), 'remote_bad_response', 'remote_timeout')
  expect(sent).toBeLessThan(100 * MiB)
  behave = (response) => flood(response, '{"results":[', ' '.repeat(MiB), most)
  expectNamed(await fetchAll(), 'remote_bad_response', 'remote_timeout')
}, 30_000)

const HIT = '{"id":9,"_federation":{}}'
const head = {
  version: 2,
  processingTimeMs: 1,
  total: 1,
  indexUids: ['films'],
  lengths: [HIT.length],
  origins: [HIT.indexOf('{}')],
  indexes: [0],
  positions: [0],
  scores: [1],
  externalIds: ['9'],
  keys: [[1]],
}
type Head = { readonly [member in keyof typeof head]?: unknown } & {
  readonly [other: string]: unknown
}

/** Encodes a partial answer: hits, head, and the length of the head. */
function partial(change: Head | string = {}, hits = HIT): Buffer {
  const text = typeof change === 'string' ? change : JSON.stringify({ ...head, ...change })
  const length = Buffer.alloc(4)
  length.writeUInt32LE(Buffer.byteLength(text))
  return Buffer.concat([Buffer.from(`${hits}${text}`), length])
}

test('accepts an honest answer', async () => {
  behave = answering(partial())
  const answer = await search()
  expect(answer.hits).toHaveLength(3)
  expect(answer.remoteErrors).toEqual({})
})

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const many = <T>(one: T): readonly T[] => Array.from({ length: 21 }, () => one)

const LIES: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['JSON', Buffer.from('{"hits":[]}')],
  ['another value', partial('[]')],
  ['a head that is cut off', partial('{"version":2')],
  ['a length beyond the answer', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ['a hit that is cut off', partial({}, HIT.slice(0, -1))],
  ['hits that are no objects', partial({ lengths: [1] }, '1')],
  [
    'more hits than were asked for',
    partial(
      {
        lengths: many(HIT.length),
        origins: many(HIT.indexOf('{}')),
        indexes: many(0),
        positions: many(0),
        scores: many(1),
        externalIds: many('9'),
        keys: many([]),
      },
      HIT.repeat(21),
    ),
  ],
  ['a hit of another index', partial({ indexUids: ['x'] })],
  ['a hit without a place', partial({ lengths: [8], origins: [0] }, '{"id":9}')],
  ['a place that does not exist', partial({ origins: [2] })],
  ['a score that is a text', partial({ scores: ['x'] })],
  ['a negative total', partial({ total: -1 })],
  ['a total that is not a number', partial({ total: 'many' })],
  ['counts below zero', partial({ facets: [['films', [['a', [['b', -1]]]], []]] })],
  [
    'values that are nested',
    partial(`${JSON.stringify(head).slice(0, -1)},"values":[[0,{"a":${nested(100_000)}}]]}`),
  ],
  ['a head of 20 MB', partial({ x: 'x'.repeat(20 * MiB) })],
  ['another version', partial({ version: 1 })],
]

test.each(LIES)('names an instance that answers with %s', async (_, body) => {
  behave = answering(body)
  expectNamed(await search(), 'remote_bad_response')
})

test('refuses a list with a wrong number of answers', async () => {
  behave = (response) => {
    for (const piece of writeAnswers([])) response.write(piece)
    response.end()
  }
  expectNamed(await search(), 'remote_bad_response')
})

test('refuses malformed documents', async () => {
  const bodies = [
    '',
    '[]',
    '{"results":[1],"total":1}',
    '{"results":[],"total":-1}',
    '{"results":[{]}',
  ]
  for (const body of bodies) {
    behave = (response) => response.end(body)
    expectNamed(await fetchAll(), 'remote_bad_response')
  }
})
