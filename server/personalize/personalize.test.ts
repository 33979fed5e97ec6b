// Personalization with a scripted provider.
import { afterEach, describe, expect, test } from 'vitest'
import { type OutgoingAnswer, OutgoingFault, type OutgoingRequest } from '../../engine/index.ts'
import { personalizer } from './index.ts'

type Answer = { readonly status: number; readonly body: unknown } | OutgoingFault | 'silence'

const asked: { readonly request: OutgoingRequest; readonly body: Record<string, unknown> }[] = []
const reports: string[] = []

afterEach(() => {
  asked.length = 0
  reports.length = 0
})

const send = (answers: readonly Answer[]) => {
  const left = [...answers]
  return async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    asked.push({ request, body: JSON.parse(Buffer.from(request.body!).toString()) })
    const answer = left.length > 1 ? left.shift()! : left[0]!
    if (answer instanceof OutgoingFault) throw answer
    if (answer === 'silence') {
      await new Promise((resolve) => setTimeout(resolve, request.totalMs))
      throw new OutgoingFault('unreachable', 'operation timed out')
    }
    const { status, body } = answer
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return { status, body: Buffer.from(text) }
  }
}

const HITS = [
  { id: 1, title: 'one', _rankingScore: 1, _formatted: { title: '<em>one</em>' } },
  { id: 2, title: 'two', _rankingScore: 0.5, _federation: { indexUid: 'a' } },
  { id: 3, title: 'three' },
]
const signal = new AbortController().signal

async function ranked(answers: readonly Answer[], hits: readonly object[] = HITS, totalMs = 500) {
  const options = { url: 'http://ranker.test/rerank', apiKey: 'secret', send: send(answers) }
  const { personalize } = personalizer(options, (message) => reports.push(message))
  const answer = Buffer.from(JSON.stringify({ hits, query: 'q', estimatedTotalHits: 9 }))
  const request = { userContext: 'likes two', query: 'q', totalMs, signal }
  const parts = await personalize(answer, request)
  return JSON.parse(Buffer.concat(parts).toString()) as { readonly hits: typeof HITS }
}

const order = (...indexes: readonly number[]): Answer => ({
  status: 200,
  body: { results: indexes.map((index) => ({ index, relevance_score: 0.5 })) },
})
const idsOf = ({ hits }: { readonly hits: readonly { readonly id: number }[] }) =>
  hits.map(({ id }) => id)

describe('an order', () => {
  test('is requested with the documents only, and applied to the hits', async () => {
    const answer = await ranked([order(1, 2, 0)])
    expect(answer).toEqual({
      hits: [HITS[1], HITS[2], HITS[0]],
      query: 'q',
      estimatedTotalHits: 9,
    })
    const [{ request, body }] = asked as [(typeof asked)[0]]
    expect(request.headers).toMatchObject({ authorization: 'Bearer secret' })
    expect(body).toEqual({
      query: 'User Context: likes two\nQuery: q',
      documents: HITS.map(({ id, title }) => JSON.stringify({ id, title })),
      model: 'rerank-english-v3.0',
    })
  })

  test('may omit hits, repeat them, and contain positions that do not exist', async () => {
    expect(idsOf(await ranked([order(2, 0, 99, 2)]))).toEqual([3, 1, 3])
    expect(idsOf(await ranked([order()]))).toEqual([])
  })

  test('is not requested if there is nothing to order', async () => {
    expect(idsOf(await ranked([order(0)], []))).toEqual([])
    expect(asked).toEqual([])
  })

  test('of very many hits covers the first ones', async () => {
    const many = Array.from({ length: 1100 }, (_, id) => ({ id }))
    const ids = idsOf(await ranked([order(5, 1000)], many))
    expect(ids.slice(0, 3)).toEqual([5, 1000, 1001])
    expect((asked[0]!.body['documents'] as unknown[]).length).toBe(1000)
    const large = Array.from({ length: 4 }, (_, id) => ({ id, text: 'x'.repeat(400_000) }))
    expect(idsOf(await ranked([order(1, 0)], large))).toEqual([1, 0, 2, 3])
  })
})

describe('a provider', () => {
  const down = new OutgoingFault('unreachable', 'ECONNRESET')

  test.each([
    ['is too busy', { status: 429, body: '' }],
    ['has failed', { status: 503, body: '' }],
    ['is away', down],
    ['speaks no JSON', { status: 200, body: 'x' }],
    ['speaks another JSON', { status: 200, body: { results: [{ index: -1 }] } }],
  ] as const)('that %s is asked again', async (_, answer) => {
    expect(idsOf(await ranked([answer, order(2, 1, 0)]))).toEqual([3, 2, 1])
    expect(asked).toHaveLength(2)
  })

  test('that does not answer leaves time for a retry', async () => {
    expect(idsOf(await ranked(['silence', order(2, 1, 0)], HITS, 600))).toEqual([3, 2, 1])
  })

  test.each([
    ['fails', down],
    ['says nothing', 'silence'],
  ] as const)('that %s for too long leaves the order unchanged', async (_, answer) => {
    expect(idsOf(await ranked([answer], HITS, 60))).toEqual([1, 2, 3])
    expect(reports).toHaveLength(1)
  })

  test.each([
    [401, 'remote_invalid_api_key', 'Unauthorized: invalid API key'],
    [400, 'remote_bad_request', 'Bad request: no'],
    [404, 'remote_bad_response', 'Cohere API error: Status 404: no'],
  ])('that refuses with %i is an error', async (status, code, words) => {
    const fault = { code, message: `Personalization service: ${words}` }
    await expect(ranked([{ status, body: 'no' }])).rejects.toMatchObject(fault)
    expect(asked).toHaveLength(1)
  })

  test('whose address may not be called is an error, without the key', async () => {
    const fault = await ranked([new OutgoingFault('rejected', 'bad uri')]).catch((error) => error)
    expect(fault).toMatchObject({ code: 'remote_could_not_send_request' })
    expect(String(fault)).not.toContain('secret')
  })
})
