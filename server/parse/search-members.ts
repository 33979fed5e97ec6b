// The members of a search, one by one: their form in a body and in a query string, and their codes.
// The compiler checks them against the type of a request; `DEFAULT_SEARCH` has their defaults. The
// schemas of searches, facet searches and multi-searches are built from this list.

import {
  ATTRIBUTE_WEIGHT_MAX,
  type AttributeWeights,
  DEFAULT_SEARCH,
  type Fusion,
  type Hybrid,
  LOCALES,
  LOCALES_BY_ALPHABET,
  localeCode,
  type MatchingStrategy,
  type QuerySyntax,
  type SearchRequest,
} from '../../engine/index.ts'
import * as json from '../../format/schema/index.ts'
import { ApiError, type ErrorCode } from '../errors/index.ts'
import {
  anything,
  boosts,
  checked,
  count,
  disjunctiveFacets,
  facets,
  flag,
  float,
  floatOf,
  floatUpTo,
  invalid,
  list,
  type Member,
  mapOf,
  member,
  nullable,
  object,
  oneOf,
  type ParameterReader,
  pieces,
  ratio,
  rawCount,
  rawDisjunctiveFacets,
  rawFlag,
  rawOneOf,
  rawRatio,
  rawSort,
  rawText,
  rawTexts,
  readable,
  readerOf,
  required,
  type Schema,
  SEARCH_NAMES_MAX,
  schemaOf,
  searchFilter,
  text,
  texts,
  withSchema,
} from './schema/index.ts'
import { inlineRule } from './search-rules.ts'

const LISTED_STRATEGIES = ['last', 'all', 'frequency'] as const
/** Messages do not list `any`, because existing clients compare those texts. */
const STRATEGIES = [...LISTED_STRATEGIES, 'any'] as const satisfies readonly MatchingStrategy[]
const readListed = readerOf(oneOf(LISTED_STRATEGIES))
export const matchingStrategy: Schema<MatchingStrategy> = readable(
  json.oneOf(STRATEGIES),
  (value) => (value === 'any' ? value : readListed(value)),
)
const rawListed = rawOneOf(LISTED_STRATEGIES)
const rawStrategy: ParameterReader<MatchingStrategy> = withSchema(
  (raw) => (raw === 'any' ? raw : rawListed(raw)),
  () => json.oneOf(STRATEGIES),
)

const weight: Schema<number> = floatUpTo('the weight of an attribute', ATTRIBUTE_WEIGHT_MAX)
const readWeight = readerOf(weight)

/** The weights of attributes, in a search and in the setting. */
export const attributeWeights: Schema<AttributeWeights> = mapOf(weight)

/** `title:3,*:1` in a query string. */
const rawAttributeWeights: ParameterReader<AttributeWeights> = (raw) =>
  Object.fromEntries(
    pieces(raw).map((piece) => {
      const at = piece.lastIndexOf(':')
      const found = floatOf(piece.slice(at + 1))
      if (at > 0 && found !== null) return [piece.slice(0, at), readWeight(found)]
      throw invalid(
        `expected an attribute and its weight as in \`title:3\`, but found \`${piece}\``,
      )
    }),
  )

withSchema(rawAttributeWeights, () => json.texts)

const QUERY_SYNTAXES = ['plain', 'boolean'] as const satisfies readonly QuerySyntax[]
export const querySyntax: Schema<QuerySyntax> = oneOf(QUERY_SYNTAXES)

const VALUE_SCOPES = ['all', 'match'] as const

export const SEMANTIC_RATIO_DEFAULT = 0.5

const FUSIONS = ['score', 'rrf'] as const satisfies readonly Fusion[]
export const fusion: Schema<Fusion> = oneOf(FUSIONS)
export const rawFusion: ParameterReader<Fusion> = rawOneOf(FUSIONS)

const hybrid: Schema<Hybrid> = object<Omit<Hybrid, 'fusion'>, Pick<Required<Hybrid>, 'fusion'>>(
  {
    semanticRatio: member(
      ratio('semanticRatio'),
      'invalid_search_semantic_ratio',
      SEMANTIC_RATIO_DEFAULT,
    ),
    embedder: required(text, 'invalid_search_embedder'),
  },
  { aside: { fusion: member(fusion, 'invalid_search_hybrid_query', 'score') } },
)

const personalize = object<NonNullable<SearchRequest['personalize']>>({
  userContext: required(text, 'invalid_search_personalize_user_context'),
})

/** Codes of languages, as three letters each. */
const locales: Schema<readonly string[]> = list(
  checked(oneOf(LOCALES), (code) => localeCode(code) ?? code),
)

/** The vector of one query. */
const vector: Schema<Float64Array> = checked(list(float), (found) => Float64Array.from(found))

const orNullText = nullable(text)
const orNullTexts = nullable(texts)
const orNullCount = nullable(count)

/** Like `locales` of a body, with a different message. */
const rawLocales: ParameterReader<readonly string[]> = (raw) =>
  pieces(raw).map((code) => {
    const long = localeCode(code)
    if (long !== undefined) return long
    throw invalid(
      `Unsupported locale \`${code}\`, expected one of ${LOCALES_BY_ALPHABET.join(', ')}`,
    )
  })

withSchema(rawLocales, () => json.texts)

const rawVector: ParameterReader<Float64Array> = (raw) =>
  Float64Array.from(pieces(raw), (piece) => {
    const found = floatOf(piece)
    if (found === null) throw invalid('invalid float literal')
    return found
  })

withSchema(rawVector, () => json.list(json.number))

const threshold = rawRatio('rankingScoreThreshold')
/** NaN sets no threshold, because it is neither below nor above any score. */
const rawThreshold: ParameterReader<number | null> = (raw) =>
  Number.isNaN(floatOf(raw) ?? 0) ? null : threshold(raw)
withSchema(rawThreshold, () => schemaOf(threshold))

/**
 * A member of a search: its form in a body and, as `raw`, in a query string; `raw` is null if a
 * query string has other names for it, or lacks it.
 */
type SearchForm<T> = {
  readonly schema: Schema<T>
  readonly code: ErrorCode
  readonly raw: ParameterReader<T> | null
}

/** Members that clients never send: server and engine set them. */
export type ServerMember =
  | 'network'
  | 'queryVector'
  | 'queryNumber'
  | 'isForModel'
  | 'facetValuesByCount'
  | 'shards'
  | 'callerFilters'
  | 'statistics'

/** The compiler requires each member of a request, with its type. */
type SearchForms = {
  readonly [K in keyof Omit<SearchRequest, ServerMember>]-?: SearchForm<SearchRequest[K]>
}
type SearchMembers = {
  readonly [K in keyof SearchForms]: SearchForms[K] &
    Member<SearchRequest[K]> & { readonly absent: { readonly value: SearchRequest[K] } }
}

const form = <T>(
  schema: Schema<T>,
  raw: ParameterReader<T> | null,
  code: ErrorCode,
): SearchForm<T> => ({ schema, raw, code })

/** In the order in which messages list them. */
const FORMS: SearchForms = {
  q: form(orNullText, rawText, 'invalid_search_q'),
  offset: form(count, rawCount, 'invalid_search_offset'),
  limit: form(count, rawCount, 'invalid_search_limit'),
  page: form(orNullCount, rawCount, 'invalid_search_page'),
  hitsPerPage: form(orNullCount, rawCount, 'invalid_search_hits_per_page'),
  countTotal: form(flag, rawFlag, 'invalid_search_count_total'),
  searchAfter: form(orNullText, rawText, 'invalid_search_search_after'),
  attributesToRetrieve: form(orNullTexts, rawTexts, 'invalid_search_attributes_to_retrieve'),
  attributesToCrop: form(orNullTexts, rawTexts, 'invalid_search_attributes_to_crop'),
  cropLength: form(count, rawCount, 'invalid_search_crop_length'),
  cropMarker: form(text, rawText, 'invalid_search_crop_marker'),
  attributesToHighlight: form(orNullTexts, rawTexts, 'invalid_search_attributes_to_highlight'),
  highlightPreTag: form(text, rawText, 'invalid_search_highlight_pre_tag'),
  highlightPostTag: form(text, rawText, 'invalid_search_highlight_post_tag'),
  showMatchesPosition: form(flag, rawFlag, 'invalid_search_show_matches_position'),
  filter: form(searchFilter, rawText, 'invalid_search_filter'),
  sort: form(orNullTexts, rawSort, 'invalid_search_sort'),
  distinct: form(orNullText, rawText, 'invalid_search_distinct'),
  hitsPerGroup: form(orNullCount, rawCount, 'invalid_search_hits_per_group'),
  facets: form(nullable(facets), rawTexts, 'invalid_search_facets'),
  disjunctiveFacets: form(
    nullable(disjunctiveFacets),
    rawDisjunctiveFacets,
    'invalid_search_facets',
  ),
  matchingStrategy: form(matchingStrategy, rawStrategy, 'invalid_search_matching_strategy'),
  attributesToSearchOn: form(orNullTexts, rawTexts, 'invalid_search_attributes_to_search_on'),
  rankingScoreThreshold: form(
    nullable(ratio('rankingScoreThreshold')),
    rawThreshold,
    'invalid_search_ranking_score_threshold',
  ),
  locales: form(nullable(locales), rawLocales, 'invalid_search_locales'),
  hybrid: form(nullable(hybrid), null, 'invalid_search_hybrid_query'),
  vector: form(nullable(vector), rawVector, 'invalid_search_vector'),
  retrieveVectors: form(flag, rawFlag, 'invalid_search_retrieve_vectors'),
  media: form(anything, null, 'invalid_search_media'),
  personalize: form(nullable(personalize), null, 'invalid_search_personalize'),
  useNetwork: form(nullable(flag), rawFlag, 'invalid_search_use_network'),
  showRankingScore: form(flag, rawFlag, 'invalid_search_show_ranking_score'),
  showRankingScoreDetails: form(flag, rawFlag, 'invalid_search_show_ranking_score_details'),
  showPerformanceDetails: form(flag, rawFlag, 'invalid_search_show_performance_details'),
  inlineRule: form(nullable(inlineRule), null, 'bad_request'),
  showCorrection: form(flag, rawFlag, 'invalid_search_show_correction'),
  attributeWeights: form(
    nullable(attributeWeights),
    rawAttributeWeights,
    'invalid_search_attribute_weights',
  ),
  boosts: form(nullable(boosts), null, 'invalid_search_boosts'),
  boostsNow: form(orNullCount, rawCount, 'invalid_search_boosts'),
  querySyntax: form(querySyntax, rawOneOf(QUERY_SYNTAXES), 'invalid_search_query_syntax'),
  facetScope: form(oneOf(VALUE_SCOPES), rawOneOf(VALUE_SCOPES), 'invalid_search_facets'),
  sortScope: form(oneOf(VALUE_SCOPES), rawOneOf(VALUE_SCOPES), 'invalid_search_sort'),
}

/** Members that messages do not list, because existing clients compare those texts. */
export const UNLISTED_MEMBERS: readonly (keyof SearchForms)[] = [
  'disjunctiveFacets',
  'showCorrection',
  'countTotal',
  'searchAfter',
  'attributeWeights',
  'facetScope',
  'sortScope',
  'hitsPerGroup',
  'boosts',
  'boostsNow',
  'querySyntax',
]

export const SEARCH_MEMBERS = Object.fromEntries(
  Object.entries(FORMS).map(([name, member]) => {
    const value = DEFAULT_SEARCH[name as keyof SearchForms]
    return [name, { ...member, absent: { value } }]
  }),
) as SearchMembers

const NAME_LISTS = [
  'attributesToRetrieve',
  'attributesToCrop',
  'attributesToHighlight',
  'attributesToSearchOn',
  'sort',
  'facets',
  'disjunctiveFacets',
  'locales',
] as const satisfies readonly (keyof SearchRequest)[]

/** Refuses searches whose lists contain too many names in total. @throws ApiError bad_request */
export function checkNames(
  searches: readonly Partial<Pick<SearchRequest, (typeof NAME_LISTS)[number]>>[],
): void {
  let names = 0
  for (const search of searches) {
    for (const list of NAME_LISTS) names += search[list]?.length ?? 0
  }
  if (names <= SEARCH_NAMES_MAX) return
  throw new ApiError(
    'bad_request',
    `The lists of a search hold too many names: ${names} (limit: ${SEARCH_NAMES_MAX}).`,
  )
}
