// Searches over the network, their distribution over instances, and the requests to them.
import {
  type FederatedSearch,
  type Federation,
  type IndexSearch,
  type Merger,
  requestedFacets,
} from '../../../engine/index.ts'
import type { Call } from './gather.ts'
import type { SearchPlan } from './search-plan.ts'
import { federationBody, wireQuery } from './wire-search.ts'

/** A query for this instance (null), for the whole network, or for one instance. */
export type PlacedQuery = FederatedSearch & {
  readonly target: 'network' | { readonly remote: string } | null
}

/** The form in which instances run a search: its queries and how their hits become one list. */
type Distributed = {
  readonly queries: readonly PlacedQuery[]
  readonly federation: Federation
}

/** A search over the network, by the answer that the client gets. */
export type NetworkSearch =
  /** The answer of a search. Has one query. */
  | (Distributed & { readonly kind: 'single' })
  /** One of a list of answers, at this position. Has one query. */
  | (Distributed & { readonly kind: 'listed'; readonly place: number })
  /** One list of the hits of all queries. */
  | (Distributed & { readonly kind: 'federated' })

/** This instance merges its own part with those of others. */
export const OWN_MERGE: Merger = { by: 'self', form: 'partial' }

export const singleSearch = (search: IndexSearch): NetworkSearch => ({
  kind: 'single',
  ...distributed(search),
})

export const listedSearch = (search: IndexSearch, place: number): NetworkSearch => ({
  kind: 'listed',
  place,
  ...distributed(search),
})

/** Instances return ranked hits for the merge; pages, facets and distinct values are its work. */
function distributed({ indexUid, request, minTaskUid }: IndexSearch): Distributed {
  const { offset, limit, page, hitsPerPage, countTotal, distinct, showPerformanceDetails } = request
  const facets = requestedFacets(request.facets, request.disjunctiveFacets)
  const federation: Federation = {
    offset,
    limit,
    page,
    hitsPerPage,
    countTotal,
    facetsByIndex: facets.length === 0 ? {} : { [indexUid]: facets },
    mergeFacets: null,
    distinct,
    showPerformanceDetails,
  }
  const query: PlacedQuery = {
    indexUid,
    request: {
      ...request,
      distinct: null,
      facets: null,
      disjunctiveFacets: null,
      showPerformanceDetails: false,
    },
    weight: 1,
    queryPosition: 0,
    target: 'network',
    ...(minTaskUid === undefined ? {} : { minTaskUid }),
  }
  return { queries: [query], federation }
}

/** Returns the position that errors of a query name, or null if it is the only one. */
export function placeOf(search: NetworkSearch, at: number): number | null {
  switch (search.kind) {
    case 'single':
      return null
    case 'listed':
      return search.place
    case 'federated':
      return at
  }
}

export const remoteOf = (target: PlacedQuery['target']): string | null =>
  typeof target === 'object' && target !== null ? target.remote : null

/** Returns true if the call of an instance includes the query. */
const isFor = ({ target }: PlacedQuery, { remote, shards, isFirst }: Call): boolean =>
  target === 'network'
    ? shards === null || shards.length > 0
    : isFirst && remoteOf(target) === remote

/** Returns the positions of the searches that a call includes. */
export const placesFor = (searches: readonly NetworkSearch[], call: Call): readonly number[] =>
  searches.flatMap(({ queries }, place) => (queries.some((one) => isFor(one, call)) ? [place] : []))

/**
 * Returns the searches in the form that is sent to an instance. With `isChecked` the instance
 * checks that it holds the shards; otherwise a filter names them, which fails for an unknown shard.
 */
export const sentSearches = (
  searches: readonly NetworkSearch[],
  call: Call,
  { isSharded }: SearchPlan,
  isChecked: boolean,
): readonly object[] =>
  placesFor(searches, call).map((place) => {
    const { queries, federation } = searches[place]!
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
    const statistics = sent.map(({ query }) => query.request.statistics ?? null)
    const ofCaller = sent.map(({ query }) => query.request.callerFilters ?? 0)
    return {
      ...body,
      ...(hasDisjunctive(federation) && ofCaller.some((count) => count > 0)
        ? { callerFilters: ofCaller }
        : {}),
      ...(isForModel ? { isForModel } : {}),
      ...(statistics.some((one) => one !== null) ? { statistics } : {}),
    }
  })

/** Only these facets leave out conditions; other instances of an older release need not know. */
const hasDisjunctive = ({ facetsByIndex }: Federation): boolean =>
  Object.values(facetsByIndex).some((facets) =>
    facets?.some((facet) => typeof facet !== 'string' && facet.disjunctive === true),
  )
