// The members of a search, one by one: what they hold, their codes, and what stands for them when
// absent. Searches, facet searches and queries of a multi-search are made of them.
import {
  LOCALES,
  localeCode,
  type MatchingStrategy,
  type SearchRequest,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import {
  anything,
  checked,
  count,
  flag,
  float,
  type Kind,
  list,
  type MembersOf,
  member,
  nullable,
  object,
  oneOf,
  ratio,
  required,
  searchFilter,
  text,
  texts,
} from './kinds.ts'
import { SEARCH_NAMES_MAX } from './limits.ts'
import { shaped, shapeOf } from './shape.ts'

export const MATCHING_STRATEGIES = ['last', 'all', 'frequency'] as const satisfies readonly [
  MatchingStrategy,
  MatchingStrategy,
  MatchingStrategy,
]

export const SEARCH_LIMIT_DEFAULT = 20
export const CROP_LENGTH_DEFAULT = 10
export const CROP_MARKER_DEFAULT = '…'
export const PRE_TAG_DEFAULT = '<em>'
export const POST_TAG_DEFAULT = '</em>'
export const SEMANTIC_RATIO_DEFAULT = 0.5

type Hybrid = NonNullable<SearchRequest['hybrid']>

export const hybrid: Kind<Hybrid> = object<Hybrid>({
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
export const locales: Kind<readonly string[]> = list(
  checked(oneOf(LOCALES), (code) => localeCode(code) ?? code),
)

const floats = list(float)
/** Of one query. */
const vector: Kind<Float64Array> = (value) => Float64Array.from(floats(value))
shaped(vector, () => shapeOf(floats))

const orNullText = nullable(text)
const orNullTexts = nullable(texts)
const orNullCount = nullable(count)

/** In the order in which messages list them. */
export const SEARCH_MEMBERS: MembersOf<Omit<SearchRequest, 'network'>> = {
  q: member(orNullText, 'invalid_search_q', null),
  offset: member(count, 'invalid_search_offset', 0),
  limit: member(count, 'invalid_search_limit', SEARCH_LIMIT_DEFAULT),
  page: member(orNullCount, 'invalid_search_page', null),
  hitsPerPage: member(orNullCount, 'invalid_search_hits_per_page', null),
  attributesToRetrieve: member(orNullTexts, 'invalid_search_attributes_to_retrieve', null),
  attributesToCrop: member(orNullTexts, 'invalid_search_attributes_to_crop', null),
  cropLength: member(count, 'invalid_search_crop_length', CROP_LENGTH_DEFAULT),
  cropMarker: member(text, 'invalid_search_crop_marker', CROP_MARKER_DEFAULT),
  attributesToHighlight: member(orNullTexts, 'invalid_search_attributes_to_highlight', null),
  highlightPreTag: member(text, 'invalid_search_highlight_pre_tag', PRE_TAG_DEFAULT),
  highlightPostTag: member(text, 'invalid_search_highlight_post_tag', POST_TAG_DEFAULT),
  showMatchesPosition: member(flag, 'invalid_search_show_matches_position', false),
  filter: member(searchFilter, 'invalid_search_filter', null),
  sort: member(orNullTexts, 'invalid_search_sort', null),
  distinct: member(orNullText, 'invalid_search_distinct', null),
  facets: member(orNullTexts, 'invalid_search_facets', null),
  matchingStrategy: member(
    oneOf(MATCHING_STRATEGIES),
    'invalid_search_matching_strategy',
    MATCHING_STRATEGIES[0],
  ),
  attributesToSearchOn: member(orNullTexts, 'invalid_search_attributes_to_search_on', null),
  rankingScoreThreshold: member(
    nullable(ratio('rankingScoreThreshold')),
    'invalid_search_ranking_score_threshold',
    null,
  ),
  locales: member(nullable(locales), 'invalid_search_locales', null),
  hybrid: member(nullable(hybrid), 'invalid_search_hybrid_query', null),
  vector: member(nullable(vector), 'invalid_search_vector', null),
  retrieveVectors: member(flag, 'invalid_search_retrieve_vectors', false),
  media: member(anything, 'invalid_search_media', null),
  personalize: member(nullable(personalize), 'invalid_search_personalize', null),
  useNetwork: member(nullable(flag), 'invalid_search_use_network', null),
  showRankingScore: member(flag, 'invalid_search_show_ranking_score', false),
  showRankingScoreDetails: member(flag, 'invalid_search_show_ranking_score_details', false),
  showPerformanceDetails: member(flag, 'invalid_search_show_performance_details', false),
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

/** Refuses searches whose lists hold too many names, all together. @throws ApiError bad_request */
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

/** A search without anything asked for. */
export const EMPTY_SEARCH: SearchRequest = Object.fromEntries(
  Object.entries(SEARCH_MEMBERS).map(([name, { absent }]) => [
    name,
    'value' in absent ? absent.value : null,
  ]),
) as SearchRequest
