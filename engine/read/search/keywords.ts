// The keyword half of a search: the words of a query over some documents, in the order of the
// rules.
import { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { DistinctFilter } from '../facets/index.ts'
import { isFilterable, type SortTree } from '../filter/index.ts'
import {
  buildGraph,
  type ParsedQuery,
  parseQuery,
  QueryGraph,
  removalGroups,
  TermSpace,
} from '../query/index.ts'
import {
  bucketSort,
  type Distinct,
  keywordRules,
  placeholderRules,
  type Ranking,
  type RankingRule,
} from '../rank/index.ts'
import { EVERYWHERE, type Scope } from '../segments/index.ts'
import { withoutNegatives } from './candidates.ts'
import type { SearchControl } from './control.ts'
import { isBlank } from './kind.ts'
import type { Page } from './pagination.ts'
import type { SearchableView } from './searchable-view.ts'
import { SortRules } from './value-rules.ts'

const QUERY_TOKENS_MAX = 1000
/**
 * What lies behind so many UTF-16 units of a query is not looked at: ten words of it are kept. Half
 * a megabyte without a space takes a dictionary segmenter a second.
 */
const QUERY_UNITS_MAX = 65_536
const NOTHING: ParsedQuery = { terms: [], negativeWords: [], negativePhrases: [] }

/** A query understood by one index. */
export type Query = {
  readonly parsed: ParsedQuery
  readonly space: TermSpace
  /** What it may mean, nothing narrowed yet; null: no words, so that only values order. */
  readonly graph: QueryGraph | null
  readonly locales: readonly string[] | null
}

/** @throws EngineFault never; `scope` was checked before */
export function readQuery(
  view: SearchableView,
  request: SearchRequest,
  scope: Scope | null,
): Query {
  const { search, settings } = view
  const { textIndex } = view.view
  const space = new TermSpace(textIndex, search.rules, scope ?? EVERYWHERE, () =>
    search.searchableFields(),
  )
  const locales = search.locales(request.locales, scope)
  const { q } = request
  if (q === null || isBlank(q)) return { parsed: NOTHING, space, graph: null, locales }
  const text = q.length > QUERY_UNITS_MAX ? q.slice(0, QUERY_UNITS_MAX) : q
  const tokens = search.analyzer.tokenize(text, locales, { tokensMax: QUERY_TOKENS_MAX })
  const parsed = parseQuery(tokens, settings.prefixSearch === 'indexingTime')
  return { parsed, space, graph: buildGraph(parsed, space), locales }
}

export type RankOptions = {
  readonly page: Page
  readonly sort: SortTree
  readonly distinctField: string | null
  readonly withScores: boolean
  readonly control: SearchControl
  /** Stands between the rules and the ranking, to watch them at work. */
  readonly watch?: (rules: readonly RankingRule[]) => readonly RankingRule[]
}

/** Ranks the documents of `universe`; those a query word excludes are left out. */
export function rankKeywords(
  view: SearchableView,
  request: SearchRequest,
  query: Query,
  universe: IdSet,
  options: RankOptions,
): Ranking {
  const { page, control, withScores } = options
  const { graph, space } = query
  const left = withoutNegatives(query.parsed, space, universe)
  const distinctId = options.distinctField === null ? null : view.fieldId(options.distinctField)
  // What a threshold leaves is known only when everything is ranked.
  const counted = page.finite && request.rankingScoreThreshold !== null
  const rules = rulesOf(view, request, query, options.sort)
  const ranked = bucketSort(
    options.watch?.(rules) ?? rules,
    graph === null ? left : matching(graph, request, left),
    graph ?? NO_WORDS,
    {
      offset: counted ? 0 : page.offset,
      limit: counted ? page.offset + universe.size : page.limit,
      withScores: withScores || request.rankingScoreThreshold !== null,
      threshold: request.rankingScoreThreshold,
      distinct: distinctId === null ? null : distinctOf(view, distinctId, page.finite),
      isLate: control.isLate,
    },
  )
  const ranking = counted
    ? { ...ranked, hits: ranked.hits.slice(page.offset, page.offset + page.limit) }
    : ranked
  if (distinctId === null || !page.finite) return ranking
  return { ...ranking, candidates: withoutDuplicates(view, distinctId, ranking.candidates) }
}

const NO_WORDS = new QueryGraph([], [], [])

function rulesOf(
  view: SearchableView,
  request: SearchRequest,
  { graph, space }: Query,
  sort: SortTree,
): RankingRule[] {
  const { search, settings } = view
  const values = new SortRules(view, sort)
  if (graph === null) return placeholderRules(settings.rankingRules, values)
  const context = {
    space,
    weightOf: (field: number) => search.weightOf(field),
    weightMax: search.weightMax,
    searchableFields: () => search.searchableFields(),
  }
  return keywordRules(settings.rankingRules, request.matchingStrategy, context, values)
}

/** The documents with all words that the strategy never gives up. */
function matching(graph: QueryGraph, request: SearchRequest, universe: IdSet): IdSet {
  const removable = new Set<number>()
  for (const group of removalGroups(graph, request.matchingStrategy)) {
    for (const node of group) removable.add(node)
  }
  return graph.without(removable).docs(universe)
}

function distinctOf(
  { view, filterRules, search }: SearchableView,
  fieldId: number,
  countedLater: boolean,
): Distinct {
  const withBlanks = isFilterable(filterRules, search.fields[fieldId]!)
  const filter = new DistinctFilter(view.layer(columnsLayer), fieldId, withBlanks)
  return {
    admit: (id) => filter.admit(id),
    excluded: () => filter.excluded(),
    countedLater,
  }
}

/** One document of each value, and all without one; blank texts are no value here. */
function withoutDuplicates({ view }: SearchableView, fieldId: number, candidates: IdSet): IdSet {
  const filter = new DistinctFilter(view.layer(columnsLayer), fieldId, false)
  return IdSet.ofSorted(candidates.toArray().filter((id) => filter.admit(id)))
}
