// Fake providers: the requests they receive, the reading of their answers, and repetitions.
import { expect, test } from 'vitest'
import {
  Canceled,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
} from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import type { EmbeddingFailure } from './index.ts'
import type { LocalModels, ProviderEnvironment } from './provider.ts'
import { poolOf, restEmbedder as rest } from './test-provider.ts'

type Body = { readonly [member: string]: unknown }
type Sent = { readonly url: string; readonly headers: Body; readonly body: Body }

/**
 * A provider that answers with `play`; returns the requests it received, and a pool that uses it.
 */
function fakeProvider(
  play: (body: Body, attempt: number) => unknown,
  options: Partial<ProviderEnvironment> & { readonly cached?: number } = {},
) {
  const sent: Sent[] = []
  const send = async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    const body = JSON.parse(Buffer.from(request.body!).toString()) as Body
    sent.push({ url: request.url, headers: request.headers, body })
    const answer = await play(body, sent.length)
    if (answer instanceof Error) throw answer
    if (typeof answer === 'object' && answer !== null && 'status' in answer) {
      return { body: new Uint8Array(0), ...answer } as OutgoingAnswer
    }
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    return { status: 200, body: Buffer.from(text) }
  }
  const { cached = 0, ...environment } = options
  return { sent, pool: poolOf({ send, ...environment }, cached) }
}

const single: Embedder = {
  ...rest,
  request: { a: '{{text}}' },
  response: { out: [{ deep: { v: '{{embedding}}' } }] },
}
const run = { signal: null, deadline: null, onRequest: () => undefined }
const texts = (body: Body): readonly string[] => body['texts'] as string[]
const echo = (body: Body) => ({ vectors: texts(body).map((text) => [text.length, 1]) })
const reasonOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: EmbeddingFailure) => error.reason ?? String(error),
  )

test('sends inputs in groups of ten and returns their vectors in order', async () => {
  const { pool, sent } = fakeProvider(echo)
  const inputs = Array.from({ length: 25 }, (_, i) => 'x'.repeat(i))
  const vectors = await pool.embed(rest, inputs, run)
  expect(vectors.map(([first]) => first)).toEqual(inputs.map((_, i) => i))
  expect(sent.map(({ body }) => texts(body).length).sort((a, b) => a - b)).toEqual([5, 10, 10])
})

test('sends one input per request for a template without repetition', async () => {
  const { pool, sent } = fakeProvider(() => ({ out: [{ deep: { v: [1, 2] } }, 7] }))
  await pool.embed(single, ['a', { b: null }], run)
  expect(sent.map(({ body }) => body)).toEqual([{ a: 'a' }, { a: { b: null } }])
})

test('each source sends the requests of its servers', async () => {
  const { pool, sent } = fakeProvider(
    ({ input, prompt }) => {
      const vectors = (Array.isArray(input) ? input : [prompt]).map(() => [1, 2])
      return {
        data: vectors.map((embedding) => ({ embedding })),
        embeddings: vectors,
        embedding: vectors[0],
      }
    },
    { openAiKey: 'from-outside' },
  )
  const openAi: Embedder = { source: 'openAi', url: 'http://p/e', dimensions: 2 }
  const ollama: Embedder = {
    source: 'ollama',
    model: 'm',
    url: 'http://p/api/embed',
    dimensions: 2,
  }
  await pool.embed(openAi, ['a'], run)
  await pool.embed({ ...openAi, apiKey: '' }, ['a'], run)
  await pool.embed({ ...ollama, apiKey: 'k' }, ['a', 'b'], run)
  await pool.embed({ ...ollama, url: 'http://p/api/embeddings' }, ['a'], run)
  expect(sent.map(({ body }) => body)).toEqual([
    { model: 'text-embedding-3-small', input: ['a'], dimensions: 2 },
    { model: 'text-embedding-3-small', input: ['a'], dimensions: 2 },
    { model: 'm', input: ['a', 'b'] },
    { model: 'm', prompt: 'a' },
  ])
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer from-outside',
    undefined,
    'Bearer k',
    undefined,
  ])
})

test('headers of the setting replace default headers', async () => {
  const { pool, sent } = fakeProvider(echo)
  const headers = { Authorization: 'Basic abc', 'X-Team': 'search' }
  await pool.embed({ ...rest, apiKey: 'k', headers }, ['a'], run)
  expect(sent[0]!.headers).toEqual({
    'content-type': 'application/json',
    authorization: 'Basic abc',
    'x-team': 'search',
  })
})

test('the message about an invalid header has its name and not its value', async () => {
  const { pool, sent } = fakeProvider(echo)
  const withHeaders = (headers: { [name: string]: string }) =>
    reasonOf(pool.embed({ ...rest, headers }, ['a'], run).then((vectors) => vectors))
  expect(await withHeaders({ 'bad header': 'secret' })).toBe(
    'user error: the header `bad header` cannot be sent: check the embedder configuration',
  )
  expect(await withHeaders({ a: 'secret\nline' })).not.toContain('secret')
  expect(await withHeaders({ a: 'secret\n' })).toBe(
    'user error: the header `a` cannot be sent, its value ends with a line end, as the content ' +
      'of a file does, which must be removed: check the embedder configuration',
  )
  expect(await withHeaders({ 'Content-Length': '5' })).toContain('`content-length` may not be set')
  expect(sent).toHaveLength(0)
  await pool.embed({ ...rest, apiKey: 'ключ' }, ['a'], run)
  expect(sent[0]!.headers).toMatchObject({ authorization: 'Bearer ключ' })
})

test('requests missing dimensions once', async () => {
  const { pool, sent } = fakeProvider(echo)
  const { dimensions: _, ...open } = rest
  expect(await pool.check(open, null)).toBe(2)
  await pool.embed(open, ['abc'], run)
  expect(sent.map(({ body }) => texts(body))).toEqual([['test'], ['abc']])
})

test('does not open a provider without dimensions, and tries again later', async () => {
  const { pool } = fakeProvider((body, attempt) => (attempt === 1 ? { status: 403 } : echo(body)))
  const { dimensions: _, ...open } = rest
  expect(await reasonOf(pool.check(open, null))).toBe(
    'runtime error: could not determine model dimensions:\n  - test embedding failed with error: ' +
      'received unexpected HTTP 403 from embedding server\n  - server replied with ``',
  )
  expect(await pool.check(open, null)).toBe(2)
})

test.each([
  [{ status: 429 }, 11],
  [{ status: 503 }, 11],
  ['no JSON', 11],
  ['', 11],
  [new OutgoingFault('unreachable', 'refused'), 11],
  [new OutgoingFault('rejected', 'bad uri: Rejected URI'), 1],
  [{ status: 401 }, 1],
  [{ status: 400 }, 1],
  [{ status: 404 }, 1],
  [{ vectors: [] }, 1],
  [{ vectors: [[1, 2, 3]] }, 1],
])('after %j there are %i attempts', async (answer, attempts) => {
  const failures: (string | null)[] = []
  const { pool, sent } = fakeProvider(() => answer)
  const onRequest = (failure: string | null): void => void failures.push(failure)
  const reason = await reasonOf(pool.embed(rest, ['a'], { ...run, onRequest }))
  expect(sent).toHaveLength(attempts)
  expect(failures).toEqual(Array.from({ length: attempts }, () => reason))
})

test('uses a provider that recovers, and reports its failures', async () => {
  const failures: (string | null)[] = []
  const { pool } = fakeProvider((body, attempt) => (attempt < 3 ? { status: 500 } : echo(body)))
  const onRequest = (failure: string | null): void => void failures.push(failure)
  await pool.embed(rest, ['a'], { ...run, onRequest })
  expect(failures.map((failure) => failure === null)).toEqual([false, false, true])
})

test('limits a requested pause to the longest pause', async () => {
  const busy = { status: 429, retryAfter: '3000' }
  const { pool, sent } = fakeProvider((body, attempt) => (attempt === 1 ? busy : echo(body)), {
    pauseMsMax: 1,
  })
  await pool.embed(rest, ['a'], run)
  expect(sent).toHaveLength(2)
})

test('makes no attempt that would begin after the deadline', async () => {
  let now = 0
  const { pool, sent } = fakeProvider(() => ({ status: 500 }), { now: () => (now += 40) })
  await reasonOf(pool.embed(rest, ['a'], { ...run, deadline: 300 }))
  expect(sent.length).toBeGreaterThan(1)
  expect(sent.length).toBeLessThan(6)
})

test('aborting ends the attempts', async () => {
  const controller = new AbortController()
  const { pool, sent } = fakeProvider((_, attempt) => {
    if (attempt === 2) controller.abort()
    return { status: 500 }
  })
  const work = pool.embed(rest, ['a'], { ...run, signal: controller.signal })
  await expect(work).rejects.toBeInstanceOf(Canceled)
  expect(sent).toHaveLength(2)
})

test('a request that was aborted is canceled however it ended, and a mistake is no failure', async () => {
  const controller = new AbortController()
  const failures: (string | null)[] = []
  const onRequest = (failure: string | null): void => void failures.push(failure)
  const outcomeOf = (error: Error, aborts: boolean) => {
    const { pool } = fakeProvider(() => {
      if (aborts) controller.abort()
      return error
    })
    return pool.embed(rest, ['a'], { ...run, onRequest, signal: controller.signal })
  }
  const mistake = new TypeError('a mistake')
  await expect(outcomeOf(mistake, false)).rejects.toBe(mistake)
  await expect(outcomeOf(mistake, true)).rejects.toBeInstanceOf(Canceled)
  expect(failures).toEqual([])
})

test('one failed group aborts the others and fails the call', async () => {
  const { pool, sent } = fakeProvider((body) =>
    texts(body).includes('poison') ? { status: 422, body: Buffer.from('no') } : echo(body),
  )
  const inputs = Array.from({ length: 1000 }, (_, i) => (i === 3 ? 'poison' : 'fine'))
  expect(await reasonOf(pool.embed(rest, inputs, run))).toBe(
    'error: received unexpected HTTP 422 from embedding server\n  - server replied with `no`',
  )
  expect(sent.length).toBeLessThan(100)
})

test('after a bad request OpenAI receives each text separately, uncounted', async () => {
  let counted = 0
  const { pool, sent } = fakeProvider(({ input }) =>
    (input as string[]).length > 1 ? { status: 400 } : { data: [{ embedding: [1, 2] }] },
  )
  const openAi: Embedder = { source: 'openAi', url: 'http://p/e', dimensions: 2 }
  const vectors = await pool.embed(openAi, ['a', 'b'], { ...run, onRequest: () => void counted++ })
  expect(vectors).toHaveLength(2)
  expect(sent).toHaveLength(3)
  expect(counted).toBe(1)
})

const EXTRACTING = 'runtime error: error extracting embeddings from the response:\n  - '
test.each([
  [
    {},
    'in `response`, while extracting a single "{{embedding}}", configuration expects key "out", which is missing in response',
  ],
  [
    { outs: [] },
    'in `response`, while extracting a single "{{embedding}}", configuration expects key "out", which is missing in response\n' +
      '  - Hint: `response` has key `outs`, did you mean `response.outs` in embedder configuration?',
  ],
  [
    { out: [] },
    'in `response.out`, while extracting a single "{{embedding}}", configuration expects item #0, which is missing in response',
  ],
  [
    { out: { deep: 1 } },
    'in `response.out`, while extracting a single "{{embedding}}", configuration expects `out` to be an array with at least 1 item(s) but server sent an object with 1 field(s)',
  ],
  [
    { out: [{ deep: [1] }] },
    'in `response.out[0].deep`, while extracting a single "{{embedding}}", configuration expects `deep` to be an object with key `v` but server sent an array of size 1',
  ],
  [
    { out: [{ deep: { v: [true] } }] },
    'in `response.out[0].deep.v`, while extracting a single "{{embedding}}", expected `v` to be an array of numbers, but failed to parse server response:\n  - invalid type: boolean `true`, expected f32',
  ],
])('the answer %j is explained', async (answer, text) => {
  const { pool } = fakeProvider(() => answer)
  expect(await reasonOf(pool.embed(single, ['a'], run))).toBe(EXTRACTING + text)
})

test.each([
  [
    { vectors: {} },
    'in `response.vectors`, while extracting the array of "{{embedding}}"s, configuration expects `vectors` to be an array with at least 1 item(s) but server sent an object with 0 field(s)',
  ],
  [
    null,
    'in `response`, while extracting the array of "{{embedding}}"s, configuration expects `response` to be an object with key `vectors` but server sent null',
  ],
  [
    { vectors: ['x'] },
    'in `response`, while extracting item #0 from the array of "{{embedding}}"s, expected `response` to be an array of numbers, but failed to parse server response:\n  - invalid type: string "x", expected a sequence',
  ],
])('the list %j is explained', async (answer, text) => {
  const { pool } = fakeProvider(() => answer)
  expect(await reasonOf(pool.embed(rest, ['a'], run))).toBe(EXTRACTING + text)
})

test.each([
  ['1e999', 'floating point `Infinity`'],
  ['-1e999', 'floating point `-Infinity`'],
  ['3.5e38', 'integer `3.5e+38`'],
  ['-1e39', 'integer `-1e+39`'],
  [`1${'0'.repeat(400)}`, 'floating point `Infinity`'],
])('%s is beyond the range of 32-bit floats', async (number, found) => {
  const { pool } = fakeProvider(() => `{"vectors":[[0.5,${number}]]}`)
  const reason = await reasonOf(pool.embed(rest, ['a'], run))
  expect(reason).toContain(`invalid type: ${found}, expected a finite f32`)
  expect(reason).toContain(EXTRACTING)
})

test('the largest and the smallest 32-bit floats are accepted', async () => {
  const { pool } = fakeProvider(() => '{"vectors":[[3.4028234e38,-1e-50]]}')
  const [vector] = await pool.embed(rest, ['a'], run)
  expect([...vector!]).toEqual([Math.fround(3.4028234e38), -0])
})

test('an embedding without numbers shows no dimensions', async () => {
  const { pool } = fakeProvider(() => ({ vectors: [[]] }))
  const { dimensions: _, ...open } = rest
  expect(await reasonOf(pool.check(open, null))).toBe(
    'runtime error: could not determine model dimensions:\n  - test embedding failed with ' +
      'runtime error: the embedding has no dimensions',
  )
})

test('a local model computes finite numbers, or nothing', async () => {
  const vector = Float32Array.of(1, Number.NaN)
  const models: LocalModels = {
    close: async () => undefined,
    dimensions: async () => 2,
    firstTokens: async () => null,
    embed: async () => [vector],
  }
  const { pool } = fakeProvider(() => ({}), { models })
  const local: Embedder = { source: 'huggingFace', model: 'm' }
  expect(await reasonOf(pool.embed(local, ['a'], run))).toBe(
    'runtime error: the model `m` computes numbers that are not finite',
  )
  vector[1] = 2
  expect(await pool.embed(local, ['a'], run)).toEqual([vector])
})

test('OpenAI receives the first tokens of a text that is too long', async () => {
  const models: LocalModels = {
    close: async () => undefined,
    dimensions: async () => 0,
    firstTokens: async (text) => (text === 'long' ? [1, 2, 3] : null),
    embed: async () => [],
  }
  const isLong = (input: unknown): boolean => input === 'long'
  const { pool, sent } = fakeProvider(
    ({ input }) =>
      (input as unknown[]).some(isLong) ? { status: 400 } : { data: [{ embedding: [1, 2] }] },
    { models },
  )
  const openAi: Embedder = { source: 'openAi', url: 'http://p/e', dimensions: 2 }
  await pool.embed(openAi, ['short', 'long'], run)
  expect(sent.map(({ body }) => body['input'])).toEqual([['short', 'long'], ['short'], [[1, 2, 3]]])
})

test('refuses an Ollama URL that is not one of the two routes', async () => {
  const { pool } = fakeProvider(() => ({}))
  const work = pool.check({ source: 'ollama', model: 'm', url: 'http://p/api' }, null)
  expect(await reasonOf(work)).toMatch(/^user error: unsupported Ollama URL\./)
})

test('refuses a composite embedder whose sides disagree', async () => {
  const sides = (searchDimensions: number, factor: number) => {
    const { pool } = fakeProvider((body) =>
      'a' in body
        ? { out: [{ deep: { v: searchDimensions === 2 ? [factor, 1] : [1] } }] }
        : { vectors: texts(body).map(() => [1, 1]) },
    )
    const { source, dimensions: _, ...side } = rest
    const indexingEmbedder = { source, ...side }
    const searchEmbedder = { ...single, dimensions: searchDimensions }
    return pool.check({ source: 'composite', indexingEmbedder, searchEmbedder }, null)
  }
  expect(await sides(2, 1)).toBe(2)
  expect(await reasonOf(sides(2, -1))).toContain('angular distance 0.50')
  expect(await reasonOf(sides(1, 1))).toContain('Search time dimensions: 1\n')
})

test('caches vectors of search texts by text and configuration', async () => {
  const { pool, sent } = fakeProvider(echo, { cached: 2 })
  const ask = (text: unknown, embedder = rest) => pool.embedQuery(embedder, text, 1000, null)
  for (const text of ['one', 'One', 'one', 'two', 'one', 'x'.repeat(2001), 'x'.repeat(2001)]) {
    await ask(text)
  }
  await ask('One', { ...rest, distribution: { mean: 0.5, sigma: 0.5 } })
  await ask('one')
  const lengths = sent.map(({ body }) => texts(body)[0])
  expect(lengths.map((text) => (text!.length > 10 ? 'long' : text))).toEqual([
    'one',
    'One',
    'two',
    'long',
    'long',
    'One',
  ])
})

test('without a cache each search makes a request', async () => {
  const { pool, sent } = fakeProvider(echo)
  await pool.embedQuery(rest, 'one', 1000, null)
  await pool.embedQuery(rest, 'one', 1000, null)
  expect(sent).toHaveLength(2)
})
