// Searches the values of one facet (docs/search-semantics.md#facet-search).
//
//   checks (request, then index) → candidates (filter, and the keyword search) → values → JSON
//
// A semantic or hybrid search does not narrow the candidates; only its filter does.
import { BRACKET, BRACKET_END, COMMA } from '../../../format/bytes/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { writeJsonString } from '../../../format/json/index.ts'
import { EngineFault, type FacetSearchRequest, type SearchRequest } from '../../model/index.ts'
import { covers } from '../../settings/schema/index.ts'
import { localesOf } from '../../settings/values/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { FACET_UNITS_READ_MAX, normalizeWhole } from '../../text/index.ts'
import {
  MemberWriter,
  searchBuffer,
  shownOrderOf,
  takeAnswer,
  windowOf,
  writeValue,
} from '../answers/index.ts'
import {
  type FacetValueHit,
  type FacetValueQuery,
  type FoldedCache,
  searchFacetValues,
} from '../facets/index.ts'
import { checkFacetSearchable } from '../filter/index.ts'
import {
  type FacetSearchJob,
  isBlank,
  kindOf,
  othersWait,
  type SearchableView,
  type SearchControl,
  StepTimes,
  type TimeUp,
  type Watch,
} from '../jobs/index.ts'
import type { Window } from '../rank/index.ts'
import {
  controlOf,
  type ForeignIndexes,
  filtered,
  KeywordRetriever,
  queryVector,
  readFilter,
  readQuery,
} from '../retrieval/index.ts'
import type { Scope } from '../segment-text/index.ts'

/**
 * Returns `{facetHits, facetQuery, processingTimeMs}` as JSON.
 * @throws EngineFault, StorageError, Canceled
 */
export function runFacetSearch(
  view: SearchableView,
  job: FacetSearchJob,
  watch: Watch,
  cache: FoldedCache,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  const { facetName, facetQuery, search } = job.request
  const { settings } = view
  if (!settings.facetSearch) {
    throw new EngineFault('facet_search_disabled', 'The facet search is disabled for this index')
  }
  const kind = kindOf(search, job.features)
  const control = controlOf(view, watch)
  const tree = readFilter(search.filter, 'facetSearch', view.ref.uid, job.features, control)
  if (kind !== 'keyword') queryVector(view, search, kind)
  const scope = view.search.scope(view.ref.uid, search.attributesToSearchOn)
  checkFacetSearchable(facetName, view.filterRules, settings.displayedAttributes)
  const others = foreign?.filtersOf(view, control) ?? null
  const universe = filtered(view, tree, 'facetSearch', control, others)
  const candidates =
    kind === 'keyword' ? matchingDocuments(view, job.request, scope, universe, control) : universe
  const fieldId = view.fieldId(facetName)
  const hits =
    fieldId === null ? [] : valuesOf(view, job.request, fieldId, candidates, control, cache)
  return answer(hits, facetQuery, times)
}

/** Returns the documents that a search with the same request would count as found. */
function matchingDocuments(
  view: SearchableView,
  { search, exhaustiveFacetCount }: FacetSearchRequest,
  scope: Scope | null,
  universe: IdSet,
  control: SearchControl,
): IdSet {
  const { distinctAttribute, pagination } = view.settings
  // Only with these does the order of documents affect which of them are found.
  const isRanked = distinctAttribute !== null || search.rankingScoreThreshold !== null
  if (isBlank(search.q) && !isRanked) return universe
  const retriever = new KeywordRetriever(view, search, readQuery(view, search, scope), {
    sort: [],
    distinctField: distinctAttribute,
    withScores: false,
    control,
  })
  const window = isRanked
    ? rankedWindow(search, exhaustiveFacetCount === true, pagination.maxTotalHits)
    : { offset: 0, limit: 0, finite: false }
  return retriever.retrieve(universe, window).candidates
}

/**
 * Returns the number of hits to rank: the first page, or, for exact counts, as many as the
 * threshold needs.
 */
function rankedWindow(search: SearchRequest, isExhaustive: boolean, totalMax: number): Window {
  if (!isExhaustive) return windowOf(search, totalMax)
  return { offset: 0, limit: search.rankingScoreThreshold === null ? 0 : totalMax, finite: true }
}

function valuesOf(
  view: SearchableView,
  { facetName, facetQuery, search }: FacetSearchRequest,
  fieldId: FieldId,
  candidates: IdSet,
  control: SearchControl,
  cache: FoldedCache,
): readonly FacetValueHit[] {
  const { maxValuesPerFacet } = view.settings.faceting
  const locales = localesOf(view.settings, facetName)
  const allowedLocales = narrowed(locales, search.locales)
  return searchFacetValues(view.view.layer(columnsLayer), fieldId, candidates, {
    query: queryOf(
      view,
      facetName,
      facetQuery === null
        ? null
        : normalizeWhole(facetQuery.slice(0, FACET_UNITS_READ_MAX), allowedLocales),
    ),
    folding: {
      key: locales === null ? '' : locales.join(' '),
      fold: (text) => normalizeWhole(text, locales),
    },
    order: shownOrderOf(view, facetName, null),
    limit: maxValuesPerFacet,
    cache,
    pause: () => control.requireTime(facetSearchTookTooLong),
  })
}

const facetSearchTookTooLong = ({ ms, isPreempted }: TimeUp): EngineFault =>
  isPreempted
    ? othersWait(ms)
    : new EngineFault(
        'invalid_facet_search_facet_name',
        `Searching the values of the facet was stopped because it took longer than ${ms} ms.\n` +
          '  - Hint: search for more of the value, or among fewer documents.\n' +
          '  - Hint: the time can be raised with the setting `searchCutoffMs` of the index.',
        { kind: 'timeUp' },
      )

/** The languages of the field's rule that the request allows; a request cannot add languages. */
const narrowed = (
  rule: readonly string[] | null,
  requested: readonly string[] | null,
): readonly string[] | null =>
  rule === null || requested === null ? rule : rule.filter((locale) => requested.includes(locale))

/** `folded` is the normalized text to search for, or null to match every value. */
function queryOf(view: SearchableView, facetName: string, folded: string | null): FacetValueQuery {
  if (folded === null) return { kind: 'any' }
  const { enabled, disableOnAttributes, disableOnWords, minWordSizeForTypos } =
    view.settings.typoTolerance
  if (!enabled || disableOnAttributes.some((name) => covers(name, facetName))) {
    return { kind: 'prefix', text: folded, typosMax: 0 }
  }
  if (disableOnWords.includes(folded)) return { kind: 'whole', text: folded }
  // Measured in bytes, while words are measured in characters: two Chinese characters may have a
  // typo.
  const bytes = Buffer.byteLength(folded)
  const { oneTypo, twoTypos } = minWordSizeForTypos
  return { kind: 'prefix', text: folded, typosMax: bytes < oneTypo ? 0 : bytes < twoTypos ? 1 : 2 }
}

function answer(
  hits: readonly FacetValueHit[],
  facetQuery: string | null,
  times: StepTimes,
): Uint8Array {
  const out = searchBuffer()
  const members = new MemberWriter(out)
  members.begin('facetHits').byte(BRACKET)
  hits.forEach(({ value, count }, i) => {
    if (i > 0) out.byte(COMMA)
    const hit = new MemberWriter(out)
    writeJsonString(hit.begin('value'), value, 0, value.length)
    writeValue(hit.begin('count'), count)
    hit.end()
  })
  out.byte(BRACKET_END)
  members.value('facetQuery', facetQuery)
  members.value('processingTimeMs', times.elapsedMs())
  members.end()
  return takeAnswer(out)
}
