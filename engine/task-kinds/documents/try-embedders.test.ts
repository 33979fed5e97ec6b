// Embedders that are about to be stored, with a simulated provider.
import { expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { ProviderPool } from '../../ai/providers/index.ts'
import { templatesInPlace } from '../../ai/template/index.ts'
import { Canceled, type OutgoingRequest } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { tryEmbedders } from './try-embedders.ts'

const rest: Embedder = {
  source: 'rest',
  url: 'http://p/',
  request: { t: '{{text}}' },
  response: '{{embedding}}',
}

function world(answer: unknown) {
  const asked: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest) => {
    asked.push(request)
    return { status: 200, body: Buffer.from(JSON.stringify(answer)) }
  }
  const settings = { openAiKey: null, requestMs: 1, pauseMsMax: 0, models: null, now: () => 0 }
  const providers = new ProviderPool({ send, ...settings }, 0)
  const attempt = (before: Embedder | null, after: Embedder): Promise<void> => {
    const { signal } = new AbortController()
    const had = before === null ? {} : { e: before }
    return tryEmbedders(
      { providers, templates: templatesInPlace },
      asIndexUid('i'),
      had,
      { e: after },
      signal,
    )
  }
  return { asked, attempt }
}

test('tries a new embedder but not an unchanged one', async () => {
  const { asked, attempt } = world([1, 2])
  await attempt(null, rest)
  expect(asked).toHaveLength(1)
  await attempt(rest, { ...rest })
  await attempt(rest, { ...rest, distribution: { mean: 0.5, sigma: 0.5 } })
  expect(asked).toHaveLength(1)
  await attempt(rest, { ...rest, apiKey: 'new' })
  expect(asked).toHaveLength(2)
})

test('refuses an embedder that does not work', async () => {
  const { attempt } = world({ no: 'vector' })
  await expect(attempt(null, rest)).rejects.toMatchObject({
    code: 'vector_embedding_error',
    message: expect.stringMatching(
      /^Index `i`: Error while generating embeddings: runtime error: could not determine model dim/,
    ),
  })
})

test('does not hide a cancelation', async () => {
  const canceled = new Canceled()
  const providers = { check: () => Promise.reject(canceled) } as never
  const parts = { providers, templates: templatesInPlace }
  const { signal } = new AbortController()
  const attempt = tryEmbedders(parts, asIndexUid('i'), {}, { e: rest }, signal)
  await expect(attempt).rejects.toBe(canceled)
})

test('refuses a fragment that cannot be parsed and names its place', async () => {
  const { asked, attempt } = world([1])
  const fragments = (value: unknown): Embedder => {
    return { ...rest, dimensions: 1, indexingFragments: { ok: { value: 5 }, words: { value } } }
  }
  await expect(attempt(null, fragments({ a: ['fine', '{{doc.x'] }))).rejects.toThrow(
    'user error: in ``.indexingFragments.words.a[1]``, error while parsing template: liquid: ',
  )
  await expect(attempt(null, fragments('{{doc.x'))).rejects.toThrow(
    'user error: error while parsing template: liquid: ',
  )
  expect(asked).toHaveLength(0)
})
