// Merges facets of several indexes: separately by index, or with the counts of equal fields added
// (docs/search-semantics.md#facets-of-several-indexes).
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import type { FacetOrder } from '../../settings/values/index.ts'
import { normalizeFacet, parseExact } from '../../text/index.ts'
import type { Buckets, CountedFacet, FacetStats, FacetSums } from '../facets/index.ts'
import { FACET_BUCKETS_MAX, type SearchableView } from '../jobs/index.ts'
import { type Facets, facetOrderOf, tooManyBuckets } from './facets.ts'

type OrderedIndex = Pick<SearchableView, 'settings'> & {
  readonly ref: { readonly uid: IndexUid }
}

/** The order of each field's values, as set by the indexes added so far. */
export class FacetOrders {
  readonly #orders = new Map<string, Ordered>()

  /**
   * Adds the facets of one index. @throws EngineFault if another index orders a field differently, or
   * has other buckets for it
   */
  add(index: OrderedIndex, facets: readonly CountedFacet[]): void {
    const { uid } = index.ref
    for (const { field, order, buckets } of facets) {
      const own = { uid, order: facetOrderOf(index, field, order), buckets }
      const other = this.#orders.get(field)
      if (other === undefined) this.#orders.set(field, own)
      else if (other.buckets?.name !== buckets?.name) throw otherBuckets(field, other, own)
      else if (other.order !== own.order && buckets === null) throw inconsistent(field, other, own)
    }
  }

  of(field: string): FacetOrder {
    return this.#orders.get(field)?.order ?? 'alpha'
  }
}

type Ordered = {
  readonly uid: IndexUid
  readonly order: FacetOrder
  /** Null if each value is counted. */
  readonly buckets: Buckets | null
}

const WORDS: { readonly [order in FacetOrder]: string } = {
  alpha: 'alphabetically',
  count: 'by count',
  sampledCount: 'by sampled count',
}

const inconsistent = (field: string, a: Ordered, b: Ordered): EngineFault =>
  new EngineFault(
    'invalid_multi_search_facet_order',
    `Inconsistent order for values in facet \`${field}\`: ` +
      `index \`${a.uid}\` orders ${WORDS[a.order]}, but index \`${b.uid}\` orders ${WORDS[b.order]}.\n` +
      ' - Hint: Remove `federation.mergeFacets` or change `faceting.sortFacetValuesBy` to be ' +
      'consistent in settings.',
  )

const otherBuckets = (field: string, a: Ordered, b: Ordered): EngineFault =>
  new EngineFault(
    'invalid_multi_search_facet_order',
    `Inconsistent buckets in facet \`${field}\`: index \`${a.uid}\` is counted in others than ` +
      `index \`${b.uid}\`.\n` +
      ' - Hint: Remove `federation.mergeFacets` or use the same buckets in `federation.facetsByIndex`.',
  )

/**
 * Adds all counts: fields in byte order, values in the order of their field, at most `valuesMax` of
 * each; all buckets in ascending order. Of values with equal counts, the first one received comes
 * first (`first`), or the `larger` one, as within one index.
 */
export function mergedFacets(
  all: readonly Facets[],
  orders: FacetOrders,
  valuesMax: number | null,
  ties: 'first' | 'larger' = 'first',
): Facets {
  const counts = new Map<string, Map<string, number>>()
  const stats = new Map<string, FacetStats>()
  const counted = new Map<string, CountedFacet>()
  for (const facets of all) {
    for (const [field, facet] of facets.counted) counted.set(field, facet)
    for (const [field, values] of facets.distribution) {
      const sums = counts.get(field) ?? new Map<string, number>()
      counts.set(field, sums)
      for (const [value, count] of values) sums.set(value, (sums.get(value) ?? 0) + count)
    }
    for (const [field, own] of facets.stats) {
      const other = stats.get(field)
      stats.set(field, other === undefined ? own : mergedStats(other, own))
    }
  }
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  for (const field of [...counts.keys()].sort(compareText)) {
    const values = [...counts.get(field)!]
    const buckets = counted.get(field)?.buckets ?? null
    if (buckets !== null) {
      if (values.length > FACET_BUCKETS_MAX) tooManyBuckets(field)
      distribution.set(field, new Map(values.sort(([a], [b]) => buckets.compare(a, b))))
      continue
    }
    if (orders.of(field) === 'alpha') values.sort(([a], [b]) => compareText(a, b))
    else if (ties === 'first') values.sort(([, a], [, b]) => b - a)
    else values.sort(([a, count], [b, other]) => other - count || byLarger(a, b))
    distribution.set(field, new Map(values.slice(0, valuesMax ?? values.length)))
  }
  const ordered = new Map([...stats].sort(([a], [b]) => compareText(a, b)))
  return { distribution, stats: ordered, counted }
}

const mergedStats = (a: FacetStats, b: FacetStats): FacetStats => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
  ...(a.sums === undefined || b.sums === undefined ? {} : { sums: addedSums(a.sums, b.sums) }),
})

const addedSums = (a: FacetSums, b: FacetSums): FacetSums => ({
  sum: a.sum + b.sum,
  count: a.count + b.count,
})

/** Compares numbers as numbers, larger values first. */
function byLarger(a: string, b: string): number {
  const [left, right] = [parseExact(a), parseExact(b)]
  if (left === null || right === null) return compareText(normalizeFacet(b), normalizeFacet(a))
  if (left === right) return compareText(b, a)
  return left < right ? 1 : -1
}
