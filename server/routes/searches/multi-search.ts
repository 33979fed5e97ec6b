// Several searches in one request: an answer for each, or their hits as one list.
//
// Faults are reported in this order: the body, searches of indexes that the caller may not use,
// then for each search the options that it may not use, then the faults found by the indexes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  AnswerState,
  Engine,
  FederatedSearch,
  IndexSearch,
  JsonBytes,
  Network,
  SearchContext,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { jsonBody } from '../../bodies/index.ts'
import { ApiError, toApiError } from '../../errors/index.ts'
import { invalidKey, route } from '../../http/index.ts'
import type { Caller, Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import { inNoShard, type PlacedQuery } from '../../network/searches/index.ts'
import {
  apart,
  type FederationRequest,
  type ListedSearch,
  type MinTask,
  type MultiSearch,
  type SearchOfShards,
  searchOf,
} from '../../parse/index.ts'
import {
  checkInlineRule,
  checkPersonalize,
  checkUseNetwork,
  type ReadParts,
  type RouteOptions,
  searchContext,
  seeingWrites,
} from '../context/index.ts'
import { checkFederatedQuery, checkFederationOptions, checkSingleQuery } from './federated-query.ts'
import {
  checkCorrection,
  checkRemote,
  isProxied,
  requireNetwork,
  spansNetwork,
  usesNetwork,
} from './network-search.ts'
import { personalized, personalizedResults } from './personal-order.ts'
import { narrowedSearch } from './search-filter.ts'

const POST = { permits: 'search', body: jsonBody('multiSearch'), query: null } as const

const BAD_REQUEST = 400

export function multiSearchRoutes(options: RouteOptions): readonly Route[] {
  const { engine } = options
  const canPersonalize = options.personalizer !== null
  const answers = async (
    request: Pick<RouteRequest, 'caller' | 'context'>,
    { queries, federation }: MultiSearch,
    state: AnswerState | undefined,
  ): Promise<Reply> => {
    const context = searchContext(request, engine.administration.features, state)
    if (federation === null) {
      const searches = await each(queries, (query) => {
        const plain = plainSearch(query, engine, canPersonalize)
        return { ...narrowed(plain, request.caller), isNetwork: plain.isNetwork }
      })
      return answered(async () => {
        const parts = await severalAnswers(options, searches, context)
        const orders = queries.map(({ personalize, q, indexUid }) => ({
          personalize,
          query: q ?? '',
          indexUid,
        }))
        return personalizedResults(options, parts, orders, context.signal)
      })
    }
    checkPersonalize(federation.personalize, canPersonalize)
    const answer = await federatedAnswer(options, request, { queries, federation }, { state })
    const { personalize } = federation
    const query = queries.flatMap(({ q }) => (q === null ? [] : [q])).join(', ')
    const order = { personalize, query, indexUid: null }
    return personalized(options, answer, order, context.signal)
  }
  return [
    route('POST', '/multi-search', POST, async (request): Promise<Reply> => {
      const { rest: body, minTask } = apart(request.body)
      const { queries } = body
      await requireVisible(request.caller, queries)
      const parts = readParts(queries, minTask, (query) => spansNetwork(engine, query.useNetwork))
      return seeingWrites(options, request, parts, (state) => answers(request, body, state))
    }),
  ]
}

/** Returns the parts of an answer to several searches, some of which name tasks of their own. */
export function readParts(
  queries: MultiSearch['queries'],
  minTask: Partial<MinTask>,
  isOfNetwork: (query: ListedSearch) => boolean,
): ReadParts {
  const further = queries
    .filter(({ minTaskUid = null }) => minTaskUid !== null)
    .map((query) => ({
      indexes: [query.indexUid],
      minTask: apart(query).minTask,
      isNetwork: isOfNetwork(query),
    }))
  const indexes = [...new Set(queries.map(({ indexUid }) => indexUid))]
  return { indexes, minTask, isNetwork: queries.some(isOfNetwork), further }
}

type FederatedBody = MultiSearch & { readonly federation: FederationRequest }

/** Options of an answer that another instance merges. */
type PartialOptions = Pick<SearchOfShards, 'shards' | 'callerFilters' | 'isForModel'> & {
  /** As in a search context. */
  readonly shardNames: readonly string[] | undefined
}

/** The state of an answer for a client, or the options of one for another instance. */
type AnswerOptions = { readonly state: AnswerState | undefined } | PartialOptions

/**
 * Returns the hits of several searches as one list. `partial`: as a partial answer in bytes.
 * @throws ApiError, EngineFault
 */
export async function federatedAnswer(
  { engine, instances }: RouteOptions,
  request: Pick<RouteRequest, 'caller' | 'context'>,
  { queries, federation }: FederatedBody,
  how: AnswerOptions,
): Promise<JsonBytes> {
  const { caller } = request
  const partial = 'shards' in how ? how : undefined
  const state = 'state' in how ? how.state : undefined
  const usual = searchContext(request, engine.administration.features, state)
  const shardNames = partial?.shardNames
  const named = shardNames === undefined ? usual : { ...usual, shardNames }
  // The calling instance follows foreign keys: it knows the rights of its client.
  const features = { ...engine.administration.features, foreignKeys: false }
  const context = partial === undefined ? named : { ...named, features }
  requireFacetsVisible(caller, federation)
  const network = engine.network.get()
  const shardsOf = new Map(partial?.shards.map(({ query, names }) => [query, names]))
  const proxied = isProxied(request.context)
  if (proxied) requireNetwork(engine.administration.features)
  const searches = await each(queries, (query, at) => {
    const sent = federatedSearch(query, federation, engine, network)
    const search = narrowed(sent, caller, partial?.callerFilters[at])
    return partial?.isForModel === true
      ? { ...search, request: { ...search.request, isForModel: true } }
      : search
  })
  const isAlone = searches.every(
    ({ target }) => target === null || (target === 'network' && network.remotes.size === 0),
  )
  const by = proxied || partial !== undefined ? mergerOf(request, instances) : null
  const form = partial === undefined ? 'json' : 'partial'
  const whole = by === null ? federation : { ...federation, merger: { by, form } as const }
  return answered(() =>
    isAlone
      ? engine.queries.federatedSearch(
          searches.map((one, at) => ownSearch(withShards(one, shardsOf.get(at)))),
          whole,
          context,
        )
      : instances.searches.federated(searches, whole, context),
  )
}

const mergerOf = (
  request: Pick<RouteRequest, 'caller' | 'context'>,
  instances: RouteOptions['instances'],
): 'member' | 'stranger' => (instances.isMember(request) ? 'member' : 'stranger')

/** A missing index is a fault of the body here; in other routes it is one of the path. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = toApiError(error)
    if (failure.code !== 'index_not_found') throw error
    throw new ApiError(failure.code, failure.message, BAD_REQUEST, { cause: error })
  }
}

/** @throws ApiError invalid_api_key */
export async function requireVisible(
  { visible }: Caller,
  queries: readonly ListedSearch[],
): Promise<void> {
  if (visible === null) return
  await each(queries, ({ indexUid }) => {
    if (!visible(indexUid)) throw invalidKey()
  })
}

/** Facets reveal as much of an index as a search does. @throws ApiError invalid_api_key */
function requireFacetsVisible({ visible }: Caller, { facetsByIndex }: FederationRequest): void {
  if (visible === null) return
  for (const uid of Object.keys(facetsByIndex)) {
    if (!visible(asIndexUid(uid))) throw inside(`.federation.facetsByIndex.${uid}`, invalidKey())
  }
}

/** Searches processed before other work runs: less than a millisecond. */
const SLICE = 50

/** Calls a function for each search; an error gets the position of its search. */
async function each<T, Q extends ListedSearch>(
  queries: readonly Q[],
  work: (query: Q, at: number) => T,
): Promise<T[]> {
  const done: T[] = []
  for (const [at, query] of queries.entries()) {
    if (at > 0 && at % SLICE === 0) await nextTurn()
    try {
      done.push(work(query, at))
    } catch (error) {
      throw error instanceof ApiError ? inside(`.queries[${at}]`, error) : error
    }
  }
  return done
}

const inside = (place: string, { code, message }: ApiError): ApiError =>
  new ApiError(code, `Inside \`${place}\`: ${message}`)

const narrowed = <S extends IndexSearch>(search: S, caller: Caller, callerFilters = 0): S => ({
  ...search,
  request: narrowedSearch(search.request, caller, search.indexUid, callerFilters),
})

function plainSearch(
  query: ListedSearch & Partial<MinTask>,
  engine: Engine,
  canPersonalize: boolean,
): IndexSearch & { readonly isNetwork: boolean } {
  checkSingleQuery(query)
  const isNetwork = usesNetwork(engine, query.useNetwork)
  checkCorrection(query)
  checkInlineRule(query, engine.administration.features)
  checkPersonalize(query.personalize, canPersonalize)
  return { indexUid: query.indexUid, request: searchOf(query), ...minTaskIn(query), isNetwork }
}

/** Returns the task that a search names, as a member of it. */
const minTaskIn = ({ minTaskUid = null }: Partial<MinTask>): Pick<IndexSearch, 'minTaskUid'> =>
  minTaskUid === null ? {} : { minTaskUid }

function federatedSearch(
  query: ListedSearch & Partial<MinTask>,
  federation: FederationRequest,
  engine: Engine,
  network: Network,
): PlacedQuery {
  checkFederatedQuery(query, federation)
  const remote = query.federationOptions?.remote ?? null
  checkUseNetwork(query.useNetwork, engine.administration.features)
  checkInlineRule(query, engine.administration.features)
  checkFederationOptions(query, engine.administration.features)
  const { weight = 1, queryPosition = null } = query.federationOptions ?? {}
  if (remote !== null) checkRemote(network, remote)
  const isNetwork = remote === null && usesNetwork(engine, query.useNetwork)
  checkCorrection(query)
  const target = remote === null ? (isNetwork ? 'network' : null) : { remote }
  const { indexUid } = query
  const request = searchOf(query)
  return { indexUid, request, ...minTaskIn(query), weight, queryPosition, target }
}

const withShards = (search: PlacedQuery, shards: readonly string[] | undefined): PlacedQuery =>
  shards === undefined ? search : { ...search, request: { ...search.request, shards } }

/** Without a known network, this instance answers alone, and not on behalf of the network. */
const ownSearch = ({ target, ...search }: PlacedQuery): FederatedSearch =>
  target === 'network' ? { ...search, request: inNoShard(search.request) } : search

type PlainSearch = IndexSearch & { readonly isNetwork: boolean }

/** Returns one answer per search, in order. Searches of this instance alone run together. */
async function severalAnswers(
  { engine, instances }: RouteOptions,
  searches: readonly PlainSearch[],
  context: SearchContext,
): Promise<readonly Uint8Array[]> {
  if (searches.every(({ isNetwork }) => !isNetwork))
    return engine.queries.multiSearch(searches, context)
  const hasOthers = engine.network.get().remotes.size > 0
  const places = searches.flatMap(({ isNetwork }, at) => (isNetwork && hasOthers ? [at] : []))
  const ofAll = instances.searches.several(
    places.map((at) => plainOf(searches[at]!)),
    places,
    context,
  )
  const answers = await Promise.all(
    searches.map(async ({ isNetwork, ...search }, at) => {
      const place = places.indexOf(at)
      if (place >= 0) return (await ofAll)[place]!
      const request = isNetwork ? inNoShard(search.request) : search.request
      const pieces = await engine.queries.multiSearch([{ ...search, request }], context)
      const whole = Buffer.concat(pieces)
      return whole.subarray(RESULTS_BEGIN.length, whole.length - RESULTS_END.length)
    }),
  )
  const parts = answers.flatMap((answer, at) => [at === 0 ? RESULTS_BEGIN : COMMA, answer])
  return [Buffer.concat([...parts, RESULTS_END])]
}

const plainOf = ({ isNetwork: _, ...search }: PlainSearch): IndexSearch => search

const RESULTS_BEGIN = Buffer.from('{"results":[')
const RESULTS_END = Buffer.from(']}')
const COMMA = Buffer.from(',')
