// Similar documents over all instances: an owner of the target document returns its vectors, then
// each instance finds their neighbours in its requested shards.
import {
  EngineFault,
  type JsonBytes,
  type SearchContext,
  type SimilarRequest,
  type SlottedVector,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  isValid,
  list,
  number,
  object,
  type Schema,
  safeCount,
} from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import { parsedJson, remoteCodeOf } from '../calls/index.ts'
import { isIndexNotFound, lacksIndex } from './absent-index.ts'
import { resolvedFilter } from './foreign.ts'
import type { NetworkCalls } from './network-calls.ts'
import { callOwners } from './owners.ts'
import { mergedPages, type PagesRequest } from './pages.ts'
import { filterValue } from './wire-search.ts'

const PATH = '/network/similar'

/** Returns the members of the answer. @throws EngineFault, ApiError */
export async function networkSimilar(
  searches: NetworkCalls,
  indexUid: IndexUid,
  given: SimilarRequest,
  context: SearchContext,
): Promise<JsonBytes> {
  const sentAt = Date.now()
  const { engine } = searches.parts
  const resolve = (filter: unknown) =>
    resolvedFilter(searches, indexUid, filter, 'similar', context)
  const [all, within] = await Promise.all([resolve(given.filter), resolve(given.within)])
  const request = { ...given, filter: all.filter, within: within.filter }
  const vectors = await vectorsOf(searches, indexUid, request, context)
  const { id, offset, limit, showPerformanceDetails, rankingScoreThreshold } = request
  const whole = { ...request, within: null, offset: 0, limit: offset + limit }
  const sent = sentMembers(indexUid, whole)
  const pages: PagesRequest = {
    indexUid,
    own: (shards) => {
      const step = { kind: 'part', vectors, shards: shards ?? null } as const
      return engine.queries.similar(indexUid, { ...whole, step }, context)
    },
    path: PATH,
    body: (shards) => ({ ...sent, vectors: vectors.map(plainVector), shards }),
    merge: {
      page: { offset, limit },
      remoteErrors: { ...all.errors, ...within.errors },
      similar: {
        id,
        sentAt,
        totalMax: Number.MAX_SAFE_INTEGER,
        examinedMax: rankingScoreThreshold === null ? null : offset + limit + 1,
        showPerformanceDetails,
      },
    },
    kind: 'similar documents',
  }
  return mergedPages(searches, pages, context)
}

/**
 * Reads the vectors of the document, here or from another owner of its shard. @throws EngineFault
 * not_found_similar_id, ApiError if an instance that may hold it does not answer
 */
async function vectorsOf(
  searches: NetworkCalls,
  indexUid: IndexUid,
  request: SimilarRequest,
  context: SearchContext,
): Promise<readonly SlottedVector[]> {
  const { engine } = searches.parts
  try {
    const step = { kind: 'target' } as const
    return readVectors(await engine.queries.similar(indexUid, { ...request, step }, context))
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    if (error.code !== 'not_found_similar_id' && !isIndexNotFound(error)) throw error
    const sent = { ...sentMembers(indexUid, request), within: filterValue(request.within) }
    const { signal, state } = context
    const question = { path: PATH, body: () => sent, signal, state }
    const found = await callOwners(searches, request.id, question, (refusal) => {
      return lacksDocument(refusal) || lacksIndex(refusal)
    })
    if (found.bytes !== null) return readVectors(found.bytes)
    throw found.failure ?? error
  }
}

const lacksDocument = (error: ApiError): boolean => remoteCodeOf(error) === 'not_found_similar_id'

const sentMembers = (indexUid: IndexUid, request: SimilarRequest): object => ({
  indexUid,
  id: request.id,
  embedder: request.embedder,
  offset: request.offset,
  limit: request.limit,
  filter: filterValue(request.filter),
  attributesToRetrieve: request.attributesToRetrieve,
  retrieveVectors: request.retrieveVectors,
  showRankingScore: request.showRankingScore,
  showRankingScoreDetails: request.showRankingScoreDetails,
  rankingScoreThreshold: request.rankingScoreThreshold,
})

const plainVector = ({ slot, vector }: SlottedVector): SentVector => ({
  slot,
  vector: [...vector],
})

type SentVector = { readonly slot: number; readonly vector: readonly number[] }

const VECTORS: Schema<readonly SentVector[]> = list(
  object<SentVector>({ slot: safeCount, vector: list(number) }),
)

/** @throws ApiError remote_bad_response */
function readVectors(bytes: Uint8Array): readonly SlottedVector[] {
  const value = parsedJson(bytes)
  if (!isValid(VECTORS, value)) {
    const words = 'could not parse response from the remote host as vectors of a document'
    throw new ApiError('remote_bad_response', words)
  }
  return value.map(({ slot, vector }) => ({ slot, vector: Float32Array.from(vector) }))
}
