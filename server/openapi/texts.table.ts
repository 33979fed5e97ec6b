// The texts about the parameters and bodies of each route. `server/parse/texts` has those of
// searches and settings, which the reference shows as well.
import {
  FACET_SEARCH_TEXTS,
  FEDERATION_TEXTS,
  LISTED_SEARCH_TEXTS,
  MIN_TASK_TEXTS,
  SEARCH_TEXTS,
  SETTING_TEXTS,
  SIMILAR_TEXTS,
  SUGGEST_TEXTS,
  type Texts,
} from '../parse/texts/index.ts'

const { embedder, semanticRatio } = SEARCH_TEXTS.hybrid.members ?? {}
const { userContext } = SEARCH_TEXTS.personalize.members ?? {}

/** The members that have other names in a query string. */
const RENAMED: Texts = {
  ...(embedder && { hybridEmbedder: embedder }),
  ...(semanticRatio && { hybridSemanticRatio: semanticRatio }),
  ...(userContext && { personalizeUserContext: userContext }),
}

const MULTI_SEARCH: Texts = {
  queries: {
    about: 'The searches: parameters of a search, and the index.',
    members: { ...SEARCH_TEXTS, ...MIN_TASK_TEXTS, ...LISTED_SEARCH_TEXTS },
  },
  federation: {
    about:
      'Makes one list of all hits, by their scores. Absent or null: an answer for each search.',
    members: FEDERATION_TEXTS,
  },
}

/** Parameters of many routes. */
export const COMMON_TEXTS: Texts = { ...MIN_TASK_TEXTS }

/** By method and path, as routes are declared. */
export const TEXTS_OF_ROUTES: { readonly [route: string]: Texts } = {
  'POST /indexes/:indexUid/search': SEARCH_TEXTS,
  'GET /indexes/:indexUid/search': { ...SEARCH_TEXTS, ...RENAMED },
  'POST /indexes/:indexUid/facet-search': { ...SEARCH_TEXTS, ...FACET_SEARCH_TEXTS },
  'POST /indexes/:indexUid/similar': SIMILAR_TEXTS,
  'GET /indexes/:indexUid/similar': SIMILAR_TEXTS,
  'POST /indexes/:indexUid/suggest': SUGGEST_TEXTS,
  'GET /indexes/:indexUid/suggest': SUGGEST_TEXTS,
  'POST /multi-search': MULTI_SEARCH,
  'PATCH /indexes/:indexUid/settings': SETTING_TEXTS,
}
