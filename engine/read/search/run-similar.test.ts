// What is told of similar documents while no document has a vector.
import { beforeAll, describe, expect, it } from 'vitest'
import type { SimilarRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'

const ASKED: SimilarRequest = {
  id: '1',
  embedder: 'e',
  offset: 0,
  limit: 20,
  filter: null,
  within: null,
  attributesToRetrieve: null,
  retrieveVectors: false,
  showRankingScore: false,
  showRankingScoreDetails: false,
  showPerformanceDetails: false,
  rankingScoreThreshold: null,
}

let engine: TestEngine

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    filterableAttributes: ['kind'],
    pagination: { maxTotalHits: 3 },
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  }
  await enqueue(engine, 'a', {
    kind: 'settingsUpdate',
    patch,
    isDeletion: false,
    allowIndexCreation: true,
  })
  const documents = [1, 2, 3, 4, 5].map((id) => ({ id, kind: id % 2 }))
  await addDocuments(engine, 'a', documents, { primaryKey: 'id' })
  await engine.idle()
})

const similar = async (asked: Partial<SimilarRequest>) => {
  const { signal } = new AbortController()
  const context = { requestUid: 'r', queryUid: null, features: engine.features, signal }
  const bytes = await engine.similar('a', { ...ASKED, ...asked }, context)
  const { processingTimeMs: _, ...answer } = JSON.parse(Buffer.from(bytes).toString())
  return answer
}

describe('similar documents', () => {
  it('are counted among those that pass the filter, the document itself left out', async () => {
    const none = { hits: [], id: '1', limit: 20, offset: 0 }
    expect(await similar({ filter: 'kind = 1' })).toEqual({ ...none, estimatedTotalHits: 2 })
    expect(await similar({ filter: 'kind = 0' })).toEqual({ ...none, estimatedTotalHits: 2 })
    expect((await similar({})).estimatedTotalHits).toBe(3)
    expect(await similar({ showPerformanceDetails: true })).toHaveProperty('performanceDetails')
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
