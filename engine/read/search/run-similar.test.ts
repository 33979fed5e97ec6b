// Which documents are similar to one, and the answer for a document without a vector.
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { SimilarRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  PLAIN_SIMILAR,
  type TestEngine,
} from '../../testing/test-engine.ts'

const ASKED: SimilarRequest = { ...PLAIN_SIMILAR, id: '1', embedder: 'e' }

const CHANGE = { kind: 'settingsUpdate', isDeletion: false, allowIndexCreation: true } as const

let engine: TestEngine

type PartHit = { readonly id: number; readonly _federation: { readonly externalId: string } }

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    filterableAttributes: ['kind'],
    pagination: { maxTotalHits: 3 },
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  }
  await enqueue(engine, 'a', { ...CHANGE, patch })
  const vectors = [
    null,
    [1, 0],
    [0, 1],
    [
      [-1, 0],
      [1, 1],
    ],
    [1, 0.2],
  ]
  const documents = vectors.map((vector, i) => {
    return { id: i + 1, kind: (i + 1) % 2, _vectors: { e: vector } }
  })
  await addDocuments(engine, 'a', documents, { primaryKey: 'id' })
  await engine.idle()
})

const similar = async (params: Partial<SimilarRequest>) => {
  const { signal } = new AbortController()
  const context = {
    requestUid: 'r',
    queryUid: null,
    features: engine.administration.features,
    signal,
  }
  const bytes = await engine.queries.similar(asIndexUid('a'), { ...ASKED, ...params }, context)
  const { processingTimeMs: _, ...answer } = JSON.parse(Buffer.from(bytes).toString())
  return answer
}

describe('similar documents', () => {
  it('are counted among those that pass the filter, the document itself left out', async () => {
    const none = { hits: [], id: '1', limit: 20, offset: 0 }
    expect(await similar({ filter: 'kind = 1' })).toEqual({ ...none, estimatedTotalHits: 2 })
    expect(await similar({ filter: 'kind = 0' })).toEqual({ ...none, estimatedTotalHits: 2 })
    expect((await similar({})).estimatedTotalHits).toBe(3)
    const { performanceDetails, ...members } = await similar({ showPerformanceDetails: true })
    expect(Object.keys(performanceDetails)).toEqual([
      'wait in queue',
      'search > filter',
      'search > rank',
    ])
    expect(members).toEqual(await similar({}))
  })

  it('come nearest first, compared with the vector at the same position', async () => {
    const answer = await similar({ id: '2', showRankingScore: true, attributesToRetrieve: ['id'] })
    expect(answer.hits.map((hit: { id: number }) => hit.id)).toEqual([5, 3, 4])
    expect(answer.hits[1]._rankingScore).toBe(0.5)
  })

  it('are all there are, however many a client asks for', async () => {
    const params = { id: '2', attributesToRetrieve: ['id'] }
    const { hits } = await similar({ ...params, limit: 1_000_000_000 })
    expect(hits).toHaveLength(3)
    const most = Number.MAX_SAFE_INTEGER
    expect((await similar({ ...params, limit: most })).hits).toEqual(hits)
    expect((await similar({ ...params, limit: most, offset: 1 })).hits).toEqual(hits.slice(1))
    expect((await similar({ ...params, limit: 1, offset: most })).hits).toEqual([])
  })

  it('are not looked for with a vector of other dimensions', async () => {
    for (const vector of [[], [1], [1, 2, 3], new Array(5000).fill(1)]) {
      const vectors = [{ slot: 0, vector: Float32Array.from(vector) }]
      const step = { kind: 'part', vectors, shards: null } as const
      await expect(similar({ id: '2', step })).rejects.toMatchObject({
        code: 'invalid_vector_dimensions',
      })
    }
  })

  it('are found in steps for a network: the vectors of the document, then the nearest to them', async () => {
    const params = { id: '2', attributesToRetrieve: ['id'], limit: 1, offset: 1 }
    const target = await similar({ ...params, step: { kind: 'target' } })
    expect({ ...target }).toEqual({ 0: { slot: 0, vector: [1, 0] } })
    const vectors = [{ slot: 0, vector: Float32Array.of(1, 0) }]
    const part = { ...params, step: { kind: 'part', vectors, shards: null } } as const
    const { results, ...counts } = await similar(part)
    expect(counts).toEqual({ total: 4 })
    const found = results.map((hit: PartHit) => [hit.id, hit._federation.externalId])
    expect(found).toEqual([
      [5, '5'],
      [3, '3'],
    ])
    const { weightedScore } = results[1]._federation.weightedScoreValues[0]
    expect(weightedScore).toBe(0.5)
    const above = await similar({ ...part, rankingScoreThreshold: 0.6 })
    expect([above.results.length, above.above, above.isCut]).toEqual([1, 1, true])
    const all = await similar({ ...part, limit: 5, rankingScoreThreshold: 0.1 })
    expect([all.above, all.isCut]).toEqual([2, true])
  })

  it('end before the first one below the threshold, and with the page', async () => {
    const params = { id: '2', attributesToRetrieve: ['id'] }
    const above = await similar({ ...params, rankingScoreThreshold: 0.5 })
    expect(above).toMatchObject({ hits: [{ id: 5 }, { id: 3 }], estimatedTotalHits: 2 })
    expect((await similar({ ...params, offset: 1, limit: 1 })).hits).toEqual([{ id: 3 }])
    expect((await similar({ ...params, filter: 'kind = 0' })).hits).toEqual([{ id: 4 }])
  })

  it('are in order of similarity if a distribution gives them the same score', async () => {
    const distribution = { mean: 1, sigma: 0.01 }
    const patch = { embedders: { e: { distribution } } } as never
    await enqueue(engine, 'a', { ...CHANGE, patch })
    await engine.idle()
    const { hits } = await similar({
      id: '4',
      showRankingScore: true,
      attributesToRetrieve: ['id'],
    })
    expect(hits).toEqual([3, 5, 2].map((id) => ({ id, _rankingScore: 1.1920928955078125e-7 })))
    await enqueue(engine, 'a', {
      ...CHANGE,
      patch: { embedders: { e: { distribution: null } } } as never,
    })
    await engine.idle()
  })

  it('show their vectors on request', async () => {
    const params = { id: '2', attributesToRetrieve: ['id'], retrieveVectors: true }
    const { hits } = await similar({ ...params, filter: 'kind = 0' })
    const e = {
      embeddings: [
        [-1, 0],
        [1, 1],
      ],
      regenerate: false,
    }
    expect(hits).toEqual([{ id: 4, _vectors: { e } }])
  })

  it('need an embedder and a document that the caller may see', async () => {
    await expect(similar({ embedder: 'f', filter: '=' })).rejects.toThrow(
      'Cannot find embedder with name `f`.',
    )
    await expect(similar({ id: '9' })).rejects.toThrow('Document `9` not found.')
    await expect(similar({ within: 'kind = 0' })).rejects.toThrow('Document `1` not found.')
    await expect(similar({ filter: 'id = 1' })).rejects.toThrow('Attribute `id` is not filterable')
  })
})
