// Similar documents of a network: where the vectors of the document come from, and who is asked.
import { expect, it } from 'vitest'
import { type DocumentsMerge, EngineFault, type SimilarRequest } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { networkSimilar } from './similar.ts'
import { CONTEXT, jsonBytes, type Reply, type Sent, searchesWith } from './test-searches.ts'

const REQUEST: SimilarRequest = {
  id: '7',
  embedder: 'own',
  offset: 2,
  limit: 3,
  filter: 'a = 1',
  within: 'tenant = 1',
  attributesToRetrieve: null,
  retrieveVectors: false,
  showRankingScore: false,
  showRankingScoreDetails: false,
  showPerformanceDetails: false,
  rankingScoreThreshold: null,
}
const VECTORS = [{ slot: 1, vector: [0.5, 2] }]
const absent = (code: 'not_found_similar_id' | 'index_not_found' | 'invalid_similar_filter') => {
  throw new EngineFault(code, 'not here')
}

async function similar(
  target: () => unknown,
  answer: (sent: Sent) => Reply,
  request: Partial<SimilarRequest> = {},
) {
  const own: SimilarRequest[] = []
  let merged: DocumentsMerge | null = null
  const { searches, sent } = searchesWith({
    answer,
    queries: {
      similar: async (_uid: string, asked: SimilarRequest) => {
        if (asked.step?.kind === 'target') return jsonBytes(target())
        own.push(asked)
        return jsonBytes('own')
      },
      mergeDocuments: async (_uid: string, merge: DocumentsMerge) => {
        merged = merge
        return jsonBytes('merged')
      },
    },
  })
  await networkSimilar(searches, asIndexUid('films'), { ...REQUEST, ...request }, CONTEXT)
  return { own, sent, merged: merged! as DocumentsMerge }
}

it('every instance gets the vectors of the document, its shards, and the whole window', async () => {
  const { own, sent, merged } = await similar(
    () => VECTORS,
    () => ({ json: 'other' }),
  )
  const step = {
    kind: 'part',
    vectors: [{ slot: 1, vector: Float32Array.of(0.5, 2) }],
    shards: ['s1'],
  }
  expect(own).toEqual([{ ...REQUEST, within: null, offset: 0, limit: 5, step }])
  expect(sent.map(({ path }) => path)).toEqual(['/network/similar'])
  const body = { id: '7', offset: 0, limit: 5, filter: 'a = 1', vectors: VECTORS, shards: ['s2'] }
  expect(sent[0]!.body).toMatchObject(body)
  expect(merged.page).toEqual({ offset: 2, limit: 3 })
  expect(merged.similar).toMatchObject({ id: '7', examinedMax: null })
  const { merged: limited } = await similar(
    () => VECTORS,
    () => ({ json: 'other' }),
    { rankingScoreThreshold: 0.5 },
  )
  // One more than the window shows whether there are further hits.
  expect(limited.similar!.examinedMax).toBe(6)
})

it.each(['not_found_similar_id', 'index_not_found'] as const)(
  'the vectors come from another owner after %s here',
  async (code) => {
    // The first one is asked for the vectors, with the filter that the document must pass.
    const answer = ({ body }: Sent): Reply => ({ json: 'within' in (body as object) ? VECTORS : 1 })
    const { sent } = await similar(() => absent(code), answer)
    expect(sent[0]!.body).toMatchObject({ within: 'tenant = 1', offset: 2, limit: 3 })
    expect(sent.at(-1)!.body).toMatchObject({ vectors: VECTORS })
  },
)

const replyOf = (code: string): Reply => ({ status: 400, code })
it.each<[string, () => unknown, Reply, string]>([
  [
    'is nowhere',
    () => absent('not_found_similar_id'),
    replyOf('not_found_similar_id'),
    'not_found_similar_id',
  ],
  [
    'is of an index that is nowhere',
    () => absent('index_not_found'),
    replyOf('index_not_found'),
    'index_not_found',
  ],
  [
    'is on an instance that fails',
    () => absent('not_found_similar_id'),
    replyOf('x'),
    'remote_bad_request',
  ],
  [
    'comes with bad vectors',
    () => absent('not_found_similar_id'),
    { json: [{ slot: 1 }] },
    'remote_bad_response',
  ],
  [
    'is asked for with a bad filter',
    () => absent('invalid_similar_filter'),
    { json: VECTORS },
    'invalid_similar_filter',
  ],
])('fails if the document %s', async (_, target, reply, code) => {
  await expect(similar(target, () => reply)).rejects.toMatchObject({ code })
})

it('faults of this program are not taken for an absent document', async () => {
  const broken = (): never => {
    throw new TypeError('broken')
  }
  await expect(similar(broken, () => ({ json: VECTORS }))).rejects.toThrow('broken')
})
