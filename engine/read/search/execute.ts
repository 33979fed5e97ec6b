// Runs a plan over a view: each query is ranked for itself, then their hits become one list.
//
//   pins → query → retriever → hits of all queries by key → each document once, each value once
import { assert } from '../../../format/errors.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { DistinctValues } from '../facets/index.ts'
import type { Ranking } from '../rank/index.ts'
import { DistinctMerger } from './distinct-merger.ts'
import { KeywordRetriever, readQuery } from './keywords.ts'
import { LocalAnswer, QueryHits, RankedHits } from './local-answer.ts'
import { type HitPlace, MergedHits, mergedPlaces, placesOf } from './merged-hits.ts'
import type { HitList } from './partial-answer.ts'
import { type Pins, pinsOf, windowBefore } from './pins.ts'
import type { Plan, QueryPlan } from './plan.ts'
import type { SearchableView } from './searchable-view.ts'

/** @throws StorageError, SearchCanceled */
export function execute(plan: Plan, view: SearchableView): LocalAnswer {
  const values = valuesOf(view, plan.distinctField)
  const found = plan.queries.map((query) => runQuery(plan, query, view, values))
  const [first] = found
  assert(first !== undefined, 'a plan has queries')
  assert(found.length === 1 || plan.window.offset === 0, 'queries are merged from their first hits')
  const merged = mergeQueries(found, values, plan.hitsMax)
  return new LocalAnswer(view, plan, {
    ...merged,
    skipped: first.skipped,
    pinned:
      found.length === 1
        ? first.pinned
        : new MergedHits(found.flatMap(({ pinned }) => placesOf(pinned))),
    degraded: found.some(({ ranking }) => ranking.degraded),
    candidates: found.map(candidatesOf).reduce((all, one) => all.or(one)),
  })
}

/** What one query has found. */
type QueryFound = {
  readonly ranking: Ranking
  readonly pins: Pins
  readonly hits: HitList
  readonly pinned: HitList
  readonly skipped: number
}

function runQuery(
  plan: Plan,
  query: QueryPlan,
  view: SearchableView,
  values: DistinctValues | null,
): QueryFound {
  const { times } = plan
  const { request, prepared } = query
  const pins = pinsOf(view, { ...plan, ...prepared, request })
  times.done('search > filter')
  const meant = readQuery(view, request, prepared.scope)
  times.done('search > tokenize query')
  const retriever = new KeywordRetriever(view, request, meant, {
    sort: prepared.sort,
    distinctField: prepared.distinctField,
    withScores: plan.withScores,
    control: plan.controlFor(),
  })
  const window = windowBefore(plan.window, pins)
  const ranking = retriever.retrieve(prepared.universe.andNot(pins.ids), window)
  times.done('search > rank')
  const of = new QueryHits(view, query, meant.graph, values, plan.foreign)
  return {
    ranking,
    pins,
    hits: new RankedHits(of, ranking.hits),
    pinned: new RankedHits(of, pins.hits),
    skipped: window.offset,
  }
}

const candidatesOf = ({ ranking, pins }: QueryFound): IdSet =>
  pins.hits.length === 0 ? ranking.candidates : ranking.candidates.or(pins.ids)

/** Of several hits of a document the best one stays; then one of each value, as far as needed. */
function mergeQueries(
  found: readonly QueryFound[],
  values: DistinctValues | null,
  hitsMax: number,
): { readonly hits: HitList; readonly rejected: readonly number[] } {
  // The retriever has left one hit of each document and value.
  if (found.length === 1) return { hits: found[0]!.hits, rejected: [] }
  const seen = new Set<number>()
  const distinct = new DistinctMerger()
  const rejected: number[] = []
  const places: HitPlace[] = []
  for (const place of mergedPlaces(found.map(({ hits }) => hits))) {
    const document = place.list.documentAt(place.at)
    if (seen.has(document)) continue
    seen.add(document)
    if (values !== null && !distinct.admit(place.list.distinctAt(place.at))) {
      rejected.push(document)
    } else if (places.length < hitsMax) places.push(place)
  }
  return { hits: new MergedHits(places), rejected }
}

function valuesOf(view: SearchableView, field: string | null): DistinctValues | null {
  const id = field === null ? null : view.fieldId(field)
  return id === null ? null : new DistinctValues(view.view.layer(columnsLayer), id)
}
