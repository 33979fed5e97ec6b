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

/** A value as it is shown, and its count. */
type Counted = { readonly value: string; readonly count: number }

/**
 * Adds all counts: fields in byte order, values in the order of their field, at most `valuesMax` of
 * each; all buckets in ascending order. `parts`: those of one index add values that differ in case,
 * and order values as within one index; of those of `indexes` values are equal as they are shown,
 * and of equal counts the first one received comes first.
 */
export function mergedFacets(
  all: readonly Facets[],
  orders: FacetOrders,
  valuesMax: number | null,
  parts: 'indexes' | 'instances' = 'indexes',
): Facets {
  const ofOne = parts === 'instances'
  const counts = new Map<string, Map<string, Counted>>()
  const stats = new Map<string, FacetStats>()
  const counted = new Map<string, CountedFacet>()
  for (const facets of all) {
    for (const [field, facet] of facets.counted) counted.set(field, facet)
    for (const [field, values] of facets.distribution) {
      const sums = counts.get(field) ?? new Map<string, Counted>()
      counts.set(field, sums)
      const isFolded = ofOne && facets.counted.get(field)?.buckets === null
      for (const [value, count] of values) {
        add(sums, isFolded ? normalizeFacet(value) : value, { value, count })
      }
    }
    for (const [field, own] of facets.stats) {
      const other = stats.get(field)
      stats.set(field, other === undefined ? own : mergedStats(other, own))
    }
  }
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  for (const field of [...counts.keys()].sort(compareText)) {
    const values = [...counts.get(field)!].map(([key, { value, count }]) => ({ key, value, count }))
    const buckets = counted.get(field)?.buckets ?? null
    if (buckets !== null) {
      if (values.length > FACET_BUCKETS_MAX) tooManyBuckets(field)
      values.sort((a, b) => buckets.compare(a.value, b.value))
      distribution.set(field, countsOf(values))
      continue
    }
    if (orders.of(field) === 'alpha') {
      values.sort((a, b) => (ofOne ? byAlphabet(a.key, b.key) : compareText(a.value, b.value)))
    } else values.sort((a, b) => b.count - a.count || (ofOne ? byLarger(a.key, b.key) : 0))
    distribution.set(field, countsOf(values.slice(0, valuesMax ?? values.length)))
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

/** Adds to the count of a key; of several forms, the first in byte order is shown. */
function add(sums: Map<string, Counted>, key: string, { value, count }: Counted): void {
  const known = sums.get(key)
  if (known === undefined) sums.set(key, { value, count })
  else {
    const shown = compareText(known.value, value) <= 0 ? known.value : value
    sums.set(key, { value: shown, count: known.count + count })
  }
}

const countsOf = (values: readonly Counted[]): ReadonlyMap<string, number> =>
  new Map(values.map(({ value, count }) => [value, count]))

/** Compares normalized values: numbers, which are sorted as texts, before texts. */
const byAlphabet = (a: string, b: string): number =>
  Number(parseExact(a) === null) - Number(parseExact(b) === null) || compareText(a, b)

/** Compares normalized values: numbers as numbers, larger values first. */
function byLarger(a: string, b: string): number {
  const [left, right] = [parseExact(a), parseExact(b)]
  if (left === null || right === null || left === right) return compareText(b, a)
  return left < right ? 1 : -1
}
