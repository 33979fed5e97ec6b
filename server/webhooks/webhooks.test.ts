// Delivery to fake receivers, and to one in this process.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Webhook } from '../../engine/admin/webhooks/index.ts'
import {
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
} from '../../engine/model/index.ts'
import { asTaskUid, asUuid } from '../../format/ids.ts'
import { startServer } from '../testing/test-server.ts'
import { FailureLog } from './failures.ts'
import { Delivery } from './index.ts'

const hook = (uuid: string, headers: Webhook['headers'] = {}): Webhook => ({
  uuid: asUuid(uuid),
  url: `http://${uuid}/`,
  headers,
})

type Play = {
  readonly webhooks?: readonly Webhook[]
  readonly answer?: (request: OutgoingRequest, n: number) => number | OutgoingFault
  readonly waitingBytesMax?: number
  readonly failed?: (uuid: string) => void
}

function play({ webhooks = [hook('one')], answer = () => 200, waitingBytesMax, failed }: Play) {
  const sent: OutgoingRequest[] = []
  const reports: string[] = []
  const delivery = new Delivery({
    webhooks: () => webhooks,
    view: (uid) => Promise.resolve(uid === 13 ? null : { uid, status: 'succeeded' }),
    report: (message) => reports.push(message),
    ...(waitingBytesMax === undefined ? {} : { waitingBytesMax }),
    ...(failed === undefined ? {} : { failed }),
    send: async (request): Promise<OutgoingAnswer> => {
      sent.push(request)
      const told = answer(request, sent.length)
      if (told instanceof OutgoingFault) throw told
      await new Promise((resolve) => setImmediate(resolve))
      return { status: told, body: new Uint8Array(0) }
    },
  })
  return { delivery, sent, reports }
}

const FRAMING = ['chunked', undefined, 'gzip']

const linesOf = ({ body }: OutgoingRequest): number[] =>
  gunzipSync(body!)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).uid)

test('every webhook receives every batch once, in order, without deleted tasks', async () => {
  const webhooks = [hook('one'), hook('two', { Authorization: 'k', 'x-ü': 'ü' })]
  const { delivery, sent, reports } = play({ webhooks })
  delivery.announce([asTaskUid(1), asTaskUid(2), asTaskUid(13)])
  delivery.announce(Array.from({ length: 1000 }, (_, i) => asTaskUid(100 + i)))
  await delivery.idle()
  for (const { url } of webhooks) {
    const own = sent.filter((request) => request.url === url)
    expect(own.map(linesOf).map((uids) => uids.length)).toEqual([2, 1000])
    expect(linesOf(own[0]!)).toEqual([1, 2])
  }
  const { headers, method } = sent.find(({ url }) => url.includes('two'))!
  expect(method).toBe('POST')
  expect(headers).toMatchObject({
    Authorization: 'k',
    'x-ü': 'ü',
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
    'accept-encoding': 'gzip',
  })
  expect(reports).toEqual([])
})

test('a webhook may set the encodings of its answers itself', async () => {
  const { delivery, sent } = play({ webhooks: [hook('one', { 'Accept-Encoding': 'identity' })] })
  delivery.announce([asTaskUid(1)])
  await delivery.idle()
  expect(sent[0]!.headers).toMatchObject({ 'Accept-Encoding': 'identity' })
  expect(sent[0]!.headers).not.toHaveProperty('accept-encoding')
})

test("a failed delivery is lost, and logged with the webhook's name and the remedy", async () => {
  const answers = [
    [() => 500, 'it answered with status 500'],
    [() => 404, 'it answered with status 404'],
    [
      () => new OutgoingFault('rejected', 'bad uri: Rejected URI'),
      'bad uri: Rejected URI: outbound calls go to public addresses only; list its network with ' +
        '--experimental-allowed-ip-networks',
    ],
    [() => new OutgoingFault('unreachable', 'down'), 'down'],
  ] as const
  for (const [answer, problem] of answers) {
    const failures: string[] = []
    const failed = (uuid: string) => void failures.push(uuid)
    const { delivery, sent, reports } = play({ answer, failed })
    delivery.announce([asTaskUid(1)])
    delivery.announce([asTaskUid(2)])
    await delivery.idle()
    expect(sent).toHaveLength(2)
    expect(failures).toEqual(['one', 'one'])
    expect(reports).toEqual([`While sending data to the webhook one (http://one): ${problem}`])
  }
})

test('failures of a webhook log one line a minute, with the number of others', () => {
  const reports: string[] = []
  let now = 0
  const log = new FailureLog({ report: (message) => reports.push(message), now: () => now })
  const secret = { uuid: asUuid('one'), url: 'https://hooks.example/secret?token=secret' }
  for (; now < 120_000; now += 10_000) log.add(secret, 'down')
  log.add(hook('two'), 'down')
  expect(reports).toEqual([
    'While sending data to the webhook one (https://hooks.example): down',
    'While sending data to the webhook one (https://hooks.example): down (5 more failures since ' +
      'the last line about it)',
    'While sending data to the webhook two (http://two): down',
  ])
  log.dropOthers(new Set())
  log.add(secret, 'down')
  expect(reports).toHaveLength(4)
})

test('headers of a webhook cannot change the framing of the body', async () => {
  const headers = { 'Content-Length': '3', 'CONTENT-TYPE': 'x', 'Content-Encoding': 'br', a: 'b' }
  const { delivery, sent } = play({ webhooks: [hook('one', headers)] })
  delivery.announce([asTaskUid(1)])
  await delivery.idle()
  expect(sent[0]!.headers).toEqual({
    a: 'b',
    'accept-encoding': 'gzip',
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
    'transfer-encoding': 'chunked',
  })
})

test('a webhook that is too slow loses the oldest bodies, and does not delay others', async () => {
  let release: (() => void)[] = []
  const webhooks = [hook('slow'), hook('fast')]
  const heard: string[] = []
  const reports: string[] = []
  let now = 0
  const delivery = new Delivery({
    webhooks: () => webhooks,
    view: (uid) => Promise.resolve({ uid }),
    report: (message) => reports.push(message),
    waitingBytesMax: 100,
    now: () => (now += 60_000),
    send: async ({ url }) => {
      if (url.includes('slow')) await new Promise<void>((resolve) => release.push(resolve))
      heard.push(url)
      return { status: 200, body: new Uint8Array(0) }
    },
  })
  for (let uid = 0; uid < 10; uid++) delivery.announce([asTaskUid(uid)])
  while (heard.length < 10) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(reports.length).toBeGreaterThan(0)
  const idle = delivery.idle()
  const timer = setInterval(() => {
    for (const one of release.splice(0)) one()
  }, 1)
  await idle
  clearInterval(timer)
  release = []
  expect(heard.filter((url) => url.includes('slow')).length).toBe(10 - reports.length)
})

test('a server notifies its webhooks, first that of the launch options', async () => {
  const heard: { path: string; key: string | undefined; framing: unknown; uids: number[] }[] = []
  const receiver = createServer((request, response) => {
    const chunks: Uint8Array[] = []
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const uids = linesOf({ body } as unknown as OutgoingRequest)
      const { authorization: key, ...rest } = request.headers
      const framing = [rest['transfer-encoding'], rest['content-length'], rest['content-encoding']]
      heard.push({ path: request.url!, key, framing, uids })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const server = await startServer({
    TASK_WEBHOOK_URL: `${url}/launch?a=b`,
    TASK_WEBHOOK_AUTHORIZATION_HEADER: 'Bearer 0123456789',
  })
  try {
    const headers = { authorization: 'mine' }
    await server.ask('POST', '/webhooks', { url: `${url}/own`, headers })
    expect((await server.ask('GET', '/webhooks')).body).toMatchObject({
      results: [
        { isEditable: false, headers: { Authorization: 'Bearer 01XXXX...' } },
        { isEditable: true },
      ],
    })
    await server.ask('POST', '/indexes', { uid: 'a' })
    await server.idle()
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(heard.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '/launch?a=b', key: 'Bearer 0123456789', framing: FRAMING, uids: [0] },
      { path: '/own', key: 'mine', framing: FRAMING, uids: [0] },
    ])
  } finally {
    await server.stop()
    receiver.closeAllConnections()
    receiver.close()
  }
})
