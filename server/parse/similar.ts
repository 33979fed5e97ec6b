// Requests for similar documents, from bodies and from query strings.

import { DEFAULT_SEARCH, type SimilarRequest, type SlottedVector } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import * as json from '../../format/schema/index.ts'
import type { ApiError } from '../errors/index.ts'
import { MIN_TASK_MEMBERS, MIN_TASK_PARAMETERS, type MinTask } from './min-task.ts'
import {
  bodyError,
  checked,
  checkIndexUid,
  count,
  countUpTo,
  externalIdOf,
  externalIdProblem,
  filterOf,
  finishedBody,
  flag,
  float,
  invalid,
  list,
  listUpTo,
  type MembersOf,
  member,
  nullable,
  object,
  outOf,
  type ParametersOf,
  parameter,
  type QueryReader,
  query,
  queryError,
  ratio,
  rawCountUpTo,
  rawFlag,
  rawRatio,
  rawText,
  rawTexts,
  readable,
  readBody,
  required,
  type Schema,
  SIMILAR_HITS_MAX,
  searchFilter,
  text,
  texts,
  ValidationError,
  VECTORS_MAX,
  type WholeBody,
  withSchema,
} from './schema/index.ts'

/** The client's request, without the filter of the caller's token. */
export type SimilarQuery = Omit<SimilarRequest, 'within' | 'step'> & {
  /** null: where documents are divided, all instances answer. */
  readonly useNetwork: boolean | null
}

const id: Schema<string> = readable(json.anything, (value) => {
  const found = externalIdOf(value)
  if (found !== null) return found
  throw invalid(externalIdProblem(value))
})

const hits = countUpTo(SIMILAR_HITS_MAX)

const MEMBERS: MembersOf<Omit<SimilarQuery, 'useNetwork'>> = {
  id: required(id, 'invalid_similar_id'),
  offset: member(hits, 'invalid_similar_offset', 0),
  limit: member(hits, 'invalid_similar_limit', DEFAULT_SEARCH.limit),
  filter: member(searchFilter, 'invalid_similar_filter', null),
  embedder: required(text, 'invalid_similar_embedder'),
  attributesToRetrieve: member(nullable(texts), 'invalid_similar_attributes_to_retrieve', null),
  retrieveVectors: member(flag, 'invalid_similar_retrieve_vectors', false),
  showRankingScore: member(flag, 'invalid_similar_show_ranking_score', false),
  showRankingScoreDetails: member(flag, 'invalid_similar_show_ranking_score_details', false),
  showPerformanceDetails: member(flag, 'invalid_similar_show_performance_details', false),
  rankingScoreThreshold: member(
    nullable(ratio('rankingScoreThreshold')),
    'invalid_similar_ranking_score_threshold',
    null,
  ),
}

const similar = object<Omit<SimilarQuery, 'useNetwork'>, MinTask>(MEMBERS, {
  aside: MIN_TASK_MEMBERS,
})

const similarOfNetwork = object<SimilarQuery, MinTask>(
  { ...MEMBERS, useNetwork: member(nullable(flag), 'invalid_search_use_network', null) },
  // Messages list the same members with and without a network.
  { unlisted: ['useNetwork'], aside: MIN_TASK_MEMBERS },
)

/**
 * Reads a request. `useNetwork` is an unknown member unless `hasNetwork`, which says whether the
 * experimental feature is on. @throws ApiError
 */
export const readSimilar = withSchema(
  (body: Uint8Array, hasNetwork: boolean): SimilarQuery & Partial<MinTask> =>
    hasNetwork
      ? readBody(body, similarOfNetwork)
      : { ...readBody(body, similar), useNetwork: null },
  () => similarOfNetwork,
)

/** The body sent by another instance, to read the vectors of a document or to search near some. */
export type NetworkSimilarBody = Omit<SimilarQuery, 'useNetwork'> & {
  readonly indexUid: IndexUid
  /** The filter of the client's key, which the document must match. */
  readonly within: unknown
  /** The vectors to compare with, or null to read those of the document. */
  readonly vectors: readonly SlottedVector[] | null
  /** The shards to search, or null for all documents. */
  readonly shards: readonly string[] | null
}

type SentVector = { readonly slot: number; readonly vector: readonly number[] }

const slotted: Schema<readonly SlottedVector[]> = checked(
  listUpTo(
    VECTORS_MAX,
    'vectors',
    object<SentVector>({ slot: required(count, null), vector: required(list(float), null) }),
  ),
  (found) => found.map(({ slot, vector }) => ({ slot, vector: Float32Array.from(vector) })),
)

const networkSimilar: Schema<NetworkSimilarBody> = object<NetworkSimilarBody>({
  ...MEMBERS,
  // The whole list up to the end of the client's page.
  limit: member(count, 'invalid_similar_limit', DEFAULT_SEARCH.limit),
  indexUid: required(text as Schema<IndexUid>, null),
  within: member(searchFilter, 'invalid_similar_filter', null),
  vectors: member(nullable(slotted), null, null),
  shards: member(nullable(texts), null, null),
})

/** The body of a call of another instance. @throws ApiError */
export const readNetworkSimilar: WholeBody<NetworkSimilarBody> = finishedBody(
  networkSimilar,
  (asked) => {
    checkIndexUid(asked.indexUid)
    return asked
  },
)

type FlatSimilar = Omit<SimilarQuery, 'id' | 'embedder' | 'filter'> & {
  readonly id: string | null
  readonly embedder: string | null
  readonly filter: string | null
}

/** In the order in which messages list them. */
const PARAMETERS: ParametersOf<Omit<FlatSimilar, 'useNetwork'>> = {
  id: parameter<string | null>(rawText, 'invalid_similar_id', null),
  embedder: parameter<string | null>(rawText, 'invalid_similar_embedder', null),
  offset: parameter(rawCountUpTo(SIMILAR_HITS_MAX), 'invalid_similar_offset', 0),
  limit: parameter(rawCountUpTo(SIMILAR_HITS_MAX), 'invalid_similar_limit', DEFAULT_SEARCH.limit),
  attributesToRetrieve: parameter(rawTexts, 'invalid_similar_attributes_to_retrieve', null),
  retrieveVectors: parameter(rawFlag, 'invalid_similar_retrieve_vectors', false),
  filter: parameter<string | null>(rawText, 'invalid_similar_filter', null),
  showRankingScore: parameter(rawFlag, 'invalid_similar_show_ranking_score', false),
  showRankingScoreDetails: parameter(rawFlag, 'invalid_similar_show_ranking_score_details', false),
  showPerformanceDetails: parameter(rawFlag, 'invalid_similar_show_performance_details', false),
  rankingScoreThreshold: parameter<number | null>(
    rawRatio('rankingScoreThreshold'),
    'invalid_similar_ranking_score_threshold',
    null,
  ),
}

const similarQuery = query<Omit<FlatSimilar, 'useNetwork'>, MinTask>(
  PARAMETERS,
  [],
  MIN_TASK_PARAMETERS,
)
const similarQueryOfNetwork = query<FlatSimilar, MinTask>(
  {
    ...PARAMETERS,
    useNetwork: parameter<boolean | null>(rawFlag, 'invalid_search_use_network', null),
  },
  ['useNetwork'],
  MIN_TASK_PARAMETERS,
)

/** Returns the reader of query strings; `hasNetwork` as in `readSimilar`. @throws ApiError */
export const similarQueryReader = (
  hasNetwork: () => boolean,
): QueryReader<SimilarQuery & Partial<MinTask>> =>
  Object.assign(
    (text: string) =>
      finished(
        hasNetwork() ? similarQueryOfNetwork(text) : { ...similarQuery(text), useNetwork: null },
      ),
    { parameters: similarQueryOfNetwork.parameters },
  )

/** An invalid id has the same message as in a body. @throws ApiError */
function finished(flat: FlatSimilar & Partial<MinTask>): SimilarQuery & Partial<MinTask> {
  if (flat.id === null) throw missing('id')
  if (flat.embedder === null) throw missing('embedder')
  if (externalIdOf(flat.id) === null) {
    const fault = outOf(invalid(externalIdProblem(flat.id)), 'id', 'invalid_similar_id')
    throw bodyError(fault as ValidationError, 'bad_request')
  }
  const filter = flat.filter === null ? null : filterOf(flat.filter, 'invalid_similar_filter')
  return { ...flat, id: flat.id, embedder: flat.embedder, filter }
}

const missing = (field: string): ApiError =>
  queryError(new ValidationError({ kind: 'missing', field }))
