// Vectors on their way to a batch thread: encoding, order, waiting, failures; and the repetition of
// a job that cannot wait.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { Canceled, type OutgoingRequest, StorageError, toWire } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { ProviderPool } from '../providers/index.ts'
import {
  type EmbeddingPort,
  EmbeddingRefusal,
  type EmbedReply,
  type EmbedRequest,
  packVectors,
  ThreadEmbedder,
} from './channel.ts'
import { ReplayEmbedder } from './replay.ts'
import { EmbeddingSession } from './session.ts'

const EMBEDDER: Embedder = {
  source: 'rest',
  url: 'http://p/',
  request: { t: '{{text}}' },
  response: '{{embedding}}',
  dimensions: 1,
}

const ports: { close(): void }[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

/** A thread's end of a channel, and the other end, which the test serves. */
function channel(isCanceled: () => boolean = () => false) {
  let end: EmbeddingPort | undefined
  const thread = ThreadEmbedder.open((other) => {
    end = other
  }, isCanceled)
  const { port, replies } = end! as { port: MessagePort; replies: SharedArrayBuffer }
  ports.push(thread, port)
  return {
    thread,
    received: () => receiveMessageOnPort(port)?.message as EmbedRequest | undefined,
    reply: (reply: EmbedReply): void => {
      port.postMessage(reply)
      Atomics.add(new Int32Array(replies), 0, 1)
    },
  }
}

const vectorsReply = (number: number, vectors: readonly (Float32Array | null)[]): EmbedReply => ({
  kind: 'vectors',
  number,
  ...packVectors(vectors),
})

const vector = fc.float32Array({ minLength: 1, maxLength: 5 })
const vectors = fc.array(fc.option(vector), { maxLength: 6 })

describe('the end of a batch thread', () => {
  it('returns each input its vector, in any order of replies and takes', () => {
    const batches = fc.array(vectors, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(batches, fc.infiniteStream(fc.nat()), (batches, random) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => [random.next().value as number, item] as const)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item)
        const { thread, received, reply } = channel()
        const numbers = batches.map((batch) => thread.give(EMBEDDER, batch.map(String)))
        for (const [i, number] of numbers.entries()) {
          expect(received()).toEqual({
            number,
            embedder: EMBEDDER,
            inputs: batches[i]!.map(String),
          })
        }
        for (const i of shuffled([...numbers.keys()])) reply(vectorsReply(numbers[i]!, batches[i]!))
        for (const i of shuffled([...numbers.keys()])) {
          expect(thread.take(numbers[i]!)).toEqual(batches[i])
        }
        thread.close()
      }),
      { numRuns: 40 },
    )
  })

  it('fails as the provider, or as the main thread, has failed', () => {
    const { thread, reply } = channel()
    reply({ kind: 'failure', number: thread.give(EMBEDDER, []), reason: 'user error: no key' })
    expect(() => thread.take(1)).toThrow(new EmbeddingRefusal('user error: no key'))
    const failure = new StorageError('io', 'a/b', '`a/b` cannot be read')
    reply({ kind: 'error', number: thread.give(EMBEDDER, []), error: toWire(failure) })
    expect(() => thread.take(2)).toThrow(StorageError)
  })

  it('ends its wait after a cancelation, but not before a reply that is there', () => {
    let checks = 0
    const { thread, reply } = channel(() => ++checks > 2)
    const number = thread.give(EMBEDDER, ['a'])
    expect(() => thread.take(number)).toThrow(Canceled)
    expect(checks).toBe(3)
    reply(vectorsReply(number, [Float32Array.of(1)]))
    expect(thread.take(number)).toEqual([Float32Array.of(1)])
  })
})

it('packed vectors are one after another, without room for missing ones', () => {
  fc.assert(
    fc.property(vectors, (vectors) => {
      const { lengths, values } = packVectors(vectors)
      expect([...lengths]).toEqual(vectors.map((one) => one?.length ?? 0))
      expect([...values]).toEqual(vectors.flatMap((one) => [...(one ?? [])]))
    }),
  )
})

/** A session whose provider refuses some texts; a vector is the length of its text. */
function sessionOf(refused: ReadonlySet<string>, ignoresEmbedders: boolean, signal?: AbortSignal) {
  const send = async ({ body }: OutgoingRequest) => {
    const { t } = JSON.parse(Buffer.from(body!).toString()) as { t: string }
    const isRefused = refused.has(t)
    return { status: isRefused ? 403 : 200, body: Buffer.from(isRefused ? '{}' : `[${t.length}]`) }
  }
  const settings = { openAiKey: null, requestMs: 9, pauseMsMax: 0, models: null, now: () => 0 }
  const pool = new ProviderPool({ send, ...settings }, 0)
  const modes = { ignoresEmbedders, ignoresTemplates: false }
  return new EmbeddingSession(pool, signal ?? new AbortController().signal, modes)
}

describe('a session', () => {
  it('that ignores failures leaves out the groups of ten with a refused text', async () => {
    const counts = fc.record({
      count: fc.integer({ min: 0, max: 35 }),
      refused: fc.array(fc.nat(34)),
    })
    await fc.assert(
      fc.asyncProperty(counts, async ({ count, refused }) => {
        const inputs = Array.from({ length: count }, (_, i) => 'x'.repeat(i + 1))
        const failing = new Set(refused.filter((i) => i < count).map((i) => inputs[i]!))
        const session = sessionOf(failing, true)
        const groups = new Set([...failing].map((text) => Math.floor((text.length - 1) / 10)))
        const expected = inputs.map((text, i) =>
          groups.has(Math.floor(i / 10)) ? null : Float32Array.of(text.length),
        )
        expect(await session.embed(EMBEDDER, inputs)).toEqual(expected)
        expect(session.requests?.lastError ?? null).toEqual(
          failing.size === 0 ? null : expect.stringContaining('403'),
        )
        expect(session.requests === null).toBe(count === 0)
      }),
      { numRuns: 20 },
    )
  })

  it('fails otherwise, and always after a cancelation', async () => {
    await expect(
      sessionOf(new Set(['b']), false).embed(EMBEDDER, ['a', 'b']),
    ).rejects.toMatchObject({
      reason: expect.stringContaining('403'),
    })
    const session = sessionOf(new Set(), true, AbortSignal.abort())
    await expect(session.embed(EMBEDDER, ['a'])).rejects.toThrow(Canceled)
  })
})

describe('a job that cannot wait', () => {
  /** Runs `job` until it need not wait; returns its result and the number of runs. */
  async function replayed<T>(session: EmbeddingSession, job: (e: ReplayEmbedder) => T) {
    const embedder = new ReplayEmbedder()
    for (let runs = 1; ; runs++) {
      embedder.begin()
      try {
        return { result: job(embedder), runs }
      } catch (error) {
        if (!embedder.isAwaited) throw error
        await embedder.answer(session)
      }
    }
  }

  it('runs again with all vectors that it has requested so far', async () => {
    const texts = fc.array(fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }), {
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(texts, async (texts) => {
        const { result, runs } = await replayed(sessionOf(new Set(), false), (embedder) =>
          texts.map((inputs) => embedder.take(embedder.give(EMBEDDER, inputs))),
        )
        const lengths = (text: string): Float32Array => Float32Array.of(text.length)
        expect(result).toEqual(texts.map((inputs) => inputs.map(lengths)))
        expect(runs).toBe(texts.length + 1)
        const together = await replayed(sessionOf(new Set(), false), (embedder) => {
          const numbers = texts.map((inputs) => embedder.give(EMBEDDER, inputs))
          return numbers.map((number) => embedder.take(number))
        })
        expect(together).toEqual({ result, runs: texts.length === 0 ? 1 : 2 })
      }),
      { numRuns: 20 },
    )
  })

  it('gets a refusal where it takes the vectors', async () => {
    const { result } = await replayed(sessionOf(new Set(['b']), false), (embedder) => {
      const numbers = ['a', 'b'].map((text) => embedder.give(EMBEDDER, [text]))
      expect(embedder.take(numbers[0]!)).toEqual([Float32Array.of(1)])
      try {
        return embedder.take(numbers[1]!)
      } catch (error) {
        if (error instanceof EmbeddingRefusal) return error.reason
        throw error
      }
    })
    expect(result).toContain('403')
  })

  it('ends with an error other than a failure of the provider', async () => {
    const embedder = new ReplayEmbedder()
    embedder.give(EMBEDDER, ['a'])
    const session = { embed: () => Promise.reject(new Canceled()) }
    const answered = embedder.answer(session as unknown as EmbeddingSession)
    await expect(answered).rejects.toBeInstanceOf(Canceled)
    expect(embedder.isAwaited).toBe(true)
  })
})
