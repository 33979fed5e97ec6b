// Which of the searches of a request an instance is asked, and what it is sent.
import type {
  FederatedSearch,
  Federation,
  IndexSearch,
  InstancesMerge,
} from '../../engine/index.ts'
import type { Call } from './gather.ts'
import type { SearchPlan } from './search-plan.ts'
import { federationBody, wireQuery } from './wire-search.ts'

/** A query of a federation: of this instance (null), of the network, or of one instance. */
export type PlacedQuery = FederatedSearch & {
  readonly target: 'network' | { readonly remote: string } | null
}

/** Queries whose hits become one list. */
export type SearchGroup = {
  readonly queries: readonly PlacedQuery[]
  readonly federation: Federation
  readonly shape: Pick<InstancesMerge, 'isPlain' | 'leadingIndexUid'>
}

/** A search by itself as a federation of one. `place`: in the client's list; -1: it is alone. */
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

/** Whether a query is part of what an instance is asked. */
const isFor = ({ target }: PlacedQuery, { remote, shards, isFirst }: Call): boolean =>
  target === 'network'
    ? shards === null || shards.length > 0
    : isFirst && remoteOf(target) === remote

/** Which of the searches an instance is asked. */
export const placesFor = (asked: readonly SearchGroup[], call: Call): readonly number[] =>
  asked.flatMap(({ queries }, place) => (queries.some((one) => isFor(one, call)) ? [place] : []))

/**
 * The searches for an instance as it is sent them. `isChecked`: the instance makes sure that it
 * holds the shards; otherwise a filter does, which fails where one of them is not known.
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
    return { queries: wire, federation: federationBody(federation), shards }
  })
