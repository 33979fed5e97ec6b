// Exports to a fake remote: the requests it receives, repetitions, and failures.

import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import {
  Canceled,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
} from '../../model/index.ts'
import { defaultSettings, type IndexSettings } from '../../settings/index.ts'
import { Remote, runExport, sizeText } from './index.ts'
import type { RemoteOptions } from './remote.ts'
import { sizeOfText } from './size-text.ts'
import { FRAGMENT, settingsWith } from './test-fragments.ts'

const answer = (status: number, body: unknown = null): OutgoingAnswer => ({
  status,
  body: Buffer.from(JSON.stringify(body)),
})

const OK = answer(202)

type Scene = {
  readonly answers?: (request: OutgoingRequest, n: number) => OutgoingAnswer | OutgoingFault
  readonly documents?: number
  readonly indexes?: { [pattern: string]: { filter: unknown; overrideSettings: boolean } }
  readonly payloadSize?: string
  readonly retryMsMax?: number
  readonly signal?: AbortSignal
  readonly settings?: IndexSettings
  /** An index that was deleted. */
  readonly gone?: string
}

async function play(scene: Scene) {
  const sent: OutgoingRequest[] = []
  const steps: unknown[] = []
  /** Orders of fragments of the chunks that were read. */
  const chunks: unknown[] = []
  let now = 0
  const remote = new Remote({
    url: 'http://there/',
    apiKey: 'key',
    signal: scene.signal ?? new AbortController().signal,
    now: () => (now += 100),
    retryMsMax: scene.retryMsMax ?? 10_000,
    retryPauseMs: 1,
    send: (request) => {
      sent.push(request)
      const reply = scene.answers?.(request, sent.length) ?? OK
      return reply instanceof OutgoingFault ? Promise.reject(reply) : Promise.resolve(reply)
    },
  })
  const all = Array.from({ length: scene.documents ?? 3 }, (_, id) => `{"id":${id}}\n`)
  const exported = await runExport({
    remote,
    request: {
      payloadSize: scene.payloadSize ?? null,
      indexes: scene.indexes ?? { '*': { filter: null, overrideSettings: false } },
    },
    uids: [asIndexUid('books'), asIndexUid('films')],
    open: (uid) =>
      uid === scene.gone
        ? null
        : {
            uid,
            primaryKey: 'id',
            settings: scene.settings ?? defaultSettings(),
            release: () => undefined,
            chunk: (_, after, bytesMax, fragments) => {
              chunks.push(fragments)
              const from = after + 1
              let end = from
              let bytes = 0
              while (end < all.length && (end === from || bytes + all[end]!.length <= bytesMax)) {
                bytes += all[end++]!.length
              }
              const last = end < all.length ? end - 1 : null
              const head = { total: all.length, documents: end - from, last }
              const text = `${JSON.stringify(head)}\n${all.slice(from, end).join('')}`
              return Promise.resolve(Buffer.from(text))
            },
          },
    progress: (now) => steps.push(now),
  })
  return { sent, exported, steps, chunks }
}

const lineOf = ({ method, url }: OutgoingRequest): string => `${method} ${url}`

test('creates, configures and fills a missing index', async () => {
  const missing = (request: OutgoingRequest) => (request.method === 'GET' ? answer(404) : OK)
  const { sent, exported, steps } = await play({ answers: missing })
  expect(sent.map(lineOf)).toEqual(
    ['books', 'films'].flatMap((uid) => [
      `GET http://there/indexes/${uid}`,
      'POST http://there/indexes',
      `PATCH http://there/indexes/${uid}/settings`,
      `POST http://there/indexes/${uid}/documents`,
    ]),
  )
  expect(sent.every(({ headers }) => headers['authorization'] === 'Bearer key')).toBe(true)
  const settings = JSON.parse(Buffer.from(sent[2]!.body!).toString())
  expect(settings).toMatchObject({
    searchableAttributes: ['*'],
    pagination: { maxTotalHits: 1000 },
  })
  expect(settings).not.toHaveProperty('embedders')
  expect(gunzipSync(sent[3]!.body!).toString()).toBe('{"id":0}\n{"id":1}\n{"id":2}\n')
  expect(exported['books']).toEqual({ filter: null, overrideSettings: false, matchedDocuments: 3 })
  expect(steps[0]).toEqual([{ currentStep: 'Exporting index `books`', finished: 0, total: 2 }])
})

test('changes settings of an existing index only on request', async () => {
  const indexes = {
    films: { filter: null, overrideSettings: true },
    b: { filter: 1, overrideSettings: false },
  }
  const { sent, exported } = await play({ indexes, answers: () => OK })
  expect(sent.map(lineOf)).toEqual([
    'GET http://there/indexes/films',
    'PATCH http://there/indexes/films',
    'PATCH http://there/indexes/films/settings',
    'POST http://there/indexes/films/documents',
  ])
  expect(Object.keys(exported)).toEqual(['films'])
})

test('says why a receiver refuses attributes that share a rank', async () => {
  const refusal = {
    message: 'expected a string',
    code: 'invalid_settings_searchable_attributes',
    type: 'invalid_request',
    link: 'x',
  }
  const answers = ({ method }: OutgoingRequest) =>
    method === 'PATCH' ? answer(400, refusal) : method === 'GET' ? answer(404) : OK
  const settings = { ...defaultSettings(), searchableAttributes: ['a', ['b', 'c']] }
  await expect(play({ answers, settings })).rejects.toThrow(/cannot store attributes that share/)
  await expect(play({ answers })).rejects.toThrow(/: expected a string <x>$/)
})

test('fills chunks up to the limit, with one document at least', async () => {
  for (const [payloadSize, chunks] of [
    ['1 B', 4],
    ['18 B', 2],
    ['27 B', 2],
    ['1 KiB', 1],
  ] as const) {
    const { sent } = await play({
      documents: 4,
      payloadSize,
      indexes: { books: { filter: null, overrideSettings: false } },
    })
    const bodies = sent.filter(({ method }) => method === 'POST')
    expect(bodies.length).toBe(chunks)
    const text = bodies.map(({ body }) => gunzipSync(body!).toString()).join('')
    expect(text).toBe('{"id":0}\n{"id":1}\n{"id":2}\n{"id":3}\n')
  }
})

test('repeats requests after temporary failures', async () => {
  const down = new OutgoingFault('unreachable', 'down')
  const { sent } = await play({
    answers: (_, n) => (n === 1 ? down : n < 5 ? answer([408, 429, 503][n - 2]!) : OK),
  })
  expect(sent.slice(0, 5).map(lineOf)).toEqual(Array(5).fill('GET http://there/indexes/books'))
})

test('fails with the message of the other side, or the reason of a missing answer', async () => {
  const errorBody = { message: 'No.', code: 'invalid_api_key', type: 'auth', link: 'http://x' }
  await expect(play({ answers: () => answer(403, errorBody) })).rejects.toThrow(
    'Failed to export documents to remote server invalid_api_key (auth): No. <http://x>',
  )
  await expect(play({ answers: () => answer(418) })).rejects.toThrow('it answered with status 418')
  const other = { ...errorBody, message: { secret: 1 } }
  await expect(play({ answers: () => answer(400, other) })).rejects.toThrow(
    'it answered with status 400',
  )
  const rejected = new OutgoingFault('rejected', 'bad uri: Rejected URI')
  await expect(play({ answers: () => rejected })).rejects.toThrow(': bad uri: Rejected URI')
  const down = new OutgoingFault('unreachable', 'down')
  await expect(play({ answers: () => down, retryMsMax: 1000 })).rejects.toThrow(': down')
  await expect(play({ answers: () => answer(500), retryMsMax: 1000 })).rejects.toThrow('status 500')
})

test('a value is read if the key may read it', async () => {
  const read = async (reply: OutgoingAnswer | Error, more: Partial<RemoteOptions> = {}) => {
    const sent: OutgoingRequest[] = []
    const { signal } = new AbortController()
    const send = async (request: OutgoingRequest) => {
      sent.push(request)
      if (reply instanceof Error) throw reply
      return reply
    }
    const options = { send, url: 'http://there//', apiKey: null, signal, now: () => 0, ...more }
    return { value: await new Remote(options).read('/a'), sent }
  }
  const { value, sent } = await read(answer(200, { a: 1 }))
  expect(value).toEqual({ a: 1 })
  expect(sent).toMatchObject([{ method: 'GET', url: 'http://there/a', body: null, headers: {} }])
  for (const status of [201, 403, 404]) {
    expect((await read(answer(status, { a: 1 }))).value).toBeNull()
  }
  expect((await read({ status: 200, body: Buffer.from('<html>') })).value).toBeNull()
  const ours = new TypeError('ours')
  await expect(read(ours)).rejects.toBe(ours)
  await expect(read(OK, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(Canceled)
})

test('an index that was deleted meanwhile is left out', async () => {
  const { exported, sent } = await play({ gone: 'books' })
  expect(Object.keys(exported)).toEqual(['films'])
  expect(sent.filter(({ url }) => url.includes('books'))).toEqual([])
})

test('documents are read in the order of the fragments that the receiver has', async () => {
  const settings = settingsWith('b', 'a')
  const there = { indexingFragments: { b: FRAGMENT } }
  const answers = ({ url }: OutgoingRequest) =>
    url.endsWith('/embedders') ? answer(200, { e: there }) : OK
  const indexes = { books: { filter: null, overrideSettings: true } }
  const { chunks } = await play({ settings, indexes, answers })
  expect(chunks).toEqual([null, { e: ['b', 'a'] }])
})

test('a cancelation ends the pause', async () => {
  const controller = new AbortController()
  const down = new OutgoingFault('unreachable', 'down')
  const playing = play({
    signal: controller.signal,
    retryMsMax: Number.POSITIVE_INFINITY,
    answers: () => down,
  })
  setTimeout(() => controller.abort(), 20)
  await expect(playing).rejects.toMatchObject({ name: 'Canceled' })
})

test('sizes are read back from their texts', () => {
  expect(sizeText(2_000_000)).toBe('1.9073486328125 MiB')
  expect([0, 1024, 3 * 1024 ** 3].map(sizeText)).toEqual(['0 B', '1 KiB', '3 GiB'])
  expect(['', 'x B', '1 XB', 'MiB', '-1 B'].map(sizeOfText)).toEqual(Array(5).fill(null))
  fc.assert(fc.property(fc.maxSafeNat(), (bytes) => sizeOfText(sizeText(bytes)) === bytes))
})
