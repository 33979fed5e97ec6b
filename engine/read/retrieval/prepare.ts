// The first step of every search: checks the request and selects the documents to search.
//
// Faults come in an order that clients rely on: errors of the request alone, then attributes to
// search on, the distinct field, the filter, the sort, the boosts.
import type { IndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  type Features,
  type InlineRuleOutcomes,
  type NetworkAnswer,
  requestedFacets,
  type SearchRequest,
} from '../../model/index.ts'
import { SEARCH_CUTOFF_MS_DEFAULT } from '../../settings/values/index.ts'
import type { Boosting } from '../boosts/index.ts'
import {
  checkDistinct,
  checkSortable,
  type KnownSets,
  parseSort,
  type SortTree,
} from '../filter/index.ts'
import type { FilterTree } from '../filter-syntax/index.ts'
import {
  kindOf,
  SEARCHES_MS_MAX,
  type SearchableView,
  SearchControl,
  type SearchKind,
  VectorNeeded,
  type Watch,
} from '../jobs/index.ts'
import type { Scope } from '../segment-text/index.ts'
import { ShardDocuments } from '../segments/index.ts'
import { booleanQueryOf } from './boolean-query.ts'
import { boostsOf } from './boosts.ts'
import { filtered, readFilter } from './candidates.ts'
import type { ForeignIndexes } from './foreign.ts'
import { MatchingValues } from './matching-values.ts'
import { queryVector } from './query-vector.ts'

/** A request checked against its index. */
export type Prepared = {
  readonly kind: SearchKind
  readonly sort: SortTree
  readonly scope: Scope | null
  /** The field of which each value is shown once. */
  readonly distinctField: string | null
  /** The query vector, with the dimensions of its embedder; null if the query has or needs none. */
  readonly vector: Float32Array | null
  /** The vector that a hybrid query needs if its words do not suffice; null if it needs none. */
  readonly needed: VectorNeeded | null
  /** The parsed filter, and the documents that pass it. */
  readonly tree: FilterTree | null
  readonly universe: IdSet
  /** The sets of the filter's conditions; null if no facet leaves some of them out. */
  readonly known: KnownSets | null
  readonly boosts: readonly Boosting[]
  /** Values of the elements that match the filter; null if facets and sorts have all values. */
  readonly matching: MatchingValues | null
}

/** @throws EngineFault, Canceled */
export function prepare(
  view: SearchableView,
  request: SearchRequest,
  features: Features,
  control: SearchControl,
  foreign: ForeignIndexes | null = null,
): Prepared {
  const kind = kindOf(request, features)
  const endpoint = request.isForModel === true ? 'chat' : 'search'
  const tree = readFilter(request.filter, endpoint, view.ref.uid, features, control)
  const sort = parseSort(request.sort ?? [], 'invalid_search_sort')
  const found = kind === 'keyword' ? null : queryVector(view, request, kind)
  const needed = found instanceof VectorNeeded ? found : null
  const vector = found instanceof VectorNeeded ? null : found
  // An embedder that could be called has at least tried.
  if (kind === 'hybrid' && found === null && request.queryVector === undefined) {
    control.noteLackedVector({ uid: view.ref.uid, embedder: request.hybrid!.embedder })
  }
  if (kind !== 'semantic') booleanQueryOf(view, request)
  const scope = view.search.scope(view.ref.uid, request.attributesToSearchOn)
  const distinctField = readDistinct(view, request)
  const others = foreign?.filtersOf(view, control) ?? null
  const known: KnownSets | null = hasDisjunctive(request) ? new Map() : null
  const universe = filtered(view, tree, endpoint, control, others, known)
  checkSort(view, sort)
  const boosts = boostsOf(view, request, features, control)
  const within = request.shards === undefined ? universe : ofShards(view, request.shards, universe)
  const isScoped = request.facetScope === 'match' || request.sortScope === 'match'
  const matching =
    tree !== null && isScoped
      ? new MatchingValues({ view, endpoint, control, foreign: others }, [tree])
      : null
  return {
    kind,
    sort,
    scope,
    distinctField,
    vector,
    needed,
    tree,
    universe: within,
    known,
    matching,
    boosts,
  }
}

const hasDisjunctive = ({ facets, disjunctiveFacets }: SearchRequest): boolean =>
  requestedFacets(facets, disjunctiveFacets).some(
    (one) => typeof one !== 'string' && one.disjunctive === true,
  )

/** Returns the documents of `universe` that belong to the shards. */
export const ofShards = (
  view: SearchableView,
  shards: readonly string[],
  universe: IdSet,
): IdSet => {
  if (shards.length === 0) return IdSet.empty
  const all = new ShardDocuments(view.view, view.shards ?? [], goOn).union(shards)
  // Returns the same object each time if there is no filter, so that caches by set are hit.
  return universe === view.view.stored() ? all : universe.and(all)
}

const goOn = (): void => undefined

/** Starts the time limit of one search of an index; `mostMs`: remaining time of the request. */
export const controlOf = (
  { settings }: SearchableView,
  watch: Watch,
  mostMs = Number.POSITIVE_INFINITY,
): SearchControl =>
  new SearchControl(Math.min(settings.searchCutoffMs ?? SEARCH_CUTOFF_MS_DEFAULT, mostMs), watch)

/** Returns a function for the remaining milliseconds of one job's searches, which begin now. */
export function timeOfAll(): () => number {
  const end = performance.now() + SEARCHES_MS_MAX
  return () => Math.max(0, end - performance.now())
}

/** The `metadata` of one query. `outcomes`: of the rule that came with it, or null. */
export function metadataOf(
  indexUid: IndexUid,
  primaryKey: string | null,
  q: string | null,
  queryUid: string,
  network: NetworkAnswer | undefined,
  outcomes: InlineRuleOutcomes | null,
): object {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid,
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
    ...((network?.self ?? null) === null ? {} : { remote: network?.self }),
    ...(outcomes === null ? {} : { inlineRuleConditionOutcomes: outcomes }),
  }
}

/** @throws EngineFault invalid_search_distinct */
function readDistinct(view: SearchableView, { distinct }: SearchRequest): string | null {
  if (distinct === null) return view.settings.distinctAttribute
  const { displayedAttributes } = view.settings
  checkDistinct(distinct, view.filterRules, displayedAttributes, view.ref.uid)
  return distinct
}

function checkSort(view: SearchableView, sort: SortTree): void {
  const { sortableAttributes, displayedAttributes, rankingRules } = view.settings
  checkSortable(sort, {
    code: 'invalid_search_sort',
    sortableAttributes,
    displayedAttributes,
    rankingRules,
    indexUid: view.ref.uid,
  })
}
