// Searches, facet searches and suggestions, from bodies and from query strings.
import {
  DEFAULT_SEARCH,
  type FacetSearchRequest,
  type Fusion,
  type SearchRequest,
  type SuggestRequest,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { apart, MIN_TASK_MEMBERS, MIN_TASK_PARAMETERS, type MinTask } from './min-task.ts'
import {
  countUpTo,
  filterOf,
  finishedBody,
  finishedQuery,
  flag,
  listUpTo,
  type MembersOf,
  member,
  nullable,
  object,
  type Parameter,
  type ParametersOf,
  parameter,
  type QueryReader,
  query,
  rawCountUpTo,
  rawFlag,
  rawRatio,
  rawText,
  rawTexts,
  required,
  type Schema,
  SEARCH_NAMES_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
  searchFilter,
  text,
  type WholeBody,
} from './schema/index.ts'
import {
  checkNames,
  rawFusion,
  SEARCH_MEMBERS,
  SEMANTIC_RATIO_DEFAULT,
  type ServerMember,
  UNLISTED_MEMBERS,
} from './search-members.ts'

type Sent = SearchRequest & Partial<MinTask>

const search: Schema<Sent> = object<Omit<SearchRequest, ServerMember>, MinTask>(SEARCH_MEMBERS, {
  unlisted: UNLISTED_MEMBERS,
  aside: MIN_TASK_MEMBERS,
})

/** Reads the body of a search. @throws ApiError */
export const readSearch: WholeBody<Sent> = finishedBody(search, (request) => {
  checkNames([request])
  return request
})

/** Members that a facet search shares with a search. */
const FACET_SEARCH_MEMBERS = [
  'q',
  'vector',
  'media',
  'hybrid',
  'filter',
  'matchingStrategy',
  'querySyntax',
  'attributesToSearchOn',
  'rankingScoreThreshold',
  'locales',
  'attributeWeights',
  'useNetwork',
] as const satisfies readonly (keyof SearchRequest)[]

type FlatFacetSearch = Omit<FacetSearchRequest, 'search'> &
  Pick<SearchRequest, (typeof FACET_SEARCH_MEMBERS)[number]>

const searchMembers = Object.fromEntries(
  FACET_SEARCH_MEMBERS.map((name): [string, unknown] => [name, SEARCH_MEMBERS[name]]),
) as MembersOf<Pick<SearchRequest, (typeof FACET_SEARCH_MEMBERS)[number]>>

const facetSearch: Schema<FlatFacetSearch & Partial<MinTask>> = object<FlatFacetSearch, MinTask>(
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
  { ignoreUnknown: true, aside: MIN_TASK_MEMBERS },
)

/**
 * Reads the body of a facet search. It also accepts the other members of a search, so that a client
 * can send a search's body again with a facet added. @throws ApiError
 */
export const readFacetSearch: WholeBody<FacetSearchRequest & Partial<MinTask>> = finishedBody(
  facetSearch,
  (flat) => {
    const { facetName, facetQuery, exhaustiveFacetCount, ...rest } = flat
    const { minTask, rest: request } = apart(rest)
    checkNames([request])
    const search = { ...DEFAULT_SEARCH, ...request }
    return { facetName, facetQuery, exhaustiveFacetCount, search, ...minTask }
  },
)

type FlatSearch = Omit<
  SearchRequest,
  'hybrid' | 'media' | 'personalize' | 'filter' | 'inlineRule' | 'boosts' | ServerMember
> & {
  readonly filter: string | null
  readonly hybridEmbedder: string | null
  readonly hybridSemanticRatio: number | null
  readonly hybridFusion: Fusion | null
  readonly personalizeUserContext: string | null
}

/** Members that have other names in a query string. */
const RENAMED_PARAMETERS: {
  readonly [name: string]: readonly (readonly [string, Parameter<unknown>])[]
} = {
  hybrid: [
    ['hybridEmbedder', parameter<string | null>(rawText, 'invalid_search_embedder', null)],
    [
      'hybridSemanticRatio',
      parameter<number | null>(rawRatio('semanticRatio'), 'invalid_search_semantic_ratio', null),
    ],
    ['hybridFusion', parameter<Fusion | null>(rawFusion, 'invalid_search_hybrid_query', null)],
  ],
  personalize: [
    [
      'personalizeUserContext',
      parameter<string | null>(rawText, 'invalid_search_personalize_user_context', null),
    ],
  ],
}

/** The members in the order in which messages list them. */
const SEARCH_PARAMETERS = Object.fromEntries(
  Object.entries(SEARCH_MEMBERS).flatMap(([name, { raw, code, absent }]) =>
    raw === null
      ? (RENAMED_PARAMETERS[name] ?? [])
      : [[name, parameter<unknown>(raw, code, absent.value)] as const],
  ),
) as ParametersOf<FlatSearch>

const searchQuery = query<FlatSearch, MinTask>(
  SEARCH_PARAMETERS,
  [...UNLISTED_MEMBERS, 'hybridFusion'],
  MIN_TASK_PARAMETERS,
)

/** Reads the query string of a search. @throws ApiError */
export const readSearchQuery: QueryReader<Sent> = finishedQuery(searchQuery, (flat) => {
  if (flat.hybridEmbedder === null) checkNoHybrid(flat)
  const {
    hybridEmbedder: _e,
    hybridSemanticRatio: _r,
    hybridFusion: _f,
    personalizeUserContext: _p,
    ...same
  } = flat
  return {
    ...same,
    media: null,
    inlineRule: null,
    boosts: null,
    hybrid: hybridOf(flat),
    personalize: userContextOf(flat),
    filter: flat.filter === null ? null : filterOf(flat.filter, 'invalid_search_filter'),
  }
})

const hybridOf = (flat: FlatSearch): SearchRequest['hybrid'] => {
  if (flat.hybridEmbedder === null) return null
  return {
    semanticRatio: flat.hybridSemanticRatio ?? SEMANTIC_RATIO_DEFAULT,
    embedder: flat.hybridEmbedder,
    ...(flat.hybridFusion === null ? {} : { fusion: flat.hybridFusion }),
  }
}

const userContextOf = (flat: FlatSearch): SearchRequest['personalize'] =>
  flat.personalizeUserContext === null ? null : { userContext: flat.personalizeUserContext }

const checkNoHybrid = (flat: FlatSearch): void => {
  for (const name of ['hybridSemanticRatio', 'hybridFusion'] as const) {
    if (flat[name] === null) continue
    throw new ApiError(
      'invalid_search_hybrid_query',
      `\`hybridEmbedder\` is mandatory when \`${name}\` is present`,
    )
  }
  if (flat.vector !== null) {
    throw new ApiError(
      'missing_search_hybrid',
      '`hybridEmbedder` is mandatory when `vector` is present',
    )
  }
}

/** The client's request, without the filter of the caller's token. */
export type SuggestQuery = SuggestRequest & { readonly useNetwork: boolean | null }

/** The request as it is sent. */
type FlatSuggest = Omit<SuggestQuery, 'q' | 'tags'> & {
  readonly q: string | null
  readonly highlightPreTag: string | null
  readonly highlightPostTag: string | null
}

const suggest = object<FlatSuggest, MinTask>(
  {
    q: member(nullable(text), 'invalid_suggest_q', null),
    limit: member(countUpTo(SUGGESTIONS_MAX), 'invalid_suggest_limit', SUGGESTIONS_DEFAULT),
    filter: member(searchFilter, 'invalid_suggest_filter', null),
    attributes: member(
      nullable(listUpTo(SEARCH_NAMES_MAX, 'attributes', text)),
      'invalid_suggest_attributes',
      null,
    ),
    locales: member(SEARCH_MEMBERS.locales.schema, 'invalid_suggest_locales', null),
    highlightPreTag: member(nullable(text), 'invalid_suggest_highlight_pre_tag', null),
    highlightPostTag: member(nullable(text), 'invalid_suggest_highlight_post_tag', null),
    useNetwork: member(nullable(flag), 'invalid_suggest_use_network', null),
  },
  { aside: MIN_TASK_MEMBERS },
)

/** Reads the body. @throws ApiError */
export const readSuggest: WholeBody<SuggestQuery & Partial<MinTask>> = finishedBody(
  suggest,
  suggestOf,
)

type FlatSuggestQuery = Omit<FlatSuggest, 'filter'> & { readonly filter: string | null }

const suggestQuery = query<FlatSuggestQuery, MinTask>(
  {
    q: parameter<string | null>(rawText, 'invalid_suggest_q', null),
    limit: parameter(rawCountUpTo(SUGGESTIONS_MAX), 'invalid_suggest_limit', SUGGESTIONS_DEFAULT),
    filter: parameter<string | null>(rawText, 'invalid_suggest_filter', null),
    attributes: parameter<FlatSuggest['attributes']>(rawTexts, 'invalid_suggest_attributes', null),
    locales: parameter(
      SEARCH_MEMBERS.locales.raw as Parameter<FlatSuggest['locales']>['read'],
      'invalid_suggest_locales',
      null,
    ),
    highlightPreTag: parameter<string | null>(rawText, 'invalid_suggest_highlight_pre_tag', null),
    highlightPostTag: parameter<string | null>(rawText, 'invalid_suggest_highlight_post_tag', null),
    useNetwork: parameter<boolean | null>(rawFlag, 'invalid_suggest_use_network', null),
  },
  [],
  MIN_TASK_PARAMETERS,
)

/** Reads the query string. @throws ApiError */
export const readSuggestQuery: QueryReader<SuggestQuery & Partial<MinTask>> = finishedQuery(
  suggestQuery,
  (flat) => {
    const filter = flat.filter === null ? null : filterOf(flat.filter, 'invalid_suggest_filter')
    return suggestOf({ ...flat, filter })
  },
)

/** One tag alone asks for marks, too; the other is then that of a search. */
function suggestOf({
  highlightPreTag,
  highlightPostTag,
  q,
  ...same
}: FlatSuggest & Partial<MinTask>): SuggestQuery & Partial<MinTask> {
  const pre = highlightPreTag ?? DEFAULT_SEARCH.highlightPreTag
  const post = highlightPostTag ?? DEFAULT_SEARCH.highlightPostTag
  const isMarked = highlightPreTag !== null || highlightPostTag !== null
  return { ...same, q: q ?? '', tags: isMarked ? { pre, post } : null }
}
