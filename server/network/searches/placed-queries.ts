// Distributes the searches of a request over instances and builds the requests to them.
import type {
  FederatedSearch,
  Federation,
  IndexSearch,
  InstancesMerge,
} from '../../../engine/index.ts'
import type { Call } from './gather.ts'
import type { SearchPlan } from './search-plan.ts'
import { federationBody, wireQuery } from './wire-search.ts'

/** A query for this instance (null), for the whole network, or for one instance. */
export type PlacedQuery = FederatedSearch & {
  readonly target: 'network' | { readonly remote: string } | null
}

/** Queries whose hits become one list. */
export type SearchGroup = {
  readonly queries: readonly PlacedQuery[]
  readonly federation: Federation
  readonly shape: Pick<InstancesMerge, 'isPlain' | 'leadingIndexUid'>
}

/** Turns a single search into a federation. `place` is its position in a list, or -1. */
export function ofNetwork({ indexUid, request }: IndexSearch, place: number): SearchGroup {
  const { offset, limit, page, hitsPerPage, facets, distinct, showPerformanceDetails } = request
  const federation: Federation = {
    offset,
    limit,
    page,
    hitsPerPage,
    facetsByIndex: facets === null || facets.length === 0 ? {} : { [indexUid]: facets },
    mergeFacets: null,
    distinct,
    showPerformanceDetails,
  }
  const query: PlacedQuery = {
    indexUid,
    request: { ...request, distinct: null, facets: null, showPerformanceDetails: false },
    weight: 1,
    queryPosition: 0,
    place,
    target: 'network',
  }
  return { queries: [query], federation, shape: { isPlain: true } }
}

export const remoteOf = (target: PlacedQuery['target']): string | null =>
  typeof target === 'object' && target !== null ? target.remote : null

/** Returns true if the call of an instance includes the query. */
const isFor = ({ target }: PlacedQuery, { remote, shards, isFirst }: Call): boolean =>
  target === 'network'
    ? shards === null || shards.length > 0
    : isFirst && remoteOf(target) === remote

/** Returns the positions of the searches that a call includes. */
export const placesFor = (asked: readonly SearchGroup[], call: Call): readonly number[] =>
  asked.flatMap(({ queries }, place) => (queries.some((one) => isFor(one, call)) ? [place] : []))

/**
 * Returns the searches in the form that is sent to an instance. With `isChecked` the instance
 * checks that it holds the shards; otherwise a filter names them, which fails for an unknown shard.
 */
export const sentSearches = (
  asked: readonly SearchGroup[],
  call: Call,
  { isSharded }: SearchPlan,
  isChecked: boolean,
): readonly object[] =>
  placesFor(asked, call).map((place) => {
    const { queries, federation } = asked[place]!
    const shards: object[] = []
    const sent = queries.flatMap((query, at) => {
      if (!isFor(query, call)) return []
      const isOfAll = query.target === 'network'
      const queryPosition = isOfAll ? at : (query.queryPosition ?? at)
      const names = isOfAll ? call.shards : null
      return [{ query: { ...query, queryPosition }, names }]
    })
    const wire = sent.map(({ query, names }, at) => {
      if (names === null || !isChecked) return wireQuery(query, names, isSharded)
      shards.push({ query: at, names })
      return wireQuery(query, null, isSharded)
    })
    const isForModel = queries.some(({ request }) => request.isForModel === true)
    const body = { queries: wire, federation: federationBody(federation), shards }
    return isForModel ? { ...body, isForModel } : body
  })
