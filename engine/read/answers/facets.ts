// Facets of an answer (docs/search-semantics.md#facets).
import type { IdSet } from '../../../format/idset/index.ts'
import { exactNumberJson, floatText } from '../../../format/json/index.ts'
import {
  attributeOf,
  type CountingOrder,
  EngineFault,
  type FacetRequest,
} from '../../model/index.ts'
import type { FacetOrder } from '../../settings/values/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import {
  type ColumnsSegment,
  type CountedFacet,
  countedFacet,
  FacetScope,
  type FacetStats,
  type FacetSums,
} from '../facets/index.ts'
import { selectFacets } from '../filter/index.ts'
import {
  FACET_BUCKETS_MAX,
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
  /**
   * How each field of `distribution` was counted; disjunctive only if other documents count than for
   * other facets.
   */
  readonly counted: ReadonlyMap<string, CountedFacet>
}

/** The name under which the facets of a search are timed. */
export const FACETS_STEP = 'search > facet distribution'

/** Returns the fields that `requested` selects, and how. @throws EngineFault invalid_search_facets */
export const countedFacets = (
  view: SearchableView,
  requested: readonly FacetRequest[],
): readonly CountedFacet[] =>
  selectFacets(requested.map(attributeOf), view.filterRules, view.search.fields).map((field) =>
    countedFacet(requested, field),
  )

/** Returns the order of the values of a field: `requested`, or that of the settings. */
export const facetOrderOf = (
  { settings }: Pick<SearchableView, 'settings'>,
  field: string,
  requested: CountingOrder | null,
): FacetOrder => {
  if (requested !== null) return requested
  const { sortFacetValuesBy } = settings.faceting
  return sortFacetValuesBy[field] ?? sortFacetValuesBy['*'] ?? 'alpha'
}

/** Returns the order in which the values of a field are shown. */
export const shownOrderOf = (
  view: Pick<SearchableView, 'settings'>,
  field: string,
  requested: CountingOrder | null,
): CountingOrder => (facetOrderOf(view, field, requested) === 'alpha' ? 'alpha' : 'count')

export type FacetsOptions = {
  /**
   * Number of values to return for each field, most frequent first; absent to follow the `faceting`
   * settings.
   */
  readonly valuesByCount?: number | undefined
  /**
   * True if an instance adds the counts to those of other instances, so that it also needs the
   * counts of rarer values.
   */
  readonly isMerged?: boolean
  /** True if it may also subtract from them, so that values disappear. */
  readonly isDistinct?: boolean
  /**
   * Returns the segments with the values that count for a field, or null if all values do.
   * `isDisjunctive`: conditions that name only the field are left out.
   */
  readonly matching?: (field: string, isDisjunctive: boolean) => readonly ColumnsSegment[] | null
}

/**
 * `without` returns the documents over which a disjunctive facet is counted, or null if those are
 * the candidates.
 */
export function facetsOf(
  view: SearchableView,
  facets: readonly CountedFacet[],
  candidates: IdSet,
  without: (field: string) => IdSet | null,
  control: SearchControl,
  times: StepTimes,
  { valuesByCount, isMerged = false, isDistinct = false, matching }: FacetsOptions = {},
): Facets {
  const shown = valuesByCount ?? view.settings.faceting.maxValuesPerFacet
  const segments = view.view.layer(columnsLayer)
  const all = view.view.live()
  // Facets over the same documents share a scope; null stands for the candidates.
  const scopes = new Map<IdSet | null, FacetScope>()
  const counted = new Map<string, CountedFacet>()
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  const stats = new Map<string, FacetStats>()
  // Facets have a separate time limit: if ranking was cut short, its hits are shown with their
  // facets.
  const goOn = control.checkpoint(control.wholeMs, facetsTookTooLong)
  for (const facet of facets) {
    goOn()
    const { field, buckets } = facet
    const id = view.fieldId(field)
    if (id === null) continue
    const order = valuesByCount === undefined ? shownOrderOf(view, field, facet.order) : 'count'
    const sendsRarer = isMerged && (order === 'count' || isDistinct)
    const limit = sendsRarer ? Math.max(shown, SENT_FACET_VALUES_MAX) : shown
    const begun = performance.now()
    const others = facet.isDisjunctive ? without(field) : null
    const own = matching?.(field, others !== null) ?? null
    const among = others ?? candidates
    const scope =
      own === null
        ? (scopes.get(others) ?? new FacetScope(segments, among, among === all))
        : new FacetScope(own, among)
    if (own === null) scopes.set(others, scope)
    counted.set(field, { ...facet, isDisjunctive: others !== null })
    const counts =
      buckets === null
        ? scope.distribution(id, { order, limit })
        : scope.buckets(id, buckets, FACET_BUCKETS_MAX, () => tooManyBuckets(field))
    distribution.set(field, counts)
    const between = performance.now()
    const found = scope.stats(id, facet.hasSums)
    times.add(`${FACETS_STEP} > compute facet distribution`, between - begun)
    times.add(`${FACETS_STEP} > compute facet stats`, performance.now() - between)
    if (found !== null) stats.set(field, found)
  }
  return { distribution, stats, counted }
}

/** @throws EngineFault */
export function tooManyBuckets(field: string): never {
  throw new EngineFault(
    'invalid_search_facets',
    `Invalid facet distribution: \`${field}\` has numbers in more than ${FACET_BUCKETS_MAX} ` +
      'buckets.\n  - Hint: use a larger interval or a longer period, or narrow the search by a filter.',
  )
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
  { distribution, stats }: Omit<Facets, 'counted'>,
  names: readonly [distribution: string, stats: string] = ['facetDistribution', 'facetStats'],
): void {
  const fields = new MemberWriter(members.begin(names[0]))
  for (const [field, counts] of distribution) writeCounts(fields.begin(field), counts)
  fields.end()
  const shown = new MemberWriter(members.begin(names[1]))
  for (const [field, { min, max, sums }] of stats) {
    const ends = `"min":${exactNumberJson(min)},"max":${exactNumberJson(max)}`
    shown.begin(field).ascii(sums === undefined ? `{${ends}}` : `{${ends},${sumsText(sums)}}`)
  }
  shown.end()
}

const sumsText = ({ sum, count }: FacetSums): string =>
  `"avg":${floatText(sum / count)},"sum":${floatText(sum)},"count":${count}`
