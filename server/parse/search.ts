// Searches and facet searches, from bodies and from query strings.
import {
  type FacetSearchRequest,
  LOCALES_BY_ALPHABET,
  localeCode,
  type SearchRequest,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { finishedBody, type WholeBody } from './body.ts'
import { filterOf } from './filter.ts'
import {
  flag,
  invalid,
  type Kind,
  type MembersOf,
  member,
  nullable,
  object,
  required,
  text,
} from './kinds.ts'
import {
  finishedQuery,
  floatOf,
  type ParameterKind,
  type ParametersOf,
  parameter,
  pieces,
  type QueryReader,
  query,
  rawCount,
  rawFlag,
  rawOneOf,
  rawRatio,
  rawText,
  rawTexts,
} from './query.ts'
import {
  CROP_LENGTH_DEFAULT,
  CROP_MARKER_DEFAULT,
  checkNames,
  EMPTY_SEARCH,
  MATCHING_STRATEGIES,
  POST_TAG_DEFAULT,
  PRE_TAG_DEFAULT,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_MEMBERS,
  SEMANTIC_RATIO_DEFAULT,
} from './search-members.ts'
import { shaped, shapeOf } from './shape.ts'
import { rawSort } from './sort.ts'

const search: Kind<SearchRequest> = object(SEARCH_MEMBERS)

/** The body of a search. @throws ApiError */
export const readSearch: WholeBody<SearchRequest> = finishedBody(search, (asked) => {
  checkNames([asked])
  return asked
})

/** What a facet search knows of a search. */
const FACET_SEARCH_MEMBERS = [
  'q',
  'vector',
  'media',
  'hybrid',
  'filter',
  'matchingStrategy',
  'attributesToSearchOn',
  'rankingScoreThreshold',
  'locales',
  'useNetwork',
] as const satisfies readonly (keyof SearchRequest)[]

type FlatFacetSearch = Omit<FacetSearchRequest, 'search'> &
  Pick<SearchRequest, (typeof FACET_SEARCH_MEMBERS)[number]>

const searchMembers = Object.fromEntries(
  FACET_SEARCH_MEMBERS.map((name) => [name, SEARCH_MEMBERS[name]]),
) as MembersOf<Pick<SearchRequest, (typeof FACET_SEARCH_MEMBERS)[number]>>

const facetSearch: Kind<FlatFacetSearch> = object<FlatFacetSearch>(
  {
    facetQuery: member(nullable(text), 'invalid_facet_search_query', null),
    facetName: required(text, 'invalid_facet_search_facet_name', 'missing_facet_search_facet_name'),
    ...searchMembers,
    exhaustiveFacetCount: member(
      nullable(flag),
      'invalid_facet_search_exhaustive_facet_count',
      null,
    ),
  },
  { ignoreUnknown: true },
)

/**
 * The body of a facet search: a search's body may be sent again with a facet added. @throws
 * ApiError
 */
export const readFacetSearch: WholeBody<FacetSearchRequest> = finishedBody(facetSearch, (flat) => {
  const { facetName, facetQuery, exhaustiveFacetCount, ...asked } = flat
  checkNames([asked])
  return { facetName, facetQuery, exhaustiveFacetCount, search: { ...EMPTY_SEARCH, ...asked } }
})

/** As `locales` of a body, with a message of its own. */
const rawLocales: ParameterKind<readonly string[]> = (raw) =>
  pieces(raw).map((code) => {
    const long = localeCode(code)
    if (long !== undefined) return long
    throw invalid(
      `Unsupported locale \`${code}\`, expected one of ${LOCALES_BY_ALPHABET.join(', ')}`,
    )
  })

shaped(rawLocales, () => ({ type: 'array', items: { type: 'string' } }))

const rawVector: ParameterKind<Float64Array> = (raw) =>
  Float64Array.from(pieces(raw), (piece) => {
    const found = floatOf(piece)
    if (found === null) throw invalid('invalid float literal')
    return found
  })

shaped(rawVector, () => ({ type: 'array', items: { type: 'number' } }))

const threshold = rawRatio('rankingScoreThreshold')
/** NaN, which is neither below nor above anything, sets no threshold. */
const rawThreshold: ParameterKind<number | null> = (raw) =>
  Number.isNaN(floatOf(raw) ?? 0) ? null : threshold(raw)
shaped(rawThreshold, () => shapeOf(threshold))

type FlatSearch = Omit<SearchRequest, 'hybrid' | 'media' | 'personalize' | 'filter' | 'network'> & {
  readonly filter: string | null
  readonly hybridEmbedder: string | null
  readonly hybridSemanticRatio: number | null
  readonly personalizeUserContext: string | null
}

/** In the order in which messages list them. */
const SEARCH_PARAMETERS: ParametersOf<FlatSearch> = {
  q: parameter(rawText, 'invalid_search_q', null),
  offset: parameter(rawCount, 'invalid_search_offset', 0),
  limit: parameter(rawCount, 'invalid_search_limit', SEARCH_LIMIT_DEFAULT),
  page: parameter(rawCount, 'invalid_search_page', null),
  hitsPerPage: parameter(rawCount, 'invalid_search_hits_per_page', null),
  attributesToRetrieve: parameter(rawTexts, 'invalid_search_attributes_to_retrieve', null),
  attributesToCrop: parameter(rawTexts, 'invalid_search_attributes_to_crop', null),
  cropLength: parameter(rawCount, 'invalid_search_crop_length', CROP_LENGTH_DEFAULT),
  cropMarker: parameter(rawText, 'invalid_search_crop_marker', CROP_MARKER_DEFAULT),
  attributesToHighlight: parameter(rawTexts, 'invalid_search_attributes_to_highlight', null),
  highlightPreTag: parameter(rawText, 'invalid_search_highlight_pre_tag', PRE_TAG_DEFAULT),
  highlightPostTag: parameter(rawText, 'invalid_search_highlight_post_tag', POST_TAG_DEFAULT),
  showMatchesPosition: parameter(rawFlag, 'invalid_search_show_matches_position', false),
  filter: parameter(rawText, 'invalid_search_filter', null),
  sort: parameter(rawSort, 'invalid_search_sort', null),
  distinct: parameter(rawText, 'invalid_search_distinct', null),
  facets: parameter(rawTexts, 'invalid_search_facets', null),
  matchingStrategy: parameter(
    rawOneOf(MATCHING_STRATEGIES),
    'invalid_search_matching_strategy',
    MATCHING_STRATEGIES[0],
  ),
  attributesToSearchOn: parameter(rawTexts, 'invalid_search_attributes_to_search_on', null),
  rankingScoreThreshold: parameter(rawThreshold, 'invalid_search_ranking_score_threshold', null),
  locales: parameter(rawLocales, 'invalid_search_locales', null),
  hybridEmbedder: parameter(rawText, 'invalid_search_embedder', null),
  hybridSemanticRatio: parameter(rawRatio('semanticRatio'), 'invalid_search_semantic_ratio', null),
  vector: parameter(rawVector, 'invalid_search_vector', null),
  retrieveVectors: parameter(rawFlag, 'invalid_search_retrieve_vectors', false),
  personalizeUserContext: parameter(rawText, 'invalid_search_personalize_user_context', null),
  useNetwork: parameter(rawFlag, 'invalid_search_use_network', null),
  showRankingScore: parameter(rawFlag, 'invalid_search_show_ranking_score', false),
  showRankingScoreDetails: parameter(rawFlag, 'invalid_search_show_ranking_score_details', false),
  showPerformanceDetails: parameter(rawFlag, 'invalid_search_show_performance_details', false),
}

const searchQuery = query<FlatSearch>(SEARCH_PARAMETERS)

/** The query string of a search. @throws ApiError */
export const readSearchQuery: QueryReader<SearchRequest> = finishedQuery(searchQuery, (flat) => {
  if (flat.hybridEmbedder === null) checkNoHybrid(flat)
  return {
    q: flat.q,
    vector: flat.vector,
    media: null,
    hybrid: hybridOf(flat),
    offset: flat.offset,
    limit: flat.limit,
    page: flat.page,
    hitsPerPage: flat.hitsPerPage,
    attributesToRetrieve: flat.attributesToRetrieve,
    retrieveVectors: flat.retrieveVectors,
    attributesToCrop: flat.attributesToCrop,
    cropLength: flat.cropLength,
    cropMarker: flat.cropMarker,
    attributesToHighlight: flat.attributesToHighlight,
    highlightPreTag: flat.highlightPreTag,
    highlightPostTag: flat.highlightPostTag,
    showMatchesPosition: flat.showMatchesPosition,
    showRankingScore: flat.showRankingScore,
    showRankingScoreDetails: flat.showRankingScoreDetails,
    showPerformanceDetails: flat.showPerformanceDetails,
    filter: flat.filter === null ? null : filterOf(flat.filter, 'invalid_search_filter'),
    sort: flat.sort,
    distinct: flat.distinct,
    facets: flat.facets,
    matchingStrategy: flat.matchingStrategy,
    attributesToSearchOn: flat.attributesToSearchOn,
    rankingScoreThreshold: flat.rankingScoreThreshold,
    locales: flat.locales,
    personalize: userContextOf(flat),
    useNetwork: flat.useNetwork,
  }
})

const hybridOf = (flat: FlatSearch): SearchRequest['hybrid'] => {
  if (flat.hybridEmbedder === null) return null
  return {
    semanticRatio: flat.hybridSemanticRatio ?? SEMANTIC_RATIO_DEFAULT,
    embedder: flat.hybridEmbedder,
  }
}

const userContextOf = (flat: FlatSearch): SearchRequest['personalize'] =>
  flat.personalizeUserContext === null ? null : { userContext: flat.personalizeUserContext }

const checkNoHybrid = (flat: FlatSearch): void => {
  if (flat.hybridSemanticRatio !== null) {
    throw new ApiError(
      'invalid_search_hybrid_query',
      '`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present',
    )
  }
  if (flat.vector !== null) {
    throw new ApiError(
      'missing_search_hybrid',
      '`hybridEmbedder` is mandatory when `vector` is present',
    )
  }
}
