// Documents similar to a given one.
import { jsonBody } from '../bodies/index.ts'
import { type Reply, type Route, type RouteRequest, route } from '../http/index.ts'
import { networkSimilar } from '../network/searches/index.ts'
import { checkIndexUid, type SimilarQuery, similarQueryReader } from '../parse/index.ts'
import { searchContext } from './metadata.ts'
import { usesNetwork } from './network-search.ts'
import type { RouteOptions } from './options.ts'
import { withCallersFilter } from './search-filter.ts'
import { okReply } from './views.ts'

export function similarRoutes({ engine, instances }: RouteOptions): readonly Route[] {
  const similar = async (
    request: RouteRequest<'indexUid'>,
    { useNetwork, ...query }: SimilarQuery,
  ): Promise<Reply> => {
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    const isNetwork = usesNetwork(engine, useNetwork) && engine.network.get().remotes.size > 0
    const { filter: within } = withCallersFilter({ filter: null }, request.caller, indexUid)
    const narrowed = { ...withCallersFilter(query, request.caller, indexUid), within }
    const context = searchContext(request, engine.features)
    return okReply(
      isNetwork
        ? await networkSimilar(instances.searches, indexUid, narrowed, context)
        : await engine.similar(indexUid, narrowed, context),
    )
  }

  const hasNetwork = (): boolean => engine.features.network
  const body = jsonBody('similar', () => [hasNetwork()])
  const POST = { permits: 'search', body, query: null } as const
  const GET = { permits: 'search', body: 'none', query: similarQueryReader(hasNetwork) } as const
  return [
    route('POST', '/indexes/:indexUid/similar', POST, (request) => similar(request, request.body)),
    route('GET', '/indexes/:indexUid/similar', GET, (request) => similar(request, request.query)),
  ]
}
