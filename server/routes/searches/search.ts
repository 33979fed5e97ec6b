// Searching an index, and its facets.
import type { SearchRequest } from '../../../engine/index.ts'
import { jsonBody } from '../../bodies/index.ts'
import { route } from '../../http/index.ts'
import type { Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import { inNoShard } from '../../network/searches/index.ts'
import { readSearchQuery } from '../../parse/index.ts'
import { checkIndexUid } from '../../parse/schema/index.ts'
import {
  checkFilterFirst,
  checkInlineRule,
  checkOwnInstance,
  okReply,
  type RouteOptions,
  searchContext,
} from '../context/index.ts'
import { usesNetwork } from './network-search.ts'
import { personalized } from './personal-order.ts'
import { withCallersFilter } from './search-filter.ts'

type OfIndex = RouteRequest<'indexUid'>

const POST = { permits: 'search', body: jsonBody('search'), query: null } as const
const GET = { permits: 'search', body: 'none', query: readSearchQuery } as const
const FACETS = { permits: 'search', body: jsonBody('facetSearch'), query: null } as const

export function searchRoutes(options: RouteOptions): readonly Route[] {
  const { engine, instances } = options
  const search = async (request: OfIndex, asked: SearchRequest): Promise<Reply> => {
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    checkFilterFirst(asked, indexUid, engine.administration.features)
    const isNetwork = usesNetwork(engine, asked.useNetwork)
    checkInlineRule(asked, engine.administration.features)
    const narrowed = withCallersFilter(asked, request.caller, indexUid)
    const context = searchContext(request, engine.administration.features)
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
      const { params, body, caller } = request
      const { indexUid } = params
      checkIndexUid(indexUid)
      checkOwnInstance(body.search.useNetwork, engine.administration.features)
      const facets = { ...body, search: withCallersFilter(body.search, caller, indexUid) }
      const context = searchContext(request, engine.administration.features)
      return okReply(await engine.queries.facetSearch(indexUid, facets, context))
    }),
  ]
}
