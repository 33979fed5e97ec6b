// The number of values counted per facet, and their order.

import { compareText } from '../../../format/bytes/index.ts'
import { count, mapOf, object, oneOf } from '../../../format/schema/index.ts'
import { mergeMember, type Partly, setting } from '../schema/index.ts'

/** `sampledCount` allows an answer to lack values that `count` shows; here both are the same. */
export const FACET_ORDERS = ['alpha', 'count', 'sampledCount'] as const
export type FacetOrder = (typeof FACET_ORDERS)[number]

type Orders = { readonly [attribute: string]: FacetOrder }
export type Faceting = {
  readonly maxValuesPerFacet: number
  /** Always contains `*`, the order of every facet that is not named. */
  readonly sortFacetValuesBy: Orders
}

const DEFAULT: Faceting = { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } }

export const faceting = setting<Faceting, Partly<Faceting>>()({
  code: 'invalid_settings_faceting',
  advice: 'send an object of `maxValuesPerFacet` and `sortFacetValuesBy`.',
  change: 'members',
  default: DEFAULT,
  stored: object<Faceting>({
    maxValuesPerFacet: count,
    sortFacetValuesBy: mapOf(oneOf(FACET_ORDERS)),
  }),
  merge(current, { maxValuesPerFacet, sortFacetValuesBy: orders }) {
    return {
      maxValuesPerFacet: mergeMember(
        maxValuesPerFacet,
        current.maxValuesPerFacet,
        DEFAULT.maxValuesPerFacet,
      ),
      sortFacetValuesBy: mergeMember(
        orders ? withEveryOrder(orders) : orders,
        current.sortFacetValuesBy,
        DEFAULT.sortFacetValuesBy,
      ),
    }
  },
})

/** Returns the orders by attribute in byte order, with an order for those not named. */
function withEveryOrder(orders: Orders): Orders {
  const all = new Map<string, FacetOrder>([['*', 'alpha'], ...Object.entries(orders)])
  return Object.fromEntries([...all].sort(([a], [b]) => compareText(a, b)))
}
