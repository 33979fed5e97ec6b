// How long a batch waits for a provider that fails.
import { expect, test } from 'vitest'
import type { OutgoingRequest } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { ATTEMPTS_MAX, EmbeddingFailure, ProviderPool } from '../providers/index.ts'
import { IMPATIENT_ATTEMPTS_MAX, PATIENT_INPUTS_MAX } from './limits.ts'
import { EmbeddingSession } from './session.ts'

const embedder: Embedder = {
  source: 'rest',
  url: 'http://p/r',
  request: ['{{text}}', '{{..}}'],
  response: ['{{embedding}}', '{{..}}'],
  dimensions: 1,
}

/** A session whose provider answers with what `statusOf` says about the number of the request. */
function startSession(ignoresEmbedders: boolean, statusOf: (request: number) => number) {
  let sent = 0
  const send = async ({ body }: OutgoingRequest) => {
    const texts = JSON.parse(Buffer.from(body!).toString()) as readonly string[]
    return { status: statusOf(++sent), body: Buffer.from(JSON.stringify(texts.map(() => [1]))) }
  }
  const settings = { openAiKey: null, requestMs: 9, pauseMsMax: 0, models: null, now: () => 0 }
  const modes = { ignoresEmbedders, ignoresTemplates: false }
  const pool = new ProviderPool({ send, ...settings }, 0)
  return {
    session: new EmbeddingSession(pool, new AbortController().signal, modes),
    /** Requests since the last call. */
    requests: () => [sent, (sent = 0)][0],
  }
}

test('after a group has waited in vain others try once, until one request succeeds', async () => {
  let isDown = true
  const { session, requests } = startSession(true, () => (isDown ? 503 : 200))
  const embed = () => session.embed(embedder, ['a'])
  expect(await embed()).toEqual([null])
  expect(requests()).toBe(ATTEMPTS_MAX)
  await embed()
  await embed()
  expect(requests()).toBe(2)
  isDown = false
  expect(await embed()).toEqual([Float32Array.of(1)])
  isDown = true
  requests()
  await embed()
  expect(requests()).toBe(ATTEMPTS_MAX)
})

test('a request that cannot succeed is no outage', async () => {
  const { session, requests } = startSession(true, (request) => (request === 1 ? 422 : 503))
  await session.embed(embedder, ['a'])
  await session.embed(embedder, ['a'])
  expect(requests()).toBe(1 + ATTEMPTS_MAX)
})

test('a large batch waits less for a failing provider', async () => {
  let isDown = true
  const { session, requests } = startSession(false, () => (isDown ? 503 : 200))
  await expect(session.embed(embedder, ['a'])).rejects.toBeInstanceOf(EmbeddingFailure)
  expect(requests()).toBe(ATTEMPTS_MAX)
  isDown = false
  await session.embed(embedder, Array<string>(PATIENT_INPUTS_MAX).fill('a'))
  isDown = true
  requests()
  await expect(session.embed(embedder, ['a'])).rejects.toBeInstanceOf(EmbeddingFailure)
  expect(requests()).toBe(IMPATIENT_ATTEMPTS_MAX)
})
