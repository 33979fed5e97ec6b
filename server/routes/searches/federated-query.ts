// Members of queries in a list that contradict the rest of the request.
import { type Features, requestedFacets } from '../../../engine/index.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import type { FederationRequest, ListedSearch } from '../../parse/index.ts'
import { requireNetwork } from './network-search.ts'

const FROM_EITHER = 'from the query or remove `federation` from the request'

const refused = (code: ErrorCode, words: string, ...hints: readonly string[]): ApiError =>
  new ApiError(code, [words, ...hints.map((hint) => ` - Hint: ${hint}`)].join('\n'))

/** Checks a query that has its own answer. @throws ApiError */
export function checkSingleQuery({ federationOptions }: ListedSearch): void {
  if (federationOptions === null) return
  throw refused(
    'invalid_multi_search_federation_options',
    'Using `federationOptions` is not allowed in a non-federated search.',
    'remove `federationOptions` from the query or add `federation` to the request.',
  )
}

/** Refuses members that belong to the federation. @throws ApiError invalid_multi_search_… */
export function checkFederatedQuery(query: ListedSearch, federation: FederationRequest): void {
  checkNoPages(query)
  checkNoFacets(query)
  checkNotPersonal(query)
  checkNoDetails(query)
  checkOneDistinct(query, federation)
}

function checkNoPages(query: ListedSearch): void {
  const sent = (['offset', 'limit', 'page', 'hitsPerPage', 'countTotal'] as const).find(
    (name) => query[name] !== null && query[name] !== false,
  )
  if (sent === undefined) return
  throw refused(
    'invalid_multi_search_query_pagination',
    'Using pagination options is not allowed in federated queries.',
    `remove \`${sent}\` ${FROM_EITHER}`,
    'pass `federation.limit` and `federation.offset` for pagination in federated search',
  )
}

function checkNoFacets({ facets, disjunctiveFacets, indexUid }: ListedSearch): void {
  const requested = requestedFacets(facets, disjunctiveFacets)
  if (requested.length === 0) return
  const sent = facets === null || facets.length === 0 ? 'disjunctiveFacets' : 'facets'
  const quoted = requested.map((facet) => JSON.stringify(facet)).join(', ')
  throw refused(
    'invalid_multi_search_query_facets',
    'Using facet options is not allowed in federated queries.',
    `remove \`${sent}\` ${FROM_EITHER}`,
    `pass \`federation.facetsByIndex.${indexUid}: [${quoted}]\` for facets in federated search`,
  )
}

function checkNotPersonal({ personalize }: ListedSearch): void {
  if (personalize === null) return
  throw refused(
    'invalid_multi_search_query_personalization',
    'Using `.personalize` is not allowed in federated queries.',
    `remove \`personalize\` ${FROM_EITHER}`,
    'pass `federation.personalize` for personalization in federated search',
  )
}

function checkNoDetails({ showPerformanceDetails }: ListedSearch): void {
  if (showPerformanceDetails === null) return
  throw refused(
    'invalid_multi_search_query_show_performance_details',
    'Using `.showPerformanceDetails` is not allowed in federated queries.',
    `remove \`showPerformanceDetails\` ${FROM_EITHER}`,
  )
}

function checkOneDistinct(query: ListedSearch, federation: FederationRequest): void {
  if (query.distinct === null || federation.distinct === null) return
  throw refused(
    'invalid_multi_search_distinct',
    'Using `distinct` options is not allowed in federated queries when it also appears in ' +
      '`.federation.distinct`.',
    `remove \`distinct\` ${FROM_EITHER}\n` +
      '  - Note: `distinct` at the query level is discouraged in federated search.',
  )
}

/** Checks options that need the network feature, and options that exclude each other. @throws ApiError */
export function checkFederationOptions(
  { federationOptions, useNetwork }: ListedSearch,
  features: Features,
): void {
  const { remote = null, queryPosition = null } = federationOptions ?? {}
  if (remote !== null) {
    requireNetwork(features)
    if (useNetwork === true) throw new ApiError(...REMOTE_AND_NETWORK)
  }
  if (queryPosition !== null) {
    requireNetwork(features, 'Using `federationOptions.queryPosition`')
  }
}

const REMOTE_AND_NETWORK = [
  'invalid_multi_search_federation_options',
  'Using `.useNetwork` is not allowed as the same time as `.federationOptions.remote`.\n' +
    '  - Hint: to perform an explicit query against a remote, remove `.useNetwork`.\n' +
    '  - Hint: to automatically perform queries against the entire network, remove ' +
    '`.federationOptions.remote`.',
] as const satisfies readonly [ErrorCode, string]
