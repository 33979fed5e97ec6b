// Vectors that searches lack: which search gets one, how long it may take, and which failures count.
import { describe, expect, it } from 'vitest'
import { DEFAULT_SEARCH, type SearchRequest, StorageError } from '../../model/index.ts'
import { VectorNeeded } from '../jobs/index.ts'
import { type QueryVectors, withVectors } from './query-vectors.ts'

const hybrid = { embedder: 'e', semanticRatio: 1 }
const VECTOR = Float32Array.of(1)
const needing = (query: number, isOptional = false): VectorNeeded =>
  new VectorNeeded({ query, embedder: 'stored', cutoffMs: 100, isOptional })

type Given = { readonly embed?: QueryVectors['embed']; readonly vectors?: null }

/** Runs searches that need the vectors of `needed`, one after another. */
async function run(
  requests: readonly SearchRequest[],
  needed: readonly VectorNeeded[],
  { embed, vectors }: Given = {},
) {
  const runs: (readonly SearchRequest[])[] = []
  const calls: { readonly q: string | null; readonly msMax: number }[] = []
  let now = 0
  const context = {
    vectors:
      vectors === null
        ? null
        : {
            embed: async (
              embedder: unknown,
              { q }: SearchRequest,
              msMax: number,
              signal: never,
            ) => {
              expect([embedder, signal]).toEqual(['stored', null])
              calls.push({ q, msMax })
              now += 70
              return embed?.(embedder as never, DEFAULT_SEARCH, msMax, signal) ?? VECTOR
            },
            now: () => now,
            reasonOf: (error: unknown) => {
              if (!(error instanceof RangeError)) throw error
              return 'busy'
            },
          },
    signal: null,
    place: (query: number) => `Inside \`.queries[${query}]\`: `,
  }
  const answer = await withVectors(
    requests,
    async (given) => {
      runs.push(given)
      const error = needed[runs.length - 1]
      if (error !== undefined) throw error
      return 'answer'
    },
    context as Parameters<typeof withVectors>[2],
  )
  return { answer, runs, calls, last: runs.at(-1)!.map(({ queryVector }) => queryVector) }
}

const plain = { ...DEFAULT_SEARCH, q: 'plain' }
const semantic = { ...DEFAULT_SEARCH, q: 'semantic', hybrid }
const failing = (error: Error) => () => Promise.reject(error)

describe('searches', () => {
  it('without an embedder run as they are', async () => {
    const requests = [plain, plain]
    const { runs } = await run(requests, [])
    expect(runs).toEqual([requests])
    expect(runs[0]).toBe(requests)
    await expect(run(requests, [needing(0)])).rejects.toThrow(VectorNeeded)
  })

  it('run again with each vector that they lack, in the time that is left', async () => {
    const requests = [semantic, plain, semantic]
    const { answer, runs, calls, last } = await run(requests, [needing(2), needing(0)])
    expect(answer).toBe('answer')
    expect(runs.map((given) => given.map(({ queryNumber }) => queryNumber))).toEqual(
      Array(3).fill([0, 1, 2]),
    )
    expect(last).toEqual([VECTOR, undefined, VECTOR])
    expect(calls).toEqual([
      { q: 'semantic', msMax: 100 },
      { q: 'semantic', msMax: 30 },
    ])
    const late = await run([semantic], [needing(0), needing(0), needing(0)])
    expect(late.calls.map(({ msMax }) => msMax)).toEqual([100, 30, 1])
  })

  it('run without a vector if no embedder can be called', async () => {
    expect((await run([semantic], [needing(0)], { vectors: null })).last).toEqual([null])
  })

  it('that can do with words run without it if the embedder fails', async () => {
    const embed = failing(new RangeError('full'))
    expect((await run([semantic], [needing(0, true)], { embed })).last).toEqual([null])
    const message = 'Inside `.queries[0]`: Error while generating embeddings: busy'
    const fault = { code: 'vector_embedding_error', message }
    await expect(run([semantic], [needing(0)], { embed })).rejects.toMatchObject(fault)
    const broken = { embed: failing(new TypeError('broken')) }
    await expect(run([semantic], [needing(0, true)], broken)).rejects.toThrow('broken')
  })

  it('fail with their own errors', async () => {
    const error = new StorageError('io', 'x', 'disk')
    await expect(run([semantic], [error as never])).rejects.toBe(error)
  })
})
