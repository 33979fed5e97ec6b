// The members of a search, one by one: their form in a body and in a query string, their codes, and
// their defaults. It is the only list of them besides the type of a request, against which the
// compiler checks it. The schemas of searches, facet searches and multi-searches are built from it.

import {
  LOCALES,
  LOCALES_BY_ALPHABET,
  localeCode,
  type MatchingStrategy,
  type SearchRequest,
} from '../../engine/index.ts'
import * as json from '../../format/schema/index.ts'
import { ApiError, type ErrorCode } from '../errors/index.ts'
import {
  anything,
  checked,
  count,
  flag,
  float,
  floatOf,
  invalid,
  list,
  type Member,
  member,
  nullable,
  object,
  oneOf,
  type ParameterReader,
  pieces,
  ratio,
  rawCount,
  rawFlag,
  rawOneOf,
  rawRatio,
  rawSort,
  rawText,
  rawTexts,
  required,
  type Schema,
  SEARCH_NAMES_MAX,
  schemaOf,
  searchFilter,
  text,
  texts,
  withSchema,
} from './schema/index.ts'

export const MATCHING_STRATEGIES = ['last', 'all', 'frequency'] as const satisfies readonly [
  MatchingStrategy,
  MatchingStrategy,
  MatchingStrategy,
]

export const SEARCH_LIMIT_DEFAULT = 20
const CROP_LENGTH_DEFAULT = 10
const CROP_MARKER_DEFAULT = '…'
const PRE_TAG_DEFAULT = '<em>'
const POST_TAG_DEFAULT = '</em>'
export const SEMANTIC_RATIO_DEFAULT = 0.5

type Hybrid = NonNullable<SearchRequest['hybrid']>

const hybrid: Schema<Hybrid> = object<Hybrid>({
  semanticRatio: member(
    ratio('semanticRatio'),
    'invalid_search_semantic_ratio',
    SEMANTIC_RATIO_DEFAULT,
  ),
  embedder: required(text, 'invalid_search_embedder'),
})

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
type SearchMember<T> = Member<T> & {
  readonly code: ErrorCode
  readonly absent: { readonly value: T }
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

/** The compiler requires each member of a request, with its type. */
type SearchMembers = {
  readonly [K in keyof Omit<SearchRequest, ServerMember>]-?: SearchMember<SearchRequest[K]>
}

const searchMember = <T>(
  schema: Schema<T>,
  raw: ParameterReader<T> | null,
  code: ErrorCode,
  value: T,
): SearchMember<T> => ({ schema, raw, code, absent: { value } })

/** In the order in which messages list them. */
export const SEARCH_MEMBERS: SearchMembers = {
  q: searchMember(orNullText, rawText, 'invalid_search_q', null),
  offset: searchMember(count, rawCount, 'invalid_search_offset', 0),
  limit: searchMember(count, rawCount, 'invalid_search_limit', SEARCH_LIMIT_DEFAULT),
  page: searchMember(orNullCount, rawCount, 'invalid_search_page', null),
  hitsPerPage: searchMember(orNullCount, rawCount, 'invalid_search_hits_per_page', null),
  attributesToRetrieve: searchMember(
    orNullTexts,
    rawTexts,
    'invalid_search_attributes_to_retrieve',
    null,
  ),
  attributesToCrop: searchMember(orNullTexts, rawTexts, 'invalid_search_attributes_to_crop', null),
  cropLength: searchMember(count, rawCount, 'invalid_search_crop_length', CROP_LENGTH_DEFAULT),
  cropMarker: searchMember(text, rawText, 'invalid_search_crop_marker', CROP_MARKER_DEFAULT),
  attributesToHighlight: searchMember(
    orNullTexts,
    rawTexts,
    'invalid_search_attributes_to_highlight',
    null,
  ),
  highlightPreTag: searchMember(text, rawText, 'invalid_search_highlight_pre_tag', PRE_TAG_DEFAULT),
  highlightPostTag: searchMember(
    text,
    rawText,
    'invalid_search_highlight_post_tag',
    POST_TAG_DEFAULT,
  ),
  showMatchesPosition: searchMember(flag, rawFlag, 'invalid_search_show_matches_position', false),
  filter: searchMember(searchFilter, rawText, 'invalid_search_filter', null),
  sort: searchMember(orNullTexts, rawSort, 'invalid_search_sort', null),
  distinct: searchMember(orNullText, rawText, 'invalid_search_distinct', null),
  facets: searchMember(orNullTexts, rawTexts, 'invalid_search_facets', null),
  matchingStrategy: searchMember(
    oneOf(MATCHING_STRATEGIES),
    rawOneOf(MATCHING_STRATEGIES),
    'invalid_search_matching_strategy',
    MATCHING_STRATEGIES[0],
  ),
  attributesToSearchOn: searchMember(
    orNullTexts,
    rawTexts,
    'invalid_search_attributes_to_search_on',
    null,
  ),
  rankingScoreThreshold: searchMember(
    nullable(ratio('rankingScoreThreshold')),
    rawThreshold,
    'invalid_search_ranking_score_threshold',
    null,
  ),
  locales: searchMember(nullable(locales), rawLocales, 'invalid_search_locales', null),
  hybrid: searchMember(nullable(hybrid), null, 'invalid_search_hybrid_query', null),
  vector: searchMember(nullable(vector), rawVector, 'invalid_search_vector', null),
  retrieveVectors: searchMember(flag, rawFlag, 'invalid_search_retrieve_vectors', false),
  media: searchMember(anything, null, 'invalid_search_media', null),
  personalize: searchMember(nullable(personalize), null, 'invalid_search_personalize', null),
  useNetwork: searchMember(nullable(flag), rawFlag, 'invalid_search_use_network', null),
  showRankingScore: searchMember(flag, rawFlag, 'invalid_search_show_ranking_score', false),
  showRankingScoreDetails: searchMember(
    flag,
    rawFlag,
    'invalid_search_show_ranking_score_details',
    false,
  ),
  showPerformanceDetails: searchMember(
    flag,
    rawFlag,
    'invalid_search_show_performance_details',
    false,
  ),
}

const NAME_LISTS = [
  'attributesToRetrieve',
  'attributesToCrop',
  'attributesToHighlight',
  'attributesToSearchOn',
  'sort',
  'facets',
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

/** A search with all members at their defaults. */
export const EMPTY_SEARCH: SearchRequest = Object.fromEntries(
  Object.entries(SEARCH_MEMBERS).map(([name, { absent }]) => [name, absent.value]),
) as SearchRequest
