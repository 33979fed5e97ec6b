// Suggestions and corrected queries over HTTP: bodies and query strings, keys and tenant tokens,
// searches in lists, merged searches.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../testing/test-server.ts'

const MASTER = 'the-master-key-of-this-test'
const FILMS = [
  { id: 1, title: 'Harbour Lights', customer: 1 },
  { id: 2, title: 'The quiet Harbour', customer: 2 },
  { id: 3, title: 'Hard Rain', customer: 2 },
]

let server: TestServer
let token = ''
let other = ''

const send = async (method: string, path: string, body?: unknown, key = MASTER) => {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as { [member: string]: unknown } }
}

/** Returns a token with search rules for all indexes. */
function tokenOf(uid: unknown, key: unknown, filter: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = part({ searchRules: { '*': { filter } }, apiKeyUid: uid })
  const message = `${part({ alg: 'HS256', typ: 'JWT' })}.${claims}`
  return `${message}.${createHmac('sha256', String(key)).update(message).digest('base64url')}`
}

beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER })
  const settings = { searchableAttributes: ['title'], filterableAttributes: ['customer'] }
  await send('PATCH', '/indexes/films/settings', settings)
  await send('POST', '/indexes/films/documents', FILMS)
  await server.idle()
  const keyFor = async (action: string) =>
    (await send('POST', '/keys', { actions: [action], indexes: ['films'], expiresAt: null })).body
  const { key, uid } = await keyFor('search')
  token = tokenOf(uid, key, 'customer = 1')
  other = String((await keyFor('documents.get'))['key'])
}, 30_000)
afterAll(() => server.stop())

const suggest = (body: object, key = MASTER) => send('POST', '/indexes/films/suggest', body, key)
const texts = async (body: object, key = MASTER) =>
  ((await suggest(body, key)).body['suggestions'] as { text: string }[]).map(({ text }) => text)

describe('suggestions', () => {
  test('are the same for a body and for a query string', async () => {
    const body = { q: 'quiet h', limit: 2, filter: 'customer = 2', highlightPreTag: '<b>' }
    const sent = await suggest(body)
    expect(sent).toEqual({
      status: 200,
      body: {
        suggestions: [
          { text: 'quiet Harbour', highlighted: '<b>quiet H</em>arbour', hits: 1, source: 'words' },
        ],
        query: 'quiet h',
        processingTimeMs: expect.any(Number),
      },
    })
    const query = new URLSearchParams({ ...body, limit: '2' })
    const read = await send('GET', `/indexes/films/suggest?${query}`)
    expect(read.body['suggestions']).toEqual(sent.body['suggestions'])
    expect((await suggest({})).body).toMatchObject({ suggestions: [], query: '' })
  })

  test('have the rights of the key', async () => {
    expect(await texts({ q: 'har' })).toEqual(['Harbour', 'Hard', 'Hard Rain', 'Harbour Lights'])
    expect(await texts({ q: 'har' }, token)).toEqual(['Harbour', 'Harbour Lights'])
    expect(await texts({ q: 'har', filter: 'customer = 2' }, token)).toEqual([])
    expect(await suggest({ q: 'har' }, other)).toMatchObject({
      status: 403,
      body: { code: 'invalid_api_key' },
    })
  })

  test('refuse what they cannot read', async () => {
    const codes = [
      [{ limit: 51 }, 'invalid_suggest_limit'],
      [{ filter: 'title = x' }, 'invalid_suggest_filter'],
      [{ filter: 'title =' }, 'invalid_suggest_filter'],
      [{ attributes: ['customer'] }, 'invalid_suggest_attributes'],
      [{ locales: ['xx'] }, 'invalid_suggest_locales'],
      [{ useNetwork: true }, 'feature_not_enabled'],
      [{ query: 'x' }, 'bad_request'],
    ] as const
    for (const [body, code] of codes) {
      expect(await suggest({ q: 'a', ...body })).toMatchObject({ status: 400, body: { code } })
    }
    expect(await send('POST', '/indexes/none/suggest', { q: 'a' })).toMatchObject({
      status: 404,
      body: { code: 'index_not_found' },
    })
    await send('PATCH', '/experimental-features', { network: true })
    expect(await suggest({ useNetwork: true })).toMatchObject({
      body: {
        code: 'invalid_suggest_use_network',
        message: expect.stringContaining('suggestions are found in one instance alone'),
      },
    })
    await send('PATCH', '/experimental-features', { network: false })
  })
})

describe('corrected queries', () => {
  test('are shown on request', async () => {
    const search = { q: 'quiet harbuor', showCorrection: true }
    const sent = await send('POST', '/indexes/films/search', search)
    expect(Object.keys(sent.body).slice(0, 3)).toEqual(['hits', 'query', 'correctedQuery'])
    expect(sent.body['correctedQuery']).toBe('quiet Harbour')
    const get = await send('GET', '/indexes/films/search?q=quiet+harbuor&showCorrection=true')
    expect(get.body['correctedQuery']).toBe('quiet Harbour')
    const plain = await send('POST', '/indexes/films/search', { q: 'quiet harbuor' })
    expect(plain.body).not.toHaveProperty('correctedQuery')
  })

  test('of all instances of a network are refused', async () => {
    await send('PATCH', '/experimental-features', { network: true })
    const query = { q: 'harbuor', showCorrection: true, useNetwork: true }
    const queries = [{ indexUid: 'films', ...query }]
    for (const [path, body] of [
      ['/indexes/films/search', query],
      ['/multi-search', { queries }],
      ['/multi-search', { queries, federation: {} }],
    ] as const) {
      const refused = await send('POST', path, body)
      expect(refused.body).toMatchObject({ code: 'invalid_search_show_correction' })
    }
    await send('PATCH', '/experimental-features', { network: false })
  })

  test('of several searches are those of each', async () => {
    const queries = ['harbuor', 'hard', 'lihgts'].map((q) => ({
      indexUid: 'films',
      q,
      showCorrection: true,
    }))
    const listed = await send('POST', '/multi-search', { queries })
    const results = listed.body['results'] as { correctedQuery?: string }[]
    expect(results.map(({ correctedQuery }) => correctedQuery)).toEqual([
      'Harbour',
      undefined,
      'Lights',
    ])
    const merged = await send('POST', '/multi-search', { queries, federation: {} })
    expect(merged.body['correctedQueries']).toEqual({ 0: 'Harbour', 2: 'Lights' })
    const exact = queries.slice(1, 2)
    expect(
      (await send('POST', '/multi-search', { queries: exact, federation: {} })).body,
    ).not.toHaveProperty('correctedQueries')
  })
})
