// Documents that are similar to one.
import { type Reply, type Route, type RouteRequest, type Rules, route } from '../http/index.ts'
import { checkIndexUid, readSimilarQuery, type SimilarQuery } from '../parse/index.ts'
import { searchContext } from './metadata.ts'
import type { RouteOptions } from './options.ts'
import { withCallersFilter } from './search-filter.ts'
import { found } from './views.ts'

const POST: Rules = { permits: 'search', body: 'json', query: false }
const GET: Rules = { permits: 'search', body: 'none', query: true }

export function similarRoutes({ engine, bodies }: RouteOptions): readonly Route[] {
  const similar = async (
    request: RouteRequest<'indexUid'>,
    asked: SimilarQuery,
  ): Promise<Reply> => {
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    const { filter: within } = withCallersFilter({ filter: null }, request.caller, indexUid)
    const narrowed = { ...withCallersFilter(asked, request.caller, indexUid), within }
    return found(await engine.similar(indexUid, narrowed, searchContext(request, engine.features)))
  }

  return [
    route('POST', '/indexes/:indexUid/similar', POST, async (request) =>
      similar(request, await bodies.read(request, 'similar')),
    ),
    route('GET', '/indexes/:indexUid/similar', GET, (request) =>
      similar(request, readSimilarQuery(request.query)),
    ),
  ]
}
