// The requests that providers receive, and the words of their refusals, attempt by attempt.
import { describe, expect, it, test, vi } from 'vitest'
import {
  Canceled,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
} from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { checkSides } from './composite.ts'
import { EmbeddingFailure, reasonOf } from './failure.ts'
import type { EmbeddingFailure as Failure } from './index.ts'
import { compileTemplate, fillTemplate, readVectors } from './json-template.ts'
import { REPLY_LENGTH_MAX, REQUESTS_AT_ONCE } from './limits.ts'
import { mapAtOnce } from './map-at-once.ts'
import type { LocalModelName, Provider, ProviderEnvironment } from './provider.ts'
import { requestHeaders } from './rest.ts'
import { poolOf, restEmbedder as rest } from './test-provider.ts'

type Answer = Partial<OutgoingAnswer> & { readonly status: number }

function world(play: (attempt: number) => Answer | Error, more: Partial<ProviderEnvironment> = {}) {
  const sent: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    sent.push(request)
    const answer = play(sent.length)
    if (answer instanceof Error) throw answer
    return { body: new Uint8Array(0), ...answer }
  }
  return { sent, pool: poolOf({ send, ...more }) }
}

const openAi: Embedder = { source: 'openAi', url: 'http://p/e', dimensions: 2 }
const ollama: Embedder = { source: 'ollama', model: 'm', url: 'http://p/api/embed', dimensions: 2 }
const run = { signal: null, deadline: null, onRequest: () => undefined, attemptsMax: () => 1 }
const failureOf = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => expect.unreachable(),
    (error: Failure) => error,
  )
const body = (text: string): Uint8Array => Buffer.from(text)
const OK = { status: 200, body: body('{"vectors":[[1,2]]}') }

describe('a refusal', () => {
  const reply = '\n  - server replied with `no`'
  it.each<[string, Embedder, number, string, string]>([
    [
      'a wrong key',
      rest,
      401,
      `user error: could not authenticate against embedding server${reply}\n` +
        '  - Hint: Check the `apiKey` parameter in the embedder configuration',
      'never',
    ],
    [
      'a wrong key for OpenAI',
      openAi,
      401,
      `user error: could not authenticate against OpenAI server${reply}\n` +
        '  - Hint: Check the `apiKey` parameter in the embedder configuration, and the ' +
        '`SVC_OPENAI_API_KEY` and `OPENAI_API_KEY` environment variables',
      'never',
    ],
    [
      'a bad request',
      rest,
      400,
      'user error: sent a bad request to embedding server\n  - Hint: check that the `request` in ' +
        `the embedder configuration matches the remote server's API${reply}`,
      'never',
    ],
    [
      'a bad request to Ollama',
      ollama,
      400,
      `user error: sent a bad request to embedding server${reply}`,
      'never',
    ],
    [
      'a missing model of Ollama',
      ollama,
      404,
      'user error: model not found. Svc will not automatically download models from the Ollama ' +
        `library, please pull the model manually${reply}`,
      'never',
    ],
    [
      'a missing page',
      rest,
      404,
      `error: received unexpected HTTP 404 from embedding server${reply}`,
      'never',
    ],
    [
      'too many requests',
      rest,
      429,
      `runtime error: sent too many requests to embedding server${reply}`,
      'busy',
    ],
    [
      'an internal error',
      rest,
      500,
      `runtime error: received internal error HTTP 500 from embedding server${reply}`,
      'again',
    ],
    [
      'a redirection',
      rest,
      302,
      `error: received unexpected HTTP 302 from embedding server${reply}`,
      'never',
    ],
    [
      'status 199',
      rest,
      199,
      `error: received unexpected HTTP 199 from embedding server${reply}`,
      'never',
    ],
  ])('%s', async (_, embedder, status, reason, retry) => {
    const { pool } = world(() => ({ status, body: body('no') }))
    const failure = await failureOf(pool.embed(embedder, ['a'], run))
    expect([failure.reason, failure.retry]).toEqual([reason, retry])
    expect(failure.isTemporary).toBe(retry === 'busy' || retry === 'again')
  })

  it('quotes so many characters of an answer', async () => {
    for (const [length, isCut] of [
      [REPLY_LENGTH_MAX, false],
      [REPLY_LENGTH_MAX + 1, true],
    ] as const) {
      const { pool } = world(() => ({ status: 500, body: body('x'.repeat(length)) }))
      const { reason } = await failureOf(pool.embed(rest, ['a'], run))
      expect(reason.endsWith(`\`${'x'.repeat(REPLY_LENGTH_MAX)}${isCut ? '…' : ''}\``)).toBe(true)
    }
  })

  it('of a connection may pass, if the server was not reached', async () => {
    const text = 'runtime error: could not reach embedding server:\n  - x'
    for (const [kind, retry] of [
      ['unreachable', 'again'],
      ['rejected', 'never'],
    ] as const) {
      const { pool } = world(() => new OutgoingFault(kind, 'x'))
      const failure = await failureOf(pool.embed(rest, ['a'], run))
      expect([failure.reason, failure.retry]).toEqual([text, retry])
    }
    const { pool } = world(() => new TypeError('a mistake'))
    await expect(pool.embed(rest, ['a'], run)).rejects.toThrow(TypeError)
  })

  it('carries the requested pause, in whole seconds', async () => {
    for (const [retryAfter, ms] of [
      ['7', 7000],
      ['0', 0],
      ['1.5', 0],
      ['1234567', 0],
      ['Wed, 21 Oct 2026 07:28:00 GMT', 0],
    ] as const) {
      const { pool } = world(() => ({ status: 429, retryAfter }))
      expect((await failureOf(pool.embed(rest, ['a'], run))).retryAfterMs).toBe(ms)
    }
  })
})

describe('attempts', () => {
  it('pause longer each time, longer for a busy provider, and as long as it says', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    try {
      const until = (attempts: number, answer: Answer, pauseMsMax: number) => {
        let now = 0
        // The deadline is checked with the pause: it tells how long the pause would be.
        const { pool } = world((attempt) => (attempt < attempts ? answer : OK), {
          pauseMsMax,
          now: () => now,
        })
        const signal = new AbortController().signal
        return { pool, signal, set: (value: number) => void (now = value) }
      }
      const ends = async (answer: Answer, pauseMsMax: number, deadline: number) => {
        const { pool, signal } = until(2, answer, pauseMsMax)
        const work = pool.embed(rest, ['a'], { ...run, signal, deadline, attemptsMax: () => 2 })
        return work.then(
          () => 'again',
          () => 'over',
        )
      }
      // 1 ms after the first failure, 101 ms if the provider was busy.
      expect(await ends({ status: 500 }, 1e6, 1)).toBe('over')
      expect(await ends({ status: 500 }, 1e6, 2)).toBe('again')
      expect(await ends({ status: 429 }, 1e6, 101)).toBe('over')
      expect(await ends({ status: 429 }, 1e6, 102)).toBe('again')
      expect(await ends({ status: 429 }, 5, 5)).toBe('over')
      expect(await ends({ status: 429 }, 5, 6)).toBe('again')
      expect(await ends({ status: 500, retryAfter: '1' }, 1e6, 1000)).toBe('over')
    } finally {
      vi.restoreAllMocks()
    }
  })

  it('are as many as the caller allows, asked after each failure', async () => {
    for (const most of [1, 3]) {
      const { pool, sent } = world(() => ({ status: 500 }))
      await failureOf(pool.embed(rest, ['a'], { ...run, attemptsMax: () => most }))
      expect(sent).toHaveLength(most)
    }
  })

  it('last no longer than a request, and not beyond the deadline', async () => {
    const timesOf = async (requestMs: number, deadline: number | null, now = 0) => {
      const { pool, sent } = world(() => OK, { requestMs, now: () => now })
      await pool.embed(rest, ['a'], { ...run, deadline })
      return [sent[0]!.timeoutMs, sent[0]!.totalMs]
    }
    expect(await timesOf(1000, null)).toEqual([1000, 1000])
    expect(await timesOf(1000, 300)).toEqual([300, 300])
    expect(await timesOf(1000, 300.2, 100)).toEqual([201, 201])
    expect(await timesOf(1000, 3000)).toEqual([1000, 1000])
    expect(await timesOf(1000, 100, 200)).toEqual([1, 1])
  })

  it('do not begin once the call is aborted', async () => {
    const { pool, sent } = world(() => OK)
    const signal = AbortSignal.abort()
    await expect(pool.embed(rest, ['a'], { ...run, signal })).rejects.toBeInstanceOf(Canceled)
    expect(sent).toHaveLength(0)
  })
})

describe('a request', () => {
  const sentBy = async (
    embedder: Embedder,
    answer: object,
    more: Partial<ProviderEnvironment> = {},
  ) => {
    const { pool, sent } = world(() => ({ status: 200, body: body(JSON.stringify(answer)) }), more)
    await pool.embed(embedder, ['a'], run)
    const { url, method, headers } = sent[0]!
    return { url, method, headers, body: JSON.parse(Buffer.from(sent[0]!.body!).toString()) }
  }
  const data = { data: [{ embedding: [1, 2] }] }

  it('has the defaults of its source', async () => {
    expect(await sentBy({ source: 'openAi', dimensions: 2 }, data)).toEqual({
      url: 'https://api.openai.com/v1/embeddings',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: { model: 'text-embedding-3-small', input: ['a'], dimensions: 2 },
    })
    // This model has a single length.
    const fixed = { source: 'openAi', model: 'text-embedding-ada-002' } as const
    const long = { data: [{ embedding: Array(1536).fill(0) }] }
    expect((await sentBy({ ...fixed, dimensions: 1536 }, long)).body).toEqual({
      model: 'text-embedding-ada-002',
      input: ['a'],
    })
    expect((await sentBy(fixed, long)).body).toEqual({
      model: 'text-embedding-ada-002',
      input: ['a'],
    })
    const local = { source: 'ollama', model: 'm', dimensions: 2 } as const
    expect(await sentBy(local, { embedding: [1, 2] })).toMatchObject({
      url: 'http://localhost:11434/api/embeddings',
      body: { model: 'm', prompt: 'a' },
    })
  })

  it('has the key of the embedder before that of the program', () => {
    expect(requestHeaders(undefined)).toEqual({ 'content-type': 'application/json' })
    expect(requestHeaders('')).toEqual({ 'content-type': 'application/json' })
    expect(requestHeaders('k', { 'Content-Type': 'x' })).toEqual({
      'content-type': 'x',
      authorization: 'Bearer k',
    })
  })

  it('with fragments needs the number of dimensions', async () => {
    const request = { f: '{{fragment}}' }
    const response = { v: '{{embedding}}' }
    const { dimensions: _, ...open } = rest
    const fragments = { ...open, request, response, indexingFragments: { x: { value: 'y' } } }
    const { pool } = world(() => OK)
    expect((await failureOf(pool.check(fragments, null))).reason).toMatch(
      /^user error: cannot infer `dimensions` for an embedder using `indexingFragments`/,
    )
    const sent = await sentBy({ ...fragments, dimensions: 2 }, { v: [1, 2] })
    expect(sent.body).toEqual({ f: 'a' })
  })

  it('needs as many vectors as inputs', async () => {
    const { pool } = world(() => ({ status: 200, body: body('{"vectors":[[1,2],[3,4]]}') }))
    expect((await failureOf(pool.embed(rest, ['a'], run))).reason).toBe(
      'runtime error: expected a response containing 1 embeddings, got only 2',
    )
    const short = world(() => ({ status: 200, body: body('{"vectors":[[1]]}') }))
    expect((await failureOf(short.pool.embed(rest, ['a'], run))).reason).toBe(
      'runtime error: was expecting embeddings of dimension `2`, got embeddings of dimensions `1`',
    )
  })
})

describe('a pool', () => {
  it('has no provider for vectors that clients bring', async () => {
    const { pool } = world(() => OK)
    for (const embedder of [
      { source: 'userProvided', dimensions: 3 },
      { source: 'composite', searchEmbedder: { source: 'userProvided' } },
    ] as never as readonly Embedder[]) {
      const opening = pool.open(embedder, 'search', null)
      expect((await failureOf(opening)).reason).toBe(
        'user error: documents and searches bring the vectors of this embedder',
      )
    }
    expect(await pool.check({ source: 'userProvided', dimensions: 3 }, null)).toBe(3)
    expect(await pool.check({ source: 'userProvided' } as never, null)).toBe(0)
  })

  it('opens a provider for each configuration that sends or computes something else', async () => {
    const { pool } = world(() => OK)
    const opened = async (more: object) =>
      pool.open({ ...rest, ...more } as never, 'indexing', null)
    const first = await opened({})
    for (const same of [
      {},
      { distribution: { mean: 0.5, sigma: 0.1 } },
      { documentTemplate: 'x' },
    ]) {
      expect(await opened(same)).toBe(first)
    }
    for (const other of [
      { url: 'http://p/s' },
      { apiKey: 'k' },
      { dimensions: 3 },
      { headers: { a: 'b' } },
      { request: { t: ['{{text}}', '{{..}}'] } },
      { response: { v: ['{{embedding}}', '{{..}}'] } },
      { request: { t: '{{fragment}}' }, indexingFragments: { a: { value: 'b' } } },
      { request: { t: '{{fragment}}' }, searchFragments: { a: { value: 'b' } } },
    ]) {
      expect(await opened(other), JSON.stringify(other)).not.toBe(first)
    }
  })

  it('gives a search its side, its time limit and its signal', async () => {
    const { pool, sent } = world(() => OK, { now: () => 50 })
    const { dimensions: _, ...side } = rest
    const composite = {
      source: 'composite',
      indexingEmbedder: { ...side, dimensions: 2, url: 'http://indexing/' },
      searchEmbedder: { ...side, dimensions: 2, url: 'http://search/' },
    } as never
    const { signal } = new AbortController()
    expect([...(await pool.embedQuery(composite, 'a', 20, signal))]).toEqual([1, 2])
    await pool.embed(composite, ['a'], run)
    expect(sent.map(({ url, totalMs }) => [url, totalMs])).toEqual([
      ['http://search/', 20],
      ['http://indexing/', 1000],
    ])
    expect(sent[0]!.signal).toBe(signal)
    expect(pool.now()).toBe(50)
  })

  it('runs local models with the revision of the default one, and ends them', async () => {
    const names: LocalModelName[] = []
    let isClosed = false
    const models = {
      close: async () => void (isClosed = true),
      dimensions: async (name: LocalModelName) => {
        names.push(name)
        return 2
      },
      firstTokens: async () => null,
      embed: async () => [Float32Array.of(1, 2)],
    }
    const { pool } = world(() => OK, { models })
    const check = (more: object) => pool.check({ source: 'huggingFace', ...more } as never, null)
    await check({})
    await check({ model: 'other' })
    await check({ model: 'other', revision: 'r', pooling: 'forceCls' })
    const [first, second, third] = names
    expect(first!.revision).toMatch(/^[0-9a-f]{40}$/)
    expect(second).toEqual({ model: 'other', revision: null, pooling: 'useModel' })
    expect(third).toEqual({ model: 'other', revision: 'r', pooling: 'forceCls' })
    await pool.close()
    expect(isClosed).toBe(true)
    const none = world(() => OK)
    expect((await failureOf(none.pool.check({ source: 'huggingFace' }, null))).reason).toBe(
      'runtime error: no thread for local models was started',
    )
    await none.pool.close()
  })
})

describe('a template', () => {
  it.each<[unknown, readonly unknown[], unknown]>([
    ['{{text}}', ['a', 'b'], 'a'],
    [
      ['{{text}}', '{{..}}'],
      ['a', 'b'],
      ['a', 'b'],
    ],
    [['{{text}}', '{{..}}', 'z'], ['a'], ['a', 'z']],
    [{ a: [1, { b: '{{text}}', c: null }], d: 2 }, ['x'], { a: [1, { b: 'x', c: null }], d: 2 }],
    [{ a: [{ b: ['{{text}}'] }, '{{..}}'] }, ['x', 'y'], { a: [{ b: ['x'] }, { b: ['y'] }] }],
    [['no', '{{text}}'], ['x'], ['no', 'x']],
    [{ a: { '{{text}}': 1 }, b: '{{text}}' }, ['x'], { a: { '{{text}}': 1 }, b: 'x' }],
    [{ a: ['b', '{{..}}'], c: '{{text}}' }, ['x'], { a: ['b', '{{..}}'], c: 'x' }],
  ])('%j of %j is %j', (source, inputs, filled) => {
    expect(fillTemplate(compileTemplate(source, '{{text}}'), inputs)).toEqual(filled)
  })

  it('has a placeholder', () => {
    for (const source of [null, 1, {}, [], { a: [null] }, ['x', '{{..}}']]) {
      expect(() => compileTemplate(source, '{{text}}')).toThrow(RangeError)
    }
  })

  it.each<[unknown, unknown, readonly (readonly number[])[]]>([
    ['{{embedding}}', [1, 2], [[1, 2]]],
    [
      ['{{embedding}}', '{{..}}'],
      [[1], [2]],
      [[1], [2]],
    ],
    [['{{embedding}}', '{{..}}'], [], []],
    [{ a: [0, { b: '{{embedding}}' }] }, { a: [9, { b: [3] }, 9] }, [[3]]],
    [{ d: [{ e: '{{embedding}}' }, '{{..}}'] }, { d: [{ e: [1] }, { e: [2] }] }, [[1], [2]]],
  ])('%j reads %j', (source, answer, vectors) => {
    const read = readVectors(compileTemplate(source, '{{embedding}}'), answer)
    expect(read.map((vector) => [...vector])).toEqual(vectors)
  })

  it.each([
    [{ v: { d: 'x' } }, 'a map', 'invalid type: string "x", expected a sequence'],
    [{ v: { d: [{}] } }, 'map', 'invalid type: map, expected f32'],
    [{ v: { d: [null] } }, 'null', 'invalid type: null, expected f32'],
    [{ v: { d: [[1]] } }, 'sequence', 'invalid type: sequence, expected f32'],
    [{ v: { d: 1.5 } }, 'number', 'invalid type: floating point `1.5`, expected a sequence'],
    [{ v: { d: 2 } }, 'number', 'invalid type: integer `2`, expected a sequence'],
    [{ v: { dd: 2 } }, 'near', '`v` has key `dd`, did you mean `response.v.dd`'],
    [{ v: { ddd: 2 } }, 'near', 'did you mean `response.v.ddd`'],
    [{ v: { dddd: 2 } }, 'far', 'expects key "d", which is missing in response'],
    [{ v: 5 }, 'no object', 'expects `v` to be an object with key `d` but server sent 5'],
    [{ v: [1] }, 'array', 'to be an object with key `d` but server sent an array of size 1'],
  ])('explains %j (%s)', (answer, _, words) => {
    const template = compileTemplate({ v: { d: '{{embedding}}' } }, '{{embedding}}')
    let reason = ''
    try {
      readVectors(template, answer)
    } catch (error) {
      reason = reasonOf(error)
    }
    expect(reason).toContain(words)
    if (words.includes('expects key')) expect(reason).not.toContain('did you mean')
  })
})

describe('calls at once', () => {
  it('are so many, in order, and the first failure ends them', async () => {
    let running = 0
    let most = 0
    const work = async (item: number): Promise<number> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return item * 2
    }
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(await mapAtOnce(items, null, work)).toEqual(items.map((i) => i * 2))
    expect(most).toBe(REQUESTS_AT_ONCE)
    const signals: AbortSignal[] = []
    const failing = mapAtOnce(items, null, async (item, signal) => {
      signals.push(signal!)
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error(`${item}`)
    })
    await expect(failing).rejects.toThrow('0')
    expect(signals[0]!.aborted).toBe(true)
  })

  it('follow the signal of the caller', async () => {
    const controller = new AbortController()
    controller.abort()
    for (const items of [[1], [1, 2]]) {
      await mapAtOnce(items, controller.signal, async (_, signal) => {
        expect(signal!.aborted).toBe(true)
      })
    }
  })
})

describe('two sides', () => {
  const side = (dimensions: number, vectors: readonly (readonly number[])[] | Error): Provider => ({
    dimensions,
    embed: async () => {
      if (vectors instanceof Error) throw vectors
      return vectors.map((vector) => Float32Array.from(vector))
    },
  })
  const three = (...vector: readonly number[]) => [vector, vector, vector]
  const check = (search: Provider, indexing: Provider, takesTexts = true) =>
    checkSides(search, indexing, takesTexts, null).then(
      () => 'fit',
      (error: Failure) => error.reason,
    )

  it('fit if their vectors have nearly the same direction', async () => {
    expect(await check(side(2, three(1, 0)), side(2, three(5, 0)))).toBe('fit')
    expect(await check(side(2, three(1, 0)), side(2, three(1, 0.19)))).toBe('fit')
    expect(await check(side(2, three(1, 0)), side(2, three(1, 0.22)))).toContain('distance 0.01')
    expect(await check(side(2, three(1, 0)), side(2, three(0, 1)))).toContain('distance 0.50')
    expect(await check(side(2, three(1, 0)), side(2, three(-1, 0)))).toContain('distance 1.00')
    expect(await check(side(2, three(0, 0)), side(2, three(1, 0)))).toBe('fit')
    const last = [
      [1, 0],
      [1, 0],
      [0, 1],
    ]
    expect(await check(side(2, three(1, 0)), side(2, last))).toContain('not similar enough')
  })

  it('fit if they have the same length and take no texts', async () => {
    expect(await check(side(2, three(1, 0)), side(2, three(0, 1)), false)).toBe('fit')
    const words = await check(side(2, []), side(3, []), false)
    expect(words).toContain('  - Search time dimensions: 2\n  - Indexing time dimensions: 3\n')
  })

  it('that fail are named', async () => {
    const failing = side(2, new EmbeddingFailure('why'))
    const fine = side(2, three(1, 0))
    expect(await check(failing, fine)).toContain(
      'embedder at search time.\n  - Embedding failed with why',
    )
    expect(await check(fine, failing)).toContain('embedder at indexing time.\n')
  })
})

test('other errors have no reason', () => {
  const error = new TypeError('x')
  expect(() => reasonOf(error)).toThrow(error)
})
