// Searching an index, and its facets.
import type { SearchContext, SearchRequest } from '../../engine/index.ts'
import { type Reply, type Route, type RouteRequest, type Rules, route } from '../http/index.ts'
import { checkIndexUid, readSearchQuery } from '../parse/index.ts'
import { checkOwnInstance, checkPersonalize, checkUseNetwork } from './gates.ts'
import { searchContext } from './metadata.ts'
import { networkSearch } from './network-search.ts'
import type { RouteOptions } from './options.ts'
import { withCallersFilter } from './search-filter.ts'
import { found } from './views.ts'

type OfIndex = RouteRequest<'indexUid'>

const POST: Rules = { permits: 'search', body: 'json', query: false }
const GET: Rules = { permits: 'search', body: 'none', query: true }

export function searchRoutes(options: RouteOptions): readonly Route[] {
  const { engine, bodies, canPersonalize, events } = options
  const search = async (request: OfIndex, asked: SearchRequest): Promise<Reply> => {
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    checkUseNetwork(asked.useNetwork, engine.features)
    checkPersonalize(asked.personalize, canPersonalize)
    if (asked.personalize !== null) events.personalizedSearch()
    const narrowed = withCallersFilter(asked, request.caller, indexUid)
    const placed = networkSearch(narrowed, engine.network.get())
    return found(await engine.search(indexUid, placed, contextOf(request)))
  }
  const contextOf = (request: OfIndex): SearchContext => searchContext(request, engine.features)

  return [
    route('POST', '/indexes/:indexUid/search', POST, async (request) =>
      search(request, await bodies.read(request, 'search')),
    ),
    route('GET', '/indexes/:indexUid/search', GET, (request) =>
      search(request, readSearchQuery(request.query)),
    ),
    route('POST', '/indexes/:indexUid/facet-search', POST, async (request) => {
      const asked = await bodies.read(request, 'facetSearch')
      const { indexUid } = request.params
      checkIndexUid(indexUid)
      checkOwnInstance(asked.search.useNetwork, engine.features)
      const narrowed = withCallersFilter(asked.search, request.caller, indexUid)
      const facets = { ...asked, search: narrowed }
      return found(await engine.facetSearch(indexUid, facets, contextOf(request)))
    }),
  ]
}
