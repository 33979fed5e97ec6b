// Runs a plan over a view: each query is ranked separately, then the hits are merged into one list.
//
//   pins → query → retriever → hits of all queries by key → each document once, each value once
import { assert } from '../../../format/errors.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import {
  type FacetValues,
  type HitList,
  type HitPlace,
  LocalAnswer,
  MergedHits,
  placesOf,
  QueryHits,
  QueryMerger,
  RankedHits,
} from '../answers/index.ts'
import { type ColumnsSegment, DistinctFilter, DistinctValues } from '../facets/index.ts'
import { othersWait, type SearchableView, type SearchControl } from '../jobs/index.ts'
import type { Ranking } from '../rank/index.ts'
import {
  appliedRules,
  isForMerging,
  type Pins,
  type Plan,
  pinsOf,
  type QueryPlan,
  retrieverOf,
  scalesOf,
  windowBefore,
} from '../retrieval/index.ts'
import { DisjunctiveCandidates } from './disjunctive.ts'

/** @throws StorageError, Canceled, EngineFault when the search has to make room for others */
export function execute(plan: Plan, view: SearchableView): LocalAnswer {
  const values = valuesOf(view, plan.distinctField)
  const [only] = plan.queries
  assert(only !== undefined, 'a plan has queries')
  if (plan.queries.length > 1) return executeAll(plan, view, values)
  // The retriever has already reduced the hits to one for each document and value.
  const found = runQuery(plan, only, view, values)
  const { of, hits, pinned, skipped, ranking } = found
  const { degraded } = ranking
  const candidates = candidatesOf(found)
  return new LocalAnswer(view, plan, {
    hits,
    pinned,
    skipped,
    degraded,
    candidates,
    rejected: [],
    of,
    candidatesWithout: found.candidatesWithout,
  })
}

/**
 * Runs several queries and merges their hits one query at a time, so that few hits are in memory.
 */
function executeAll(plan: Plan, view: SearchableView, values: DistinctValues | null): LocalAnswer {
  assert(plan.window.offset === 0, 'queries are merged from their first hits')
  const merger = new QueryMerger(values, plan.hitsMax)
  const pinned: HitPlace[] = []
  let candidates = IdSet.empty
  let pins = IdSet.empty
  const each: IdSet[] = []
  const without: QueryFound['candidatesWithout'][] = []
  let degraded = false
  for (const query of plan.queries) {
    plan.turn.requireTurn(othersWait)
    const found = runQuery(plan, query, view, values)
    merger.add(found.hits)
    pins = pins.or(found.pins.ids)
    for (const place of placesOf(found.pinned)) pinned.push(place)
    each.push(candidatesOf(found))
    candidates = candidates.or(each[each.length - 1]!)
    without.push(found.candidatesWithout)
    degraded ||= found.ranking.degraded
  }
  const { hits, rejected } = merger.merged()
  const candidatesWithout = (field: string, control: SearchControl): IdSet | null => {
    const found = without.map((one) => one(field, control))
    if (found.every((one) => one === null)) return null
    return found.reduce<IdSet>((all, one, at) => all.or(one ?? each[at]!), IdSet.empty)
  }
  const found = { hits, skipped: 0, degraded, of: null, candidatesWithout }
  const counted = countedOnceInAll(plan, view, hits, candidates, pins) ?? { candidates, rejected }
  return new LocalAnswer(view, plan, { ...found, ...counted, pinned: new MergedHits(pinned) })
}

/**
 * Returns the exact candidates of several queries, each of which may count another document for a
 * value; null if no exact number is wanted. Hits count before other documents, because merging
 * subtracts those that it leaves out. Pinned documents count beside those with their values.
 */
function countedOnceInAll(
  { window, distinctField }: Plan,
  { view, fieldId }: SearchableView,
  hits: HitList,
  candidates: IdSet,
  pins: IdSet,
): { readonly candidates: IdSet; readonly rejected: readonly number[] } | null {
  const id = distinctField === null ? null : fieldId(distinctField)
  if (!window.finite || id === null) return null
  const filter = new DistinctFilter(view.layer(columnsLayer), id, false)
  const admit = (document: number): boolean => filter.admit(document)
  const ranked = Array.from({ length: hits.length }, (_, at) => hits.documentAt(at))
  const shown = pins.or(IdSet.of(ranked))
  const first = IdSet.of(ranked.filter((document) => !pins.has(document) && admit(document)))
  const others = candidates.andNot(shown).toArray().filter(admit)
  return { candidates: pins.or(first).or(IdSet.ofSorted(others)), rejected: [] }
}

/** Results of one query. */
type QueryFound = {
  readonly of: QueryHits
  readonly ranking: Ranking
  readonly pins: Pins
  readonly hits: RankedHits
  readonly pinned: HitList
  readonly skipped: number
  /** As of `LocalFound`. */
  readonly candidatesWithout: (field: string, control: SearchControl) => IdSet | null
}

function runQuery(
  plan: Plan,
  query: QueryPlan,
  view: SearchableView,
  values: DistinctValues | null,
): QueryFound {
  const { times } = plan
  const { request, prepared, step } = query
  // Written out: an object literal with spread objects gets a hidden class of its own each time.
  const { features, rules } = plan
  const { tree, universe } = prepared
  const applied = appliedRules(rules, { request, tree }, features)
  const pins = pinsOf(view, applied, universe)
  const control = plan.controlFor()
  const organic = universe.andNot(pins.ids)
  const { boosts } = prepared
  const isScaled = applied.length + boosts.length > 0
  const scales = isScaled ? scalesOf(view, applied, boosts, organic, features, control) : null
  times.done(`${step} > filter`)
  const options = {
    sort: prepared.sort,
    matching: prepared.matching,
    distinctField: prepared.distinctField,
    withScores: plan.withScores,
    ties: plan.isOfNetwork ? view.externalOrder : null,
    keepsDuplicates: plan.keepsDuplicates === true,
    scales,
    control,
  }
  const { retriever, graph } = retrieverOf(view, query, options)
  times.done(`${step} > tokenize query`)
  const window = windowBefore(plan.window, pins)
  const among = scales === null ? organic : organic.andNot(scales.hidden)
  const { after } = plan
  const ranking =
    after === undefined
      ? retriever.retrieve(among, window)
      : { ...retriever.retrieve(among.and(after), window), candidates: among }
  times.done(`${step} > rank`)
  const of = new QueryHits(
    view,
    query,
    graph,
    values,
    plan.foreign,
    scales,
    facetValuesOf(plan, query, view),
  )
  const ranked = { view, plan, query, applied, retriever, options }
  const disjunctive = new DisjunctiveCandidates(ranked)
  return {
    of,
    ranking,
    pins,
    hits: new RankedHits(of, ranking.hits),
    pinned: new RankedHits(of, pins.hits),
    skipped: window.offset,
    candidatesWithout: (field, late) => disjunctive.of(field, late),
  }
}

const candidatesOf = ({ ranking, pins }: QueryFound): IdSet =>
  pins.hits.length === 0 ? ranking.candidates : ranking.candidates.or(pins.ids)

/**
 * Returns the facet values that another instance subtracts from its counts when it leaves out a
 * hit.
 */
function facetValuesOf(
  { facets, distinctField }: Plan,
  { origin, request, prepared }: QueryPlan,
  view: SearchableView,
): readonly FacetValues[] {
  if (!isForMerging(origin) || facets === null || distinctField === null) return []
  return facets.flatMap(({ field }) => {
    const matching = request.facetScope === 'match' ? prepared.matching : null
    const values = valuesOf(view, field, matching?.segments(field) ?? null)
    return values === null || field === distinctField ? [] : [{ field, values }]
  })
}

function valuesOf(
  view: SearchableView,
  field: string | null,
  matching: readonly ColumnsSegment[] | null = null,
): DistinctValues | null {
  const id = field === null ? null : view.fieldId(field)
  return id === null ? null : new DistinctValues(matching ?? view.view.layer(columnsLayer), id)
}
