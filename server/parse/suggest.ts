// Requests for suggestions, from bodies and from query strings.
import { DEFAULT_SEARCH, type SuggestRequest } from '../../engine/index.ts'
import { MIN_TASK_MEMBERS, MIN_TASK_PARAMETERS, type MinTask } from './min-task.ts'
import {
  countUpTo,
  filterOf,
  finishedBody,
  finishedQuery,
  flag,
  listUpTo,
  member,
  nullable,
  object,
  type Parameter,
  parameter,
  type QueryReader,
  query,
  rawCountUpTo,
  rawFlag,
  rawText,
  rawTexts,
  SEARCH_NAMES_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
  searchFilter,
  text,
  type WholeBody,
} from './schema/index.ts'
import { SEARCH_MEMBERS } from './search-members.ts'

/** The client's request, without the filter of the caller's token. */
export type SuggestQuery = SuggestRequest & { readonly useNetwork: boolean | null }

/** The request as it is sent. */
type Flat = Omit<SuggestQuery, 'q' | 'tags'> & {
  readonly q: string | null
  readonly highlightPreTag: string | null
  readonly highlightPostTag: string | null
}

const { locales } = SEARCH_MEMBERS

const suggest = object<Flat, MinTask>(
  {
    q: member(nullable(text), 'invalid_suggest_q', null),
    limit: member(countUpTo(SUGGESTIONS_MAX), 'invalid_suggest_limit', SUGGESTIONS_DEFAULT),
    filter: member(searchFilter, 'invalid_suggest_filter', null),
    attributes: member(
      nullable(listUpTo(SEARCH_NAMES_MAX, 'attributes', text)),
      'invalid_suggest_attributes',
      null,
    ),
    locales: member(locales.schema, 'invalid_suggest_locales', null),
    highlightPreTag: member(nullable(text), 'invalid_suggest_highlight_pre_tag', null),
    highlightPostTag: member(nullable(text), 'invalid_suggest_highlight_post_tag', null),
    useNetwork: member(nullable(flag), 'invalid_suggest_use_network', null),
  },
  { aside: MIN_TASK_MEMBERS },
)

/** Reads the body. @throws ApiError */
export const readSuggest: WholeBody<SuggestQuery & Partial<MinTask>> = finishedBody(
  suggest,
  finished,
)

type FlatQuery = Omit<Flat, 'filter'> & { readonly filter: string | null }

const suggestQuery = query<FlatQuery, MinTask>(
  {
    q: parameter<string | null>(rawText, 'invalid_suggest_q', null),
    limit: parameter(rawCountUpTo(SUGGESTIONS_MAX), 'invalid_suggest_limit', SUGGESTIONS_DEFAULT),
    filter: parameter<string | null>(rawText, 'invalid_suggest_filter', null),
    attributes: parameter<Flat['attributes']>(rawTexts, 'invalid_suggest_attributes', null),
    locales: parameter(
      locales.raw as Parameter<Flat['locales']>['read'],
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
    return finished({ ...flat, filter })
  },
)

/** One tag alone asks for marks, too; the other is then that of a search. */
function finished({
  highlightPreTag,
  highlightPostTag,
  q,
  ...same
}: Flat & Partial<MinTask>): SuggestQuery & Partial<MinTask> {
  const pre = highlightPreTag ?? DEFAULT_SEARCH.highlightPreTag
  const post = highlightPostTag ?? DEFAULT_SEARCH.highlightPostTag
  const isMarked = highlightPreTag !== null || highlightPostTag !== null
  return { ...same, q: q ?? '', tags: isMarked ? { pre, post } : null }
}
