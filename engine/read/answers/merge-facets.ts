// Merges facets of several indexes: separately by index, or with the counts of equal fields added
// (docs/search-semantics.md#facets-of-several-indexes).
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import type { FacetOrder } from '../../settings/values/index.ts'
import { normalizeFacet, parseExact } from '../../text/index.ts'
import type { FacetStats } from '../facets/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { type Facets, facetOrderOf } from './facets.ts'

type OrderedIndex = Pick<SearchableView, 'settings'> & {
  readonly ref: { readonly uid: IndexUid }
}

/** The order of each field's values, as set by the indexes added so far. */
export class FacetOrders {
  readonly #orders = new Map<string, { readonly uid: IndexUid; readonly order: FacetOrder }>()

  /**
   * Adds the fields of one index. @throws EngineFault if another index orders a field differently
   */
  add(index: OrderedIndex, fields: readonly string[]): void {
    const { uid } = index.ref
    for (const field of fields) {
      const order = facetOrderOf(index, field)
      const other = this.#orders.get(field)
      if (other === undefined) this.#orders.set(field, { uid, order })
      else if (other.order !== order) throw inconsistent(field, other, { uid, order })
    }
  }

  of(field: string): FacetOrder {
    return this.#orders.get(field)?.order ?? 'alpha'
  }
}

type Ordered = { readonly uid: IndexUid; readonly order: FacetOrder }

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

/**
 * Adds all counts: fields in byte order, values in the order of their field, at most `valuesMax` of
 * each. Of values with equal counts, the first one received comes first (`first`), or the
 * `larger` one, as within one index.
 */
export function mergedFacets(
  all: readonly Facets[],
  orders: FacetOrders,
  valuesMax: number | null,
  ties: 'first' | 'larger' = 'first',
): Facets {
  const counts = new Map<string, Map<string, number>>()
  const stats = new Map<string, FacetStats>()
  for (const facets of all) {
    for (const [field, values] of facets.distribution) {
      const sums = counts.get(field) ?? new Map<string, number>()
      counts.set(field, sums)
      for (const [value, count] of values) sums.set(value, (sums.get(value) ?? 0) + count)
    }
    for (const [field, { min, max }] of facets.stats) {
      const range = stats.get(field) ?? { min, max }
      stats.set(field, {
        min: min < range.min ? min : range.min,
        max: max > range.max ? max : range.max,
      })
    }
  }
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  for (const field of [...counts.keys()].sort(compareText)) {
    const values = [...counts.get(field)!]
    if (orders.of(field) === 'alpha') values.sort(([a], [b]) => compareText(a, b))
    else if (ties === 'first') values.sort(([, a], [, b]) => b - a)
    else values.sort(([a, count], [b, other]) => other - count || byLarger(a, b))
    distribution.set(field, new Map(values.slice(0, valuesMax ?? values.length)))
  }
  return { distribution, stats: new Map([...stats].sort(([a], [b]) => compareText(a, b))) }
}

/** Compares numbers as numbers, larger values first. */
function byLarger(a: string, b: string): number {
  const [left, right] = [parseExact(a), parseExact(b)]
  if (left === null || right === null) return compareText(normalizeFacet(b), normalizeFacet(a))
  if (left === right) return compareText(b, a)
  return left < right ? 1 : -1
}
