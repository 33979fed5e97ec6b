// Several searches in one request: an answer each, or their hits as one list.
//
// What is wrong is told in this order: the body, searches of indexes that are not the caller's,
// then search by search what it asks for and should not, then what the indexes find wrong.
import {
  type Features,
  type FederatedSearch,
  featureRefusal,
  type IndexSearch,
  type Network,
} from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError, type ErrorCode, toApiError } from '../errors/index.ts'
import { type Caller, invalidKey, type Reply, type Route, route } from '../http/index.ts'
import { type FederationRequest, type ListedSearch, searchOf } from '../parse/index.ts'
import { checkPersonalize, checkUseNetwork } from './gates.ts'
import { searchContext } from './metadata.ts'
import {
  type Asked,
  askedOfNetwork,
  askedOfRemote,
  networkAnswer,
  networkSearch,
  ownPart,
} from './network-search.ts'
import type { RouteOptions } from './options.ts'
import { personalized, personalizedResults } from './personal-order.ts'
import { withCallersFilter } from './search-filter.ts'

const POST = { permits: 'search', body: jsonBody('multiSearch'), query: null } as const

const BAD_REQUEST = 400

export function multiSearchRoutes(options: RouteOptions): readonly Route[] {
  const { engine } = options
  const canPersonalize = options.personalizer !== null
  return [
    route('POST', '/multi-search', POST, async (request): Promise<Reply> => {
      const { caller, body } = request
      const { queries, federation } = body
      await requireVisible(caller, queries)
      const context = searchContext(request, engine.features)
      if (federation === null) {
        const network = engine.network.get()
        const searches = await each(queries, (query) => {
          const plain = plainSearch(query, engine.features, canPersonalize)
          const request = networkSearch(plain.request, network)
          return narrowed({ indexUid: plain.indexUid, request }, caller)
        })
        return answered(async () => {
          const parts = await engine.multiSearch(searches, context)
          const orders = queries.map(({ personalize, q, indexUid }) => ({
            personalize,
            query: q ?? '',
            indexUid,
          }))
          return personalizedResults(options, parts, orders, context.signal)
        })
      }
      checkPersonalize(federation.personalize, canPersonalize)
      requireFacetsVisible(caller, federation)
      const network = engine.network.get()
      const searches = await each(queries, (query) =>
        narrowed(federatedSearch(query, federation, engine.features, network), caller),
      )
      const asked = searches.flatMap((search) => search.asked ?? [])
      const whole =
        asked.length === 0 ? federation : { ...federation, network: networkAnswer(network, asked) }
      return answered(async () => {
        const answer = await engine.federatedSearch(searches, whole, context)
        const { personalize } = federation
        const query = queries.flatMap(({ q }) => (q === null ? [] : [q])).join(', ')
        const order = { personalize, query, indexUid: null }
        return personalized(options, answer, order, context.signal)
      })
    }),
  ]
}

/** An index that is missing is a fault of the body here, where elsewhere it is one of the path. */
async function answered(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    const failure = toApiError(error)
    if (failure.code !== 'index_not_found') throw error
    throw new ApiError(failure.code, failure.message, BAD_REQUEST, { cause: error })
  }
}

/** @throws ApiError invalid_api_key */
async function requireVisible(
  { visible }: Caller,
  queries: readonly ListedSearch[],
): Promise<void> {
  if (visible === null) return
  await each(queries, ({ indexUid }) => {
    if (!visible(indexUid)) throw invalidKey()
  })
}

/** Facets tell of an index as much as a search does. @throws ApiError invalid_api_key */
function requireFacetsVisible({ visible }: Caller, { facetsByIndex }: FederationRequest): void {
  if (visible === null) return
  for (const uid of Object.keys(facetsByIndex)) {
    if (!visible(uid)) throw inside(`.federation.facetsByIndex.${uid}`, invalidKey())
  }
}

/** Searches that are worked on before others have a turn: less than a millisecond. */
const SLICE = 50

/** Does something with each search; what it throws names the search. */
async function each<T>(
  queries: readonly ListedSearch[],
  work: (query: ListedSearch) => T,
): Promise<T[]> {
  const done: T[] = []
  for (const [at, query] of queries.entries()) {
    if (at > 0 && at % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
    try {
      done.push(work(query))
    } catch (error) {
      throw error instanceof ApiError ? inside(`.queries[${at}]`, error) : error
    }
  }
  return done
}

const inside = (place: string, { code, message }: ApiError): ApiError =>
  new ApiError(code, `Inside \`${place}\`: ${message}`)

const narrowed = <S extends IndexSearch>(search: S, caller: Caller): S => ({
  ...search,
  request: withCallersFilter(search.request, caller, search.indexUid),
})

function plainSearch(
  query: ListedSearch,
  features: Features,
  canPersonalize: boolean,
): IndexSearch {
  if (query.federationOptions !== null) {
    throw refused(
      'invalid_multi_search_federation_options',
      'Using `federationOptions` is not allowed in a non-federated search.',
      'remove `federationOptions` from the query or add `federation` to the request.',
    )
  }
  checkUseNetwork(query.useNetwork, features)
  checkPersonalize(query.personalize, canPersonalize)
  return { indexUid: query.indexUid, request: searchOf(query) }
}

function federatedSearch(
  query: ListedSearch,
  federation: FederationRequest,
  features: Features,
  network: Network,
): PlacedSearch {
  checkNoPages(query)
  checkNoFacets(query)
  checkNotPersonal(query)
  checkNoDetails(query)
  if (query.distinct !== null && federation.distinct !== null) {
    throw refused(
      'invalid_multi_search_distinct',
      'Using `distinct` options is not allowed in federated queries when it also appears in ' +
        '`.federation.distinct`.',
      `remove \`distinct\` ${FROM_EITHER}\n` +
        '  - Note: `distinct` at the query level is discouraged in federated search.',
    )
  }
  checkUseNetwork(query.useNetwork, features)
  checkOptions(query, features)
  const { weight = 1, queryPosition = null } = query.federationOptions ?? {}
  const asked = askedOf(query, network)
  const request = asked === null ? searchOf(query) : ownPart(searchOf(query), asked)
  return { indexUid: query.indexUid, request, weight, queryPosition, asked }
}

/** `asked` null: nobody but this instance is meant. */
type PlacedSearch = FederatedSearch & { readonly asked: Asked | null }

function askedOf({ federationOptions, useNetwork }: ListedSearch, network: Network): Asked | null {
  const remote = federationOptions?.remote ?? null
  if (remote !== null) return askedOfRemote(network, remote)
  return useNetwork === true && network.remotes.size > 0 ? askedOfNetwork(network) : null
}

const FROM_EITHER = 'from the query or remove `federation` from the request'

const refused = (code: ErrorCode, words: string, ...hints: readonly string[]): ApiError =>
  new ApiError(code, [words, ...hints.map((hint) => ` - Hint: ${hint}`)].join('\n'))

function checkNoPages(query: ListedSearch): void {
  const sent = (['offset', 'limit', 'page', 'hitsPerPage'] as const).find(
    (name) => query[name] !== null,
  )
  if (sent === undefined) return
  throw refused(
    'invalid_multi_search_query_pagination',
    'Using pagination options is not allowed in federated queries.',
    `remove \`${sent}\` ${FROM_EITHER}`,
    'pass `federation.limit` and `federation.offset` for pagination in federated search',
  )
}

function checkNoFacets({ facets, indexUid }: ListedSearch): void {
  if (facets === null || facets.length === 0) return
  const quoted = facets.map((facet) => JSON.stringify(facet)).join(', ')
  throw refused(
    'invalid_multi_search_query_facets',
    'Using facet options is not allowed in federated queries.',
    `remove \`facets\` ${FROM_EITHER}`,
    `pass \`federation.facetsByIndex.${indexUid}: [${quoted}]\` for facets in federated search`,
  )
}

function checkNotPersonal({ personalize }: ListedSearch): void {
  if (personalize === null) return
  throw refused(
    'invalid_multi_search_query_personalization',
    'Using `.personalize` is not allowed in federated queries.',
    `remove \`personalize\` ${FROM_EITHER}`,
    'pass `federation.personalize` for personalization in federated search',
  )
}

function checkNoDetails({ showPerformanceDetails }: ListedSearch): void {
  if (showPerformanceDetails === null) return
  throw refused(
    'invalid_multi_search_query_show_performance_details',
    'Using `.showPerformanceDetails` is not allowed in federated queries.',
    `remove \`showPerformanceDetails\` ${FROM_EITHER}`,
  )
}

/** What needs the network's feature, and what cannot be asked together. */
function checkOptions({ federationOptions, useNetwork }: ListedSearch, features: Features): void {
  const { remote = null, queryPosition = null } = federationOptions ?? {}
  if (remote !== null) {
    requireNetwork(features, 'Performing a remote federated search')
    if (useNetwork === true) throw new ApiError(...REMOTE_AND_NETWORK)
  }
  if (queryPosition !== null) {
    requireNetwork(features, 'Using `federationOptions.queryPosition`')
  }
}

const REMOTE_AND_NETWORK = [
  'invalid_multi_search_federation_options',
  'Using `.useNetwork` is not allowed as the same time as `.federationOptions.remote`.\n' +
    '  - Hint: to perform an explicit query against a remote, remove `.useNetwork`.\n' +
    '  - Hint: to automatically perform queries against the entire network, remove ' +
    '`.federationOptions.remote`.',
] as const satisfies readonly [ErrorCode, string]

/** @throws ApiError feature_not_enabled */
function requireNetwork(features: Features, action: string): void {
  if (features.network) return
  throw new ApiError('feature_not_enabled', featureRefusal('network', action))
}
