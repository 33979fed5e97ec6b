// The documents that disjunctive facets are counted over, as far as the filter decides it: those
// that pass without the conditions on the facet's own field.
import type { IdSet } from '../../../format/idset/index.ts'
import { splitFilter } from '../filter/index.ts'
import { combine, type FilterTree, openFilter } from '../filter-syntax/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import { filtered, ofShards, type Plan, type QueryPlan, readFilter } from '../retrieval/index.ts'

export type Universes = {
  /** The documents that pass the conditions that no facet leaves out. */
  readonly widest: IdSet
  /** By field, without those that the filter has no condition on of their own. */
  readonly without: ReadonlyMap<string, IdSet>
}

/** @throws EngineFault, Canceled */
export function universesWithout(
  view: SearchableView,
  query: QueryPlan,
  { facets, features, foreign }: Pick<Plan, 'facets' | 'features' | 'foreign'>,
  control: SearchControl,
): Universes {
  const { request, prepared } = query
  const endpoint = request.isForModel === true ? 'chat' : 'search'
  const others = foreign?.filtersOf(view, control) ?? null
  const read = (filter: unknown): FilterTree | null =>
    readFilter(filter, endpoint, view.ref.uid, features, control)
  const passing = (tree: FilterTree | null): IdSet =>
    filtered(view, tree, endpoint, control, others, prepared.known)
  const { callerFilters = 0 } = request
  let { tree } = prepared
  let ofCaller: FilterTree | null = null
  if (callerFilters > 0) {
    const list = openFilter(request.filter) as readonly unknown[]
    tree = read(list.slice(0, -callerFilters))
    ofCaller = read(list.slice(-callerFilters))
  }
  const disjunctive = (facets ?? []).filter(({ isDisjunctive }) => isDisjunctive)
  const fields = new Set(disjunctive.map(({ field }) => field))
  const { own, rest } = splitFilter(tree, fields)
  const always = passing(
    combine(
      'and',
      [rest, ofCaller].flatMap((one) => one ?? []),
    ),
  )
  const widest = request.shards === undefined ? always : ofShards(view, request.shards, always)
  return { widest, without: eachLeftOut(widest, [...own], passing) }
}

/** Intersects the sets of all conditions but one, for each of them. */
function eachLeftOut(
  widest: IdSet,
  own: readonly (readonly [field: string, tree: FilterTree])[],
  passing: (tree: FilterTree) => IdSet,
): ReadonlyMap<string, IdSet> {
  const sets = own.map(([, tree]) => passing(tree))
  /** By position: all later sets. */
  const later = new Array<IdSet>(sets.length).fill(widest)
  for (let i = sets.length - 1; i > 0; i--) later[i - 1] = later[i]!.and(sets[i]!)
  const without = new Map<string, IdSet>()
  let earlier = widest
  own.forEach(([field], i) => {
    without.set(field, earlier.and(later[i]!))
    earlier = earlier.and(sets[i]!)
  })
  return without
}
