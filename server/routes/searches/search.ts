// Searching an index, and its facets.
import type { AnswerState, SearchRequest } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { jsonBody } from '../../bodies/index.ts'
import { route } from '../../http/index.ts'
import type { Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import { inNoShard } from '../../network/searches/index.ts'
import { apart, type MinTask, readSearchQuery } from '../../parse/index.ts'
import { checkIndexUid } from '../../parse/schema/index.ts'
import {
  checkFilterFirst,
  checkInlineRule,
  checkOwnInstance,
  okReply,
  type RouteOptions,
  searchContext,
  seeingWrites,
} from '../context/index.ts'
import { checkCorrection, spansNetwork, usesNetwork } from './network-search.ts'
import { personalized } from './personal-order.ts'
import { narrowedSearch, withCallersFilter } from './search-filter.ts'

type OfIndex = RouteRequest<'indexUid'>

const POST = { permits: 'search', body: jsonBody('search'), query: null } as const
const GET = { permits: 'search', body: 'none', query: readSearchQuery } as const
const USE_NETWORK = { code: 'invalid_search_use_network', what: 'facets are searched' } as const
const FACETS = { permits: 'search', body: jsonBody('facetSearch'), query: null } as const

export function searchRoutes(options: RouteOptions): readonly Route[] {
  const { engine, instances } = options
  const search = (request: OfIndex, sent: SearchRequest & Partial<MinTask>): Promise<Reply> => {
    const { rest: asked, minTask } = apart(sent)
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    const isNetwork = spansNetwork(engine, asked.useNetwork)
    const parts = { indexes: [indexUid], minTask, isNetwork }
    return seeingWrites(options, request, parts, (state) => found(request, asked, state))
  }
  const found = async (
    request: OfIndex,
    asked: SearchRequest,
    state: AnswerState | undefined,
  ): Promise<Reply> => {
    const indexUid = asIndexUid(request.params.indexUid)
    checkFilterFirst(asked, indexUid, engine.administration.features)
    const isNetwork = usesNetwork(engine, asked.useNetwork)
    checkCorrection(asked)
    checkInlineRule(asked, engine.administration.features)
    const narrowed = narrowedSearch(asked, request.caller, indexUid)
    const context = searchContext(request, engine.administration.features, state)
    const { searches } = instances
    const answer =
      isNetwork && engine.network.get().remotes.size > 0
        ? await searches.search({ indexUid, request: narrowed }, context)
        : await engine.queries.search(indexUid, isNetwork ? inNoShard(narrowed) : narrowed, context)
    const { personalize, q } = asked
    return personalized(options, answer, { personalize, query: q ?? '', indexUid }, context.signal)
  }

  return [
    route('POST', '/indexes/:indexUid/search', POST, (request) => search(request, request.body)),
    route('GET', '/indexes/:indexUid/search', GET, (request) => search(request, request.query)),
    route('POST', '/indexes/:indexUid/facet-search', FACETS, async (request) => {
      const { params, caller } = request
      const { rest: body, minTask } = apart(request.body)
      const { indexUid } = params
      checkIndexUid(indexUid)
      checkOwnInstance(body.search.useNetwork, engine.administration.features, USE_NETWORK)
      const facets = { ...body, search: withCallersFilter(body.search, caller, indexUid) }
      const parts = { indexes: [indexUid], minTask, isNetwork: false }
      return seeingWrites(options, request, parts, async () => {
        const context = searchContext(request, engine.administration.features)
        return okReply(await engine.queries.facetSearch(indexUid, facets, context))
      })
    }),
  ]
}
