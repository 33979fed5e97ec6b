// Which inputs embedders receive for documents and queries, and how vectors reach a batch thread.
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OutgoingRequest } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { EmbeddingFailure, ProviderPool } from '../providers/index.ts'
import { loadLibrary, TemplateFault, templatesInPlace } from '../template/index.ts'
import { EmbeddingSession, InputMaker, QueryEmbedder, sameInput } from './index.ts'

const rest: Embedder = {
  source: 'rest',
  url: 'http://p/',
  request: { t: '{{fragment}}' },
  response: '{{embedding}}',
  dimensions: 1,
}
const text: Embedder = { ...rest, request: { t: '{{text}}' } }

function providers(status = 200) {
  const received: unknown[] = []
  const send = async ({ body }: OutgoingRequest) => {
    received.push(JSON.parse(Buffer.from(body!).toString()).t)
    return { status, body: Buffer.from('[7]') }
  }
  const settings = { openAiKey: null, requestMs: 9, pauseMsMax: 0, models: null, now: () => 0 }
  return { received, pool: new ProviderPool({ send, ...settings }, 0) }
}

test('a template renders one text, each fragment a value or nothing', async () => {
  const loaded = await loadLibrary()
  const words = new InputMaker(loaded, { ...text, documentTemplate: '{{doc.a}}!' }, null)
  expect(words.inputs({ a: 'x', _vectors: { e: [1] } })).toEqual(['x!'])
  expect(() => words.inputs({ b: 1 })).toThrow('Unknown index')
  const fragments = {
    one: { value: { say: ['{{doc.a}}', 5] } },
    two: { value: '{{doc.b}}' },
    three: { value: null },
  }
  const parts = new InputMaker(loaded, { ...rest, indexingFragments: fragments }, null)
  expect(parts.inputs({ a: 'x' })).toEqual([{ say: ['x', 5] }, undefined, null])
})

test('templates can read whether a field is searchable', async () => {
  const documentTemplate = '{% for f in fields %}{{f.name}}:{{f.is_searchable}} {% endfor %}'
  const maker = new InputMaker(await loadLibrary(), { ...text, documentTemplate }, ['a', 'b.c'])
  expect(maker.inputs({ a: 1, b: { c: 1 }, d: 1 })).toEqual(['a:true b:false d:false '])
})

test('a fragment without templates is its own value, and its texts are rendered anywhere', async () => {
  const loaded = await loadLibrary()
  const text = fc.string({ maxLength: 6 }).filter((value) => !/[{}]/.test(value))
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(null, true, -0.5, 7),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(text, tie('json'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  /** The value with `text` behind each of its texts. */
  const withText = (value: unknown, text: string): unknown =>
    typeof value === 'string'
      ? value + text
      : Array.isArray(value)
        ? value.map((part) => withText(part, text))
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([k, part]) => [k, withText(part, text)]))
          : value
  fc.assert(
    fc.property(json, (value) => {
      const indexingFragments = {
        plain: { value },
        rendered: { value: withText(value, '{{doc.a}}') },
        missing: { value: ['{{doc.b}}', value] },
        vectors: { value: '{{doc._vectors}}' },
      }
      const maker = new InputMaker(loaded, { ...rest, indexingFragments }, null)
      const inputs = maker.inputs({ a: 'x', _vectors: { e: [1] } })
      expect(inputs).toEqual([value, withText(value, 'x'), undefined, undefined])
      expect(inputs.map((input) => sameInput(input, structuredClone(input)))).not.toContain(false)
      expect(sameInput(inputs[0], inputs[1])).toBe(
        JSON.stringify(value) === JSON.stringify(inputs[1]),
      )
    }),
    { numRuns: 60 },
  )
})

test.each(['{{', '{% if %}', '{{doc.a | unknown}}', '{% include "x" %}'])(
  'a template %j is refused before any document is rendered, also inside of a fragment',
  async (documentTemplate) => {
    const loaded = await loadLibrary()
    const fragments = { one: { value: [{ deep: documentTemplate }] } }
    for (const embedder of [
      { ...text, documentTemplate },
      { ...rest, indexingFragments: fragments },
    ]) {
      expect(() => new InputMaker(loaded, embedder, null)).toThrow(TemplateFault)
    }
  },
)

test('inputs are equal if their values are equal', () => {
  expect(sameInput('a', 'a')).toBe(true)
  expect(sameInput({ a: [1] }, { a: [1] })).toBe(true)
  expect(sameInput(undefined, 'a')).toBe(false)
  expect(sameInput(undefined, null)).toBe(false)
})

test('the input of a query is its text, or the one matching fragment', async () => {
  const { received, pool } = providers()
  const queries = new QueryEmbedder(pool, templatesInPlace)
  const ask = (embedder: Embedder, q: string | null, media?: unknown) =>
    queries.embed(embedder, { q, media }, 1000, null)
  const withFragments: Embedder = {
    ...rest,
    searchFragments: {
      a: { value: { words: '{{q}}' } },
      b: { value: { picture: '{{media.picture}}' } },
    },
  }
  await ask(text, ' As typed ')
  await ask(text, null)
  await ask(withFragments, 'red')
  await ask(withFragments, null, { picture: 7 })
  expect(received).toEqual([' As typed ', '', { words: 'red' }, { picture: '7' }])
  const failures: [Embedder, string | null, unknown, string][] = [
    [withFragments, null, { other: 1 }, 'user error: Query matches no search fragment.'],
    [withFragments, 'red', { picture: 1 }, 'user error: Query matches multiple search fragments.'],
    [text, 'red', 1, "the configuration doesn't have `searchFragments`."],
    [{ source: 'ollama', model: 'm' }, 'red', 1, "the configuration doesn't have source `rest`"],
  ]
  for (const [embedder, q, media, words] of failures) {
    await expect(ask(embedder, q, media)).rejects.toThrow(words)
  }
})

test('the reason of a failure is for clients; other errors are mistakes', () => {
  const queries = new QueryEmbedder(providers().pool, templatesInPlace)
  expect(queries.reasonOf(new EmbeddingFailure('user error: why'))).toBe('user error: why')
  const mistake = new TypeError('a mistake')
  expect(() => queries.reasonOf(mistake)).toThrow(mistake)
})

/** Returns the reply at the port of a batch thread. */
async function answerOf(
  status: number,
  ignoresEmbedders: boolean,
  { pool, signal } = { pool: providers(status).pool, signal: new AbortController().signal },
) {
  const modes = { ignoresEmbedders, ignoresTemplates: false }
  const session = new EmbeddingSession(pool, signal, modes)
  const { port1, port2 } = new MessageChannel()
  const replies = new SharedArrayBuffer(4)
  session.serve({ port: port2, replies })
  port1.postMessage({ number: 3, embedder: text, inputs: ['a', 'b'] })
  const [reply] = await once(port1, 'message')
  port1.close()
  return { reply, session, count: new Int32Array(replies)[0] }
}

test('vectors return with their lengths, and requests are counted', async () => {
  const { reply, session, count } = await answerOf(200, false)
  expect(reply).toMatchObject({ kind: 'vectors', number: 3 })
  expect([...reply.lengths]).toEqual([1, 1])
  expect([...reply.values]).toEqual([7, 7])
  expect(count).toBe(1)
  expect(session.requests).toEqual({ total: 2, failed: 0, lastError: null })
})

test('a failure returns as a reason, or as missing vectors if failures are ignored', async () => {
  const failed = await answerOf(403, false)
  expect(failed.reply).toMatchObject({ kind: 'failure', number: 3 })
  expect(failed.reply.reason).toContain('unexpected HTTP 403')
  const ignored = await answerOf(403, true)
  expect([...ignored.reply.lengths]).toEqual([0, 0])
  expect(ignored.session.requests).toMatchObject({ failed: expect.any(Number) })
})

test('a mistake returns as an error, and a cancelation as a failure that ends the wait', async () => {
  const send = () => Promise.reject(new TypeError('a mistake'))
  const settings = { openAiKey: null, requestMs: 9, pauseMsMax: 0, models: null, now: () => 0 }
  const pool = new ProviderPool({ send, ...settings }, 0)
  for (const ignoresEmbedders of [false, true]) {
    const { signal } = new AbortController()
    const { reply, count } = await answerOf(0, ignoresEmbedders, { pool, signal })
    expect(reply).toMatchObject({ kind: 'error', number: 3, error: { family: 'ours' } })
    expect(reply.error.message).toMatch(/^TypeError: a mistake/)
    expect(count).toBe(1)
    const canceled = await answerOf(0, ignoresEmbedders, { pool, signal: AbortSignal.abort() })
    expect(canceled.reply).toEqual({ kind: 'failure', number: 3, reason: 'canceled' })
    expect(canceled.session.requests).toBeNull()
  }
})

test('the thread of a batch learns what to do with templates that cannot be rendered', () => {
  for (const ignoresTemplates of [true, false]) {
    const modes = { ignoresEmbedders: !ignoresTemplates, ignoresTemplates }
    const session = new EmbeddingSession(providers().pool, new AbortController().signal, modes)
    expect(session.modesOfThread).toEqual({ ignoresTemplates })
  }
})
