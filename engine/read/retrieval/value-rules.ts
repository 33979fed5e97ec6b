// The rules that order by values: `sort` of the request, and `field:asc` or `field:desc` among the
// ranking rules. A field orders only once: later rules for the same field are ignored.
import type { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { type ColumnsSegment, sortBuckets } from '../facets/index.ts'
import type { SortKey, SortTree } from '../filter/index.ts'
import { geoSortBuckets } from '../geo/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import {
  placeholderRules,
  type RankingRule,
  type ScoreDetail,
  type SortedBuckets,
  SortRule,
  type ValueRules,
} from '../rank/index.ts'
import type { MatchingValues } from './matching-values.ts'

export class SortRules implements ValueRules {
  readonly #view: SearchableView
  readonly #matching: MatchingValues | null
  readonly #requested: SortTree
  readonly #used = new Set<string>()
  /** The keys of the created rules, in their order. */
  readonly order: SortKey[] = []

  /** `matching`: the values that order documents, or null for all. */
  constructor(view: SearchableView, requested: SortTree, matching: MatchingValues | null = null) {
    this.#matching = matching
    this.#view = view
    this.#requested = requested
  }

  requested(): readonly RankingRule[] {
    return this.#requested.flatMap((key) => this.#rule(key) ?? [])
  }

  custom(field: string, ascending: boolean): RankingRule | null {
    return this.#rule({ kind: 'field', field, direction: ascending ? 'asc' : 'desc' })
  }

  #rule(key: SortKey): RankingRule | null {
    if (key.kind === 'geo') {
      this.order.push(key)
      return new SortRule((universe) => placed(this.#view, key, universe))
    }
    const { field } = key
    if (this.#used.has(field)) return null
    this.#used.add(field)
    this.order.push(key)
    return new SortRule((universe) => {
      const segments = this.#matching?.segments(field) ?? this.#view.view.layer(columnsLayer)
      return valued(this.#view, segments, key, universe)
    })
  }
}

type SortOptions = {
  readonly sort: SortTree
  /** As of `Prepared`. */
  readonly matching?: MatchingValues | null
}

/** Returns the rules that order by values for a request. */
export const sortRules = (
  view: SearchableView,
  { sortScope }: SearchRequest,
  { sort, matching = null }: SortOptions,
): SortRules => new SortRules(view, sort, sortScope === 'match' ? matching : null)

type FieldKey = Extract<SortKey, { readonly kind: 'field' }>

/** Returns the fields that order hits of a search without words; null if places order them, too. */
export function valueOrder(view: SearchableView, sort: SortTree): readonly FieldKey[] | null {
  const rules = new SortRules(view, sort)
  placeholderRules(view.settings.rankingRules, rules)
  const fields = rules.order.filter((key) => key.kind === 'field')
  return fields.length === rules.order.length ? fields : null
}

type GeoKey = Extract<SortKey, { readonly kind: 'geo' }>

function valued(
  { fieldId }: SearchableView,
  segments: readonly ColumnsSegment[],
  { field, direction }: FieldKey,
  universe: IdSet,
): SortedBuckets {
  const ascending = direction === 'asc'
  const id = fieldId(field)
  const nothing: ScoreDetail = { kind: 'sort', field, ascending, value: null }
  if (id === null) return single(nothing)
  const buckets = sortBuckets(segments, id, direction, universe)
  return walk(buckets, ({ value }) => ({ kind: 'sort', field, ascending, value }))
}

function placed(
  { view }: SearchableView,
  { latitude, longitude, direction }: GeoKey,
  universe: IdSet,
): SortedBuckets {
  const buckets = geoSortBuckets(view.layer(columnsLayer), latitude, longitude, direction, universe)
  return walk(buckets, ({ place, distance }) => ({
    kind: 'geo',
    target: [latitude, longitude],
    ascending: direction === 'asc',
    point: place === null ? null : [place.latitude, place.longitude],
    distance,
  }))
}

/** Returns all documents in one bucket, for a field that no document has. */
const single = (score: ScoreDetail): SortedBuckets => ({
  next: (left) => (left.isEmpty ? null : { ids: left, score }),
})

/**
 * Returns the buckets of a generator, restricted to the remaining documents, without empty ones.
 */
function walk<T extends { readonly ids: IdSet }>(
  buckets: Iterator<T, void>,
  scoreOf: (bucket: T) => ScoreDetail,
): SortedBuckets {
  return {
    next(left) {
      for (;;) {
        const { done, value } = buckets.next()
        if (done || value === undefined) return null
        const ids = value.ids.and(left)
        if (!ids.isEmpty) return { ids, score: scoreOf(value) }
      }
    },
  }
}
