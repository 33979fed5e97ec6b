// Facets as requests name them (docs/search-semantics.md#facets).
import { exactText } from '../../format/bytes/index.ts'

export const CALENDAR_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

/** Values by name, or the most frequent first. */
export const COUNTING_ORDERS = ['alpha', 'count'] as const
export type CountingOrder = (typeof COUNTING_ORDERS)[number]

/** Numbers from `from`, inclusive, to `to`, exclusive; an absent end is open. */
export type FacetRange = { readonly from?: number; readonly to?: number; readonly key?: string }

/** A name or a pattern of fields, or one with how their values are counted. */
export type FacetRequest = string | FacetOptions

/** At most one of `order`, `ranges`, `histogram` and `calendar` is present. */
export type FacetOptions = {
  readonly attribute: string
  /** True to count without the conditions of the filter that name only the field. */
  readonly disjunctive?: boolean
  /** True to show sum, average and number of the numbers. */
  readonly stats?: boolean
  /** In place of the order of the settings. */
  readonly order?: CountingOrder
  readonly ranges?: readonly FacetRange[]
  readonly histogram?: { readonly interval: number; readonly offset: number }
  readonly calendar?: CalendarUnit
  /** The name of a zone of the IANA database. */
  readonly timezone?: string
}

/** Returns all facets that a search asks for. */
export const requestedFacets = (
  facets: readonly FacetRequest[] | null,
  disjunctive: readonly string[] | null,
): readonly FacetRequest[] =>
  disjunctive === null
    ? (facets ?? [])
    : [...(facets ?? []), ...disjunctive.map((attribute) => ({ attribute, disjunctive: true }))]

/** Returns the name or the pattern of a facet. */
export const attributeOf = (facet: FacetRequest): string =>
  typeof facet === 'string' ? facet : facet.attribute

/** Returns the key of a range: its own, or its ends. */
export const rangeKey = ({ key, from, to }: FacetRange): string =>
  key ?? `${from === undefined ? '' : exactText(from)}..${to === undefined ? '' : exactText(to)}`
