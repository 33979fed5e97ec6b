// The body of a multi-search: several searches, and how their hits are combined.
import {
  DEFAULT_SEARCH,
  type Federation,
  type SearchRequest,
  type SearchStatistics,
} from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { indexUid } from './indexes.ts'
import { apart, MIN_TASK_MEMBERS, type MinTask } from './min-task.ts'
import {
  checked,
  count,
  facets,
  finishedBody,
  flag,
  float,
  indexUidProblem,
  invalid,
  isIndexUid,
  list,
  listUpTo,
  type MembersOf,
  mapOf,
  member,
  nullable,
  object,
  QUERIES_MAX,
  required,
  type Schema,
  text,
  texts,
  type WholeBody,
} from './schema/index.ts'
import {
  checkNames,
  SEARCH_MEMBERS,
  type ServerMember,
  UNLISTED_MEMBERS,
} from './search-members.ts'

/** The options of a search within a federation. */
export type FederationOptions = {
  readonly weight: number
  readonly remote: string | null
  readonly queryPosition: number | null
}

/** A search of a list. Members that a federation refuses are null if they were not sent. */
type Listed = Omit<SearchRequest, 'offset' | 'limit' | 'showPerformanceDetails' | ServerMember>
export type ListedSearch = Listed & {
  readonly indexUid: IndexUid
  readonly offset: number | null
  readonly limit: number | null
  readonly showPerformanceDetails: boolean | null
  readonly federationOptions: FederationOptions | null
}

export type FederationRequest = Omit<Federation, 'network' | 'merger'> &
  Pick<SearchRequest, 'personalize'>

export type MultiSearch = {
  readonly queries: readonly (ListedSearch & Partial<MinTask>)[]
  /** null returns a separate answer for each search. */
  readonly federation: FederationRequest | null
}

const WEIGHT_DEFAULT = 1

const weight: Schema<number> = checked(float, (found) => {
  if (found >= 0) return found
  throw invalid('the value of `weight` is invalid, expected a positive float (>= 0.0).')
})

const federationOptions: Schema<FederationOptions> = object<FederationOptions>({
  weight: member(weight, 'invalid_multi_search_weight', WEIGHT_DEFAULT),
  remote: member(nullable(text), 'invalid_multi_search_remote', null),
  queryPosition: member(nullable(count), 'invalid_multi_search_query_position', null),
})

const SEARCH: MembersOf<ListedSearch> = {
  indexUid: required(indexUid, 'invalid_index_uid', 'missing_index_uid'),
  ...SEARCH_MEMBERS,
  offset: member(nullable(count), 'invalid_search_offset', null),
  limit: member(nullable(count), 'invalid_search_limit', null),
  showPerformanceDetails: member(nullable(flag), 'invalid_search_show_performance_details', null),
  federationOptions: member(nullable(federationOptions), null, null),
}

const search = object<ListedSearch, MinTask>(SEARCH, {
  unlisted: UNLISTED_MEMBERS,
  aside: MIN_TASK_MEMBERS,
})

const facetsByIndex: Schema<Federation['facetsByIndex']> = checked(
  mapOf(nullable(facets)),
  (patterns) => {
    const wrong = Object.keys(patterns).find((uid) => !isIndexUid(uid))
    if (wrong !== undefined) throw invalid(indexUidProblem(wrong))
    return patterns
  },
)

const mergeFacets = object<NonNullable<Federation['mergeFacets']>>({
  maxValuesPerFacet: member(nullable(count), 'invalid_multi_search_max_values_per_facet', null),
})

const federation: Schema<FederationRequest> = object<FederationRequest>(
  {
    limit: member(count, 'invalid_search_limit', DEFAULT_SEARCH.limit),
    offset: member(count, 'invalid_search_offset', 0),
    page: SEARCH_MEMBERS.page,
    hitsPerPage: SEARCH_MEMBERS.hitsPerPage,
    facetsByIndex: member(facetsByIndex, 'invalid_multi_search_facets_by_index', {}),
    mergeFacets: member(nullable(mergeFacets), 'invalid_multi_search_merge_facets', null),
    distinct: SEARCH_MEMBERS.distinct,
    showPerformanceDetails: SEARCH_MEMBERS.showPerformanceDetails,
    personalize: SEARCH_MEMBERS.personalize,
    countTotal: SEARCH_MEMBERS.countTotal,
  },
  { unlisted: UNLISTED_MEMBERS },
)

const multiSearch = object<MultiSearch, MinTask>(
  {
    queries: required(listUpTo(QUERIES_MAX, 'searches', search), null),
    federation: member(nullable(federation), null, null),
  },
  { aside: MIN_TASK_MEMBERS },
)

/** Reads the body of a multi-search. @throws ApiError */
export const readMultiSearch: WholeBody<MultiSearch & Partial<MinTask>> = finishedBody(
  multiSearch,
  (request) => {
    checkNames(request.queries)
    return request
  },
)

/** The body sent by another instance: federated searches, each with an answer. */
export type NetworkSearchBody = { readonly searches: readonly SearchOfShards[] }
export type SearchOfShards = MultiSearch & {
  /** The queries that cover only some shards. */
  readonly shards: readonly OfShards[]
  /** `callerFilters` of each query, as in `SearchRequest`; an empty list means 0 for all. */
  readonly callerFilters: readonly number[]
  /** As of `SearchRequest`, for all queries; only members of the network may set it. */
  readonly isForModel: boolean
  /** As of `SearchRequest`, of each query; an empty list for none. */
  readonly statistics: readonly (SearchStatistics | null)[]
  /** True if the statistics of each query are the answer. */
  readonly asksStatistics: boolean
}
type OfShards = { readonly query: number; readonly names: readonly string[] }

const ofShards: Schema<OfShards> = object<OfShards>({
  query: required(count, null),
  names: required(texts, null),
})

const statistics: Schema<SearchStatistics> = object<SearchStatistics>({
  documents: required(count, null),
  words: required(mapOf(count), null),
  frequencies: required(list(list(count)), null),
})

const networkSearch: Schema<NetworkSearchBody> = object<NetworkSearchBody>({
  searches: required(
    listUpTo(
      QUERIES_MAX,
      'searches',
      object<SearchOfShards>({
        queries: required(listUpTo(QUERIES_MAX, 'searches', search), null),
        federation: member(nullable(federation), null, null),
        shards: member(listUpTo(QUERIES_MAX, 'searches', ofShards), null, []),
        callerFilters: member(listUpTo(QUERIES_MAX, 'searches', count), null, []),
        isForModel: member(flag, null, false),
        statistics: member(listUpTo(QUERIES_MAX, 'searches', nullable(statistics)), null, []),
        asksStatistics: member(flag, null, false),
      }),
    ),
    null,
  ),
})

/** Reads the body sent by another instance. @throws ApiError */
export const readNetworkSearch: WholeBody<NetworkSearchBody> = finishedBody(
  networkSearch,
  (request) => {
    for (const { queries } of request.searches) checkNames(queries)
    return request
  },
)

/** Converts a search of a list to a single search. */
export function searchOf(listed: ListedSearch): SearchRequest {
  const { indexUid: _uid, federationOptions: _options, ...sent } = listed
  const { rest: request } = apart(sent)
  return {
    ...request,
    offset: listed.offset ?? 0,
    limit: listed.limit ?? DEFAULT_SEARCH.limit,
    showPerformanceDetails: listed.showPerformanceDetails ?? false,
  }
}
