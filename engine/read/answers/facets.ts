// Facets of an answer (docs/search-semantics.md#facets).
import type { IdSet } from '../../../format/idset/index.ts'
import { exactNumberJson } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { FacetOrder } from '../../settings/values/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { type CountingOrder, FacetScope, type FacetStats } from '../facets/index.ts'
import { selectFacets } from '../filter/index.ts'
import {
  othersWait,
  SENT_FACET_VALUES_MAX,
  type SearchableView,
  type SearchControl,
  type StepTimes,
  type TimeUp,
} from '../jobs/index.ts'
import { MemberWriter, writeCounts } from './json-text.ts'

export type Facets = {
  /** By field in byte order; values in display order. */
  readonly distribution: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly stats: ReadonlyMap<string, FacetStats>
}

/** The name under which the facets of a search are timed. */
export const FACETS_STEP = 'search > facet distribution'

/** Returns the fields whose facets `requested` names. @throws EngineFault invalid_search_facets */
export const facetFields = (
  view: SearchableView,
  requested: readonly string[],
): readonly string[] => selectFacets(requested, view.filterRules, view.search.fields)

/** Returns the order that the settings give the values of a field. */
export const facetOrderOf = (
  { settings }: Pick<SearchableView, 'settings'>,
  field: string,
): FacetOrder => {
  const { sortFacetValuesBy } = settings.faceting
  return sortFacetValuesBy[field] ?? sortFacetValuesBy['*'] ?? 'alpha'
}

/** Returns the order in which the values of a field are shown. */
export const shownOrderOf = (
  view: Pick<SearchableView, 'settings'>,
  field: string,
): CountingOrder => (facetOrderOf(view, field) === 'alpha' ? 'alpha' : 'count')

/**
 * `valuesByCount`: number of values to return for each field, most frequent first; absent to follow
 * the `faceting` settings. `isMerged`: an instance adds the counts to those of other
 * instances, so that it also needs the counts of rarer values. `isDistinct`: it may also subtract
 * from them, so that values disappear.
 */
export function facetsOf(
  view: SearchableView,
  fields: readonly string[],
  candidates: IdSet,
  control: SearchControl,
  times: StepTimes,
  valuesByCount?: number,
  isMerged = false,
  isDistinct = false,
): Facets {
  const shown = valuesByCount ?? view.settings.faceting.maxValuesPerFacet
  const scope = new FacetScope(view.view.layer(columnsLayer), candidates)
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  const stats = new Map<string, FacetStats>()
  // Facets have a separate time limit: if ranking was cut short, its hits are shown with their
  // facets.
  const goOn = control.checkpoint(control.wholeMs, facetsTookTooLong)
  for (const field of fields) {
    goOn()
    const id = view.fieldId(field)
    if (id === null) continue
    const order = valuesByCount === undefined ? shownOrderOf(view, field) : 'count'
    const sendsRarer = isMerged && (order === 'count' || isDistinct)
    const limit = sendsRarer ? Math.max(shown, SENT_FACET_VALUES_MAX) : shown
    const begun = performance.now()
    distribution.set(field, scope.distribution(id, { order, limit }))
    const counted = performance.now()
    const found = scope.stats(id)
    times.add(`${FACETS_STEP} > compute facet distribution`, counted - begun)
    times.add(`${FACETS_STEP} > compute facet stats`, performance.now() - counted)
    if (found !== null) stats.set(field, found)
  }
  return { distribution, stats }
}

const facetsTookTooLong = ({ ms, isPreempted }: TimeUp): EngineFault =>
  isPreempted
    ? othersWait(ms)
    : new EngineFault(
        'invalid_search_facets',
        `Counting facets was stopped because it took longer than ${ms} ms.\n` +
          '  - Hint: ask for fewer facets.\n' +
          '  - Hint: the time can be raised with the setting `searchCutoffMs` of the index.',
        { kind: 'timeUp' },
      )

/** Appends `facetDistribution` and `facetStats`, or the same members under other names. */
export function writeFacets(
  members: MemberWriter,
  { distribution, stats }: Facets,
  names: readonly [distribution: string, stats: string] = ['facetDistribution', 'facetStats'],
): void {
  const fields = new MemberWriter(members.begin(names[0]))
  for (const [field, counts] of distribution) writeCounts(fields.begin(field), counts)
  fields.end()
  const shown = new MemberWriter(members.begin(names[1]))
  for (const [field, { min, max }] of stats) {
    shown.begin(field).ascii(`{"min":${exactNumberJson(min)},"max":${exactNumberJson(max)}}`)
  }
  shown.end()
}
