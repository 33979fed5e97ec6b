// Turns searches into requests to other instances.
import {
  DEFAULT_SEARCH,
  type FederatedSearch,
  type Federation,
  type SearchRequest,
} from '../../../engine/index.ts'
import type { RequestedShards } from './search-plan.ts'

/** Members that the calling instance handles, or that a federated query may not have. */
const OMITTED: ReadonlySet<string> = new Set([
  'offset',
  'limit',
  'page',
  'hitsPerPage',
  'countTotal',
  'facets',
  'disjunctiveFacets',
  'callerFilters',
  'statistics',
  'personalize',
  'useNetwork',
  'showPerformanceDetails',
  'showCorrection',
  'network',
  'queryVector',
  'queryNumber',
  'isForModel',
  'facetValuesByCount',
  'shards',
  'filter',
  'vector',
])

/** Returns one query in the form that is sent. */
export function wireQuery(
  { indexUid, request, weight, queryPosition, minTaskUid }: FederatedSearch,
  shards: RequestedShards,
  isSharded: boolean,
): object {
  const members: { [member: string]: unknown } = { indexUid }
  for (const [name, value] of Object.entries(request)) {
    if (OMITTED.has(name) || value === null || value === undefined) continue
    if (value === DEFAULT_SEARCH[name as keyof SearchRequest]) continue
    members[name] = value
  }
  const vector = request.queryVector ?? request.vector
  if (vector !== null) members['vector'] = [...vector]
  const filter = withShards(filterValue(request.filter), shards)
  if (filter !== null) members['filter'] = filter
  // As for the whole request: see `requirement`.
  if (minTaskUid !== undefined) Object.assign(members, { minTaskUid, minTaskTimeout: 0 })
  // The called instance must not call others.
  if (isSharded) members['useNetwork'] = false
  members['federationOptions'] = { weight, queryPosition: queryPosition ?? 0 }
  return members
}

/** A large filter may be given as the bytes of its JSON. */
export const filterValue = (filter: unknown): unknown =>
  filter instanceof Uint8Array ? JSON.parse(Buffer.from(filter).toString()) : filter

/** Restricts a filter to documents of these shards. */
export function withShards(filter: unknown, shards: RequestedShards): unknown {
  if (shards === null) return filter
  const names = shards.map((name) => JSON.stringify(name)).join(', ')
  const condition = `_shard IN [${names}]`
  if (filter === null || filter === undefined) return condition
  return Array.isArray(filter) ? [condition, ...filter] : [condition, filter]
}

/**
 * Requests hits from the first one on, because they are merged. An exact total is requested as a
 * numbered page, which other releases know as well.
 */
export function wireFederation(federation: Federation): Federation {
  const { offset, limit, page, hitsPerPage, countTotal } = federation
  const perPage = hitsPerPage ?? 20
  const isPaged = page !== null || hitsPerPage !== null
  const isCounted = isPaged || countTotal === true
  const hits = count(isPaged ? (page ?? 1) * perPage : offset + limit)
  return {
    facetsByIndex: federation.facetsByIndex,
    distinct: federation.distinct,
    showPerformanceDetails: false,
    mergeFacets: null,
    offset: 0,
    limit: isCounted ? 20 : hits,
    page: isCounted ? 1 : null,
    hitsPerPage: isCounted ? hits : null,
  }
}

/** Larger numbers would not be read as counts. */
const count = (hits: number): number => Math.min(hits, Number.MAX_SAFE_INTEGER)

/** Returns the members of a federation that are sent. */
export function federationBody(federation: Federation): object {
  const { page, hitsPerPage, offset, limit, distinct, facetsByIndex } = wireFederation(federation)
  return {
    ...(page === null ? { offset, limit } : { page, hitsPerPage }),
    ...(distinct === null ? {} : { distinct }),
    ...(Object.keys(facetsByIndex).length === 0 ? {} : { facetsByIndex }),
  }
}
