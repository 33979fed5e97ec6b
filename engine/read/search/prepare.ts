// The beginning of every search: what is wrong with the request, which documents it is about.
//
// Faults come in the order in which clients have always met them: what is wrong with the request by
// itself, then attributes searched on, the distinct field, the filter, the sort.
import { IdSet } from '../../../format/idset/index.ts'
import {
  type Features,
  type NetworkAnswer,
  type SearchRequest,
  VectorNeeded,
} from '../../model/index.ts'
import { SEARCH_CUTOFF_MS_DEFAULT } from '../../settings/index.ts'
import {
  checkDistinct,
  checkSortable,
  type FilterTree,
  parseSort,
  type SortTree,
} from '../filter/index.ts'
import { type Scope, ShardDocuments } from '../segments/index.ts'
import { filtered, readFilter } from './candidates.ts'
import { SearchControl, type Watch } from './control.ts'
import type { ForeignIndexes } from './foreign.ts'
import { kindOf, type SearchKind } from './kind.ts'
import { SEARCHES_MS_MAX } from './limits.ts'
import { queryVector } from './query-vector.ts'
import type { SearchableView } from './searchable-view.ts'

/** A request that fits its index. */
export type Prepared = {
  readonly kind: SearchKind
  readonly sort: SortTree
  readonly scope: Scope | null
  /** The field of which each value is shown once. */
  readonly distinctField: string | null
  /** Of the query, as long as those of its embedder; null: no vector, or no need for one. */
  readonly vector: Float32Array | null
  /** What a hybrid query needs where its words do not suffice; null: nothing. */
  readonly needed: VectorNeeded | null
  /** The filter as it was read, and the documents that pass it. */
  readonly tree: FilterTree | null
  readonly universe: IdSet
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
  const scope = view.search.scope(view.ref.uid, request.attributesToSearchOn)
  const distinctField = readDistinct(view, request)
  const others = foreign?.filtersOf(view, control) ?? null
  const universe = filtered(view, tree, endpoint, control, others)
  checkSort(view, sort)
  const within = request.shards === undefined ? universe : ofShards(view, request.shards, universe)
  return { kind, sort, scope, distinctField, vector, needed, tree, universe: within }
}

/** Documents of shards alone. */
export const ofShards = (
  view: SearchableView,
  shards: readonly string[],
  universe: IdSet,
): IdSet => {
  if (shards.length === 0) return IdSet.empty
  const all = new ShardDocuments(view.view, view.shards ?? [], goOn).union(shards)
  // The same set again and again where nothing is filtered: what is kept by set is found.
  return universe === view.view.live() ? all : universe.and(all)
}

const goOn = (): void => undefined

/** The time of one search of an index, from now; `mostMs`: what is left for it. */
export const controlOf = (
  { settings }: SearchableView,
  watch: Watch,
  mostMs = Number.POSITIVE_INFINITY,
): SearchControl =>
  new SearchControl(Math.min(settings.searchCutoffMs ?? SEARCH_CUTOFF_MS_DEFAULT, mostMs), watch)

/** Milliseconds that are left for the searches of one job, which begin now. */
export function timeOfAll(): () => number {
  const end = performance.now() + SEARCHES_MS_MAX
  return () => Math.max(0, end - performance.now())
}

/** The `metadata` of one query. */
export function metadataOf(
  indexUid: string,
  primaryKey: string | null,
  q: string | null,
  queryUid: string,
  network: NetworkAnswer | undefined,
): object {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid,
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
    ...((network?.self ?? null) === null ? {} : { remote: network?.self }),
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
