// Facets of an answer · search semantics §14.
import type { IdSet } from '../../format/idset/index.ts'
import { FacetScope, type FacetStats } from '../facets/index.ts'
import { selectFacets } from '../filter/index.ts'
import { MemberWriter, writeCounts, writeValue } from './json-text.ts'
import type { SearchableView } from './searchable-view.ts'

export type Facets = {
  /** By field in byte order; values in the order to be shown. */
  readonly distribution: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly stats: ReadonlyMap<string, FacetStats>
}

/** The fields whose facets `requested` names. @throws EngineFault invalid_search_facets */
export const facetFields = (
  view: SearchableView,
  requested: readonly string[],
): readonly string[] => selectFacets(requested, view.filterRules, view.search.fields)

export function facetsOf(
  view: SearchableView,
  fields: readonly string[],
  candidates: IdSet,
): Facets {
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting
  const scope = new FacetScope(view.view.columns, candidates)
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  const stats = new Map<string, FacetStats>()
  for (const field of fields) {
    const id = view.fieldId(field)
    if (id === null) continue
    const order = sortFacetValuesBy[field] ?? sortFacetValuesBy['*'] ?? 'alpha'
    distribution.set(field, scope.distribution(id, { order, limit: maxValuesPerFacet }))
    const found = scope.stats(id)
    if (found !== null) stats.set(field, found)
  }
  return { distribution, stats }
}

/** Appends `facetDistribution` and `facetStats`. */
export function writeFacets(members: MemberWriter, { distribution, stats }: Facets): void {
  const fields = new MemberWriter(members.begin('facetDistribution'))
  for (const [field, counts] of distribution) writeCounts(fields.begin(field), counts)
  fields.end()
  const shown = new MemberWriter(members.begin('facetStats'))
  for (const [field, { min, max }] of stats) writeValue(shown.begin(field), { min, max })
  shown.end()
}
