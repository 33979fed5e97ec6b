// The keyword retriever: parses a query for an index and returns its documents in the order of the
// ranking rules.
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { weightIn } from '../../settings/scoring/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import type { Token } from '../../text/index.ts'
import { Relevance, statisticsFrom, statisticsOf } from '../bm25/index.ts'
import { DistinctFilter } from '../facets/index.ts'
import type { SortTree } from '../filter/index.ts'
import { isFilterable } from '../filter-syntax/index.ts'
import {
  DISTINCT_ORDERED_MAX,
  DISTINCT_SENT_MAX,
  isBlank,
  type SearchableView,
  type SearchControl,
} from '../jobs/index.ts'
import {
  buildGraph,
  type ParsedQuery,
  parseQuery,
  QUERY_TOKENS_MAX,
  QueryGraph,
  QueryStems,
  removalGroups,
  TermSpace,
} from '../query-graph/index.ts'
import type { FieldName } from '../query-syntax/index.ts'
import {
  bucketSort,
  type Distinct,
  keywordRules,
  placeholderRules,
  type Ranking,
  type RankingRule,
  type Retriever,
  type RuleContext,
  type TieOrder,
  type Window,
} from '../rank/index.ts'
import { EVERYWHERE, type Scope } from '../segment-text/index.ts'
import { booleanQueryOf, readBoolean, sharedScope, wordsAlone } from './boolean-query.ts'
import { boostedSort } from './boosted-sort.ts'
import { withoutNegatives } from './candidates.ts'
import type { MatchingValues } from './matching-values.ts'
import type { Scales } from './scales.ts'
import { type SpelledWord, spelledWords, spellingOrder } from './spelling-order.ts'
import { sortRules } from './value-rules.ts'

/**
 * Text beyond this many UTF-16 units of a query is ignored: only ten words of a query are kept, and
 * a dictionary segmenter reads all of a text without spaces.
 */
const QUERY_UNITS_MAX = 65_536
const NOTHING: ParsedQuery = { terms: [], negativeWords: [], negativePhrases: [] }

/** A query parsed for one index. */
export type Query = {
  /** The tokens of its text; terms refer to them by number. */
  readonly tokens: readonly Token[]
  readonly parsed: ParsedQuery
  readonly space: TermSpace
  /**
   * The query graph before any narrowing; null for a query without words, whose hits are ordered by
   * values only.
   */
  readonly graph: QueryGraph | null
  readonly locales: readonly string[] | null
  readonly spelled: readonly SpelledWord[]
  /** Returns the documents of a set that a boolean query matches; null for other queries. */
  readonly matching: ((universe: IdSet) => IdSet) | null
}

/**
 * Parses the query of a request. `scope` was checked before. `prefixSearch`: whether the last word
 * may be a prefix.
 */
export function readQuery(
  view: SearchableView,
  request: Pick<SearchRequest, 'q' | 'locales'> &
    Partial<Pick<SearchRequest, 'matchingStrategy' | 'querySyntax'>>,
  scope: Scope | null,
  prefixSearch = view.settings.prefixSearch === 'indexingTime',
): Query {
  const { search } = view
  const { textIndex } = view.view
  const spaceWith = (stems: QueryStems | null, fields = scope): TermSpace =>
    new TermSpace(
      textIndex,
      search.rules,
      fields ?? EVERYWHERE,
      () => search.searchableFields(),
      stems,
    )
  const locales = search.locales(request.locales, scope)
  const { q } = request
  if (q === null || isBlank(q)) {
    const space = spaceWith(null)
    const nothing = { tokens: [], parsed: NOTHING, graph: null, spelled: [], matching: null }
    return { ...nothing, space, locales }
  }
  const asked = booleanQueryOf(view, request)
  const words = asked === null ? q : wordsAlone(q, asked)
  const text = words.slice(0, QUERY_UNITS_MAX)
  const foldsAlike = locales?.includes('jpn') === true && !search.declaresJapanese(scope)
  const tokens = search.analyzer.tokenize(text, locales, {
    foldsAlike,
    tokensMax: QUERY_TOKENS_MAX,
  })
  const stemmed = (fields: Scope | null): TermSpace => {
    const stems = search.stems(fields)
    return spaceWith(stems === null ? null : new QueryStems(stems, locales, text, tokens), fields)
  }
  const space = stemmed(scope)
  const needsAny = request.matchingStrategy === 'any'
  if (asked !== null) {
    const spaceOf = ({ name }: FieldName): TermSpace =>
      stemmed(sharedScope(scope, search.scope(view.ref.uid, [name])))
    const parts = { text, tokens, needsAny, prefixSearch, space, spaceOf }
    return { ...readBoolean(asked, parts), tokens, space, locales, spelled: [] }
  }
  const parsed = parseQuery(tokens, prefixSearch, needsAny)
  const spelled = spelledWords(text, tokens)
  const graph = buildGraph(parsed, space)
  return { tokens, parsed, space, graph, locales, spelled, matching: null }
}

/** Returns the documents that no negative word excludes, nor the tree of a boolean query. */
export const notExcluded = ({ matching, parsed, space }: Query, universe: IdSet): IdSet =>
  matching === null ? withoutNegatives(parsed, space, universe) : matching(universe)

/** Returns the documents of `universe` that match a query. */
function matched(
  query: Query,
  request: SearchRequest,
  universe: IdSet,
  { view }: SearchableView,
): IdSet {
  const { graph, matching } = query
  if (graph === null || matching !== null) return notExcluded(query, universe)
  return notExcluded(query, matchingAll(graph, request, universe, universe === view.stored()))
}

export type KeywordOptions = {
  readonly sort: SortTree
  /** As of `Prepared`. */
  readonly matching?: MatchingValues | null
  readonly distinctField: string | null
  readonly withScores: boolean
  readonly control: SearchControl
  /** The order of hits that all rules rank equal; null or absent for ascending ids. */
  readonly ties?: TieOrder | null
  /**
   * True if all documents with equal distinct values count, if they are few: another instance
   * compares them with those of others.
   */
  readonly keepsDuplicates?: boolean
  /** The documents that rules scale; null or absent without any. */
  readonly scales?: Scales | null
  /** Wraps the rules before ranking, to record their work. */
  readonly watch?: (rules: readonly RankingRule[]) => readonly RankingRule[]
}

export class KeywordRetriever implements Retriever {
  readonly #view: SearchableView
  readonly #request: SearchRequest
  readonly #query: Query
  readonly #options: KeywordOptions

  constructor(view: SearchableView, request: SearchRequest, query: Query, options: KeywordOptions) {
    this.#view = view
    this.#request = request
    this.#query = query
    this.#options = options
  }

  /** Documents that contain an excluded word are left out. @throws Canceled */
  retrieve(universe: IdSet, window: Window): Ranking {
    const { graph, space, spelled } = this.#query
    const threshold = thresholdFor(this.#request, window)
    const { control, distinctField, ties = null, watch, withScores } = this.#options
    const distinctId = distinctField === null ? null : this.#view.fieldId(distinctField)
    const rules = rulesOf(this.#view, this.#request, this.#query, this.#options)
    const found = matched(this.#query, this.#request, universe, this.#view)
    const isOfNetwork = ties !== null
    const distinct =
      distinctId === null ? null : distinctOf(this.#view, distinctId, window.finite, isOfNetwork)
    const ranked = ranking(this.#options, watch?.(rules) ?? rules, found, graph ?? NO_WORDS, {
      ...rankedPart(window, threshold, universe),
      withScores: withScores || threshold !== null,
      threshold,
      distinct,
      ties: ties ?? spellingOrder(spelled, space),
      isLate: control.isLate,
    })
    return countedPage(this.#view, ranked, window, threshold, distinctId, this.#options)
  }

  matching(universe: IdSet): IdSet | null {
    if (this.#options.distinctField !== null) return null
    if (this.#request.rankingScoreThreshold !== null) return null
    return matched(this.#query, this.#request, universe, this.#view)
  }
}

/** Ranks with the factors of boosts, if the options have any. */
export const ranking = (
  { scales }: KeywordOptions,
  ...[rules, universe, graph, options]: Parameters<typeof bucketSort>
): Ranking => {
  const factors = scales?.factors ?? null
  if (factors === null) return bucketSort(rules, universe, graph, options)
  return boostedSort(rules, universe, graph, options, factors)
}

/** The threshold for scores before the factor of `window`. */
export const thresholdFor = (
  { rankingScoreThreshold: threshold }: SearchRequest,
  { scale = 1 }: Window,
): number | null => (threshold === null ? null : threshold / scale)

/** Returns the hits to rank: all if only ranking shows which of the counted ones pass a threshold. */
export const rankedPart = (
  { offset, limit, finite }: Window,
  threshold: number | null,
  universe: IdSet,
): Pick<Window, 'offset' | 'limit'> =>
  finite && threshold !== null ? { offset: 0, limit: offset + universe.size } : { offset, limit }

/** Returns the page of a ranking of `rankedPart`, with its exact candidates if they are wanted. */
export function countedPage(
  view: SearchableView,
  ranked: Ranking,
  { offset, limit, finite }: Window,
  threshold: number | null,
  distinctId: FieldId | null,
  options: KeywordOptions,
): Ranking {
  if (!finite) return ranked
  const hits = threshold === null ? ranked.hits : ranked.hits.slice(offset, offset + limit)
  if (distinctId === null) return { ...ranked, hits }
  return { ...ranked, hits, candidates: countedOnce(view, distinctId, ranked.candidates, options) }
}

/** Returns the candidates with each distinct value once, unless another instance counts them. */
export function countedOnce(
  view: SearchableView,
  distinctId: FieldId,
  candidates: IdSet,
  { ties = null, keepsDuplicates = false }: Pick<KeywordOptions, 'ties' | 'keepsDuplicates'>,
): IdSet {
  if (keepsDuplicates && candidates.size <= DISTINCT_SENT_MAX) return candidates
  const isOrdered = ties !== null && candidates.size <= DISTINCT_ORDERED_MAX
  const inOrder = isOrdered ? ties.first(candidates, candidates.size) : candidates.toArray()
  return withoutDuplicates(view, distinctId, inOrder)
}

export const NO_WORDS = new QueryGraph([], [], [])

function rulesOf(
  view: SearchableView,
  request: SearchRequest,
  { graph, matching, space }: Query,
  options: KeywordOptions,
): RankingRule[] {
  const { search, settings } = view
  const values = sortRules(view, request, options)
  if (graph === null) return placeholderRules(settings.rankingRules, values)
  const { attributeWeights, similarity } = settings
  const weights = request.attributeWeights ?? attributeWeights
  let relevance: Relevance | null = null
  const context: RuleContext = {
    space,
    relevance: () => {
      relevance ??= new Relevance(
        space,
        graph,
        {
          ...similarity,
          weightOf: (field) =>
            search.weightOf(field) === null ? 0 : weightIn(weights, search.fields[field]!),
        },
        request.statistics === undefined
          ? statisticsOf(space.index, view.view.stored().size)
          : statisticsFrom(request.statistics, search.fields),
      )
      return relevance
    },
    weightOf: (field: FieldId) => search.weightOf(field),
    weightMax: search.weightMax,
    searchableFields: () => search.searchableFields(),
  }
  // The tree says which words are needed.
  const strategy = matching === null ? request.matchingStrategy : 'any'
  return keywordRules(settings.rankingRules, strategy, context, values)
}

/** Returns the documents with all words that the matching strategy never drops. */
function matchingAll(
  graph: QueryGraph,
  request: SearchRequest,
  universe: IdSet,
  isWhole: boolean,
): IdSet {
  const { matchingStrategy } = request
  if (matchingStrategy === 'any') return graph.anyDocs(universe)
  const removable = new Set<number>()
  for (const group of removalGroups(graph, matchingStrategy)) {
    for (const node of group) removable.add(node)
  }
  return graph.without(removable).docs(universe, isWhole)
}

export function distinctOf(
  { view, filterRules, search }: SearchableView,
  fieldId: FieldId,
  countedLater: boolean,
  isOfNetwork: boolean,
): Distinct {
  const withBlanks = isFilterable(filterRules, search.fields[fieldId]!)
  const filter = new DistinctFilter(view.layer(columnsLayer), fieldId, withBlanks)
  return {
    admit: (id) => filter.admit(id),
    excluded: () => filter.excluded(),
    countedLater,
    countsAll: countedLater && isOfNetwork,
  }
}

/**
 * Returns the first document of each value and all documents without a value; blank texts count as
 * no value here.
 */
function withoutDuplicates(
  { view }: SearchableView,
  fieldId: FieldId,
  candidates: Uint32Array,
): IdSet {
  const filter = new DistinctFilter(view.layer(columnsLayer), fieldId, false)
  return IdSet.ofSorted(candidates.filter((id) => filter.admit(id)).sort())
}
