// Documents similar to a given one.
import { jsonBody } from '../../bodies/index.ts'
import { route } from '../../http/index.ts'
import type { Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import { networkSimilar } from '../../network/searches/index.ts'
import { apart, type MinTask, type SimilarQuery, similarQueryReader } from '../../parse/index.ts'
import { checkIndexUid } from '../../parse/schema/index.ts'
import { okReply, type RouteOptions, searchContext, seeingWrites } from '../context/index.ts'
import { usesNetwork } from './network-search.ts'
import { withCallersFilter } from './search-filter.ts'

export function similarRoutes(options: RouteOptions): readonly Route[] {
  const { engine, instances } = options
  const similar = async (
    request: RouteRequest<'indexUid'>,
    sent: SimilarQuery & Partial<MinTask>,
  ): Promise<Reply> => {
    const {
      rest: { useNetwork, ...query },
      minTask,
    } = apart(sent)
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    const isNetwork = usesNetwork(engine, useNetwork) && engine.network.get().remotes.size > 0
    const { filter: within } = withCallersFilter({ filter: null }, request.caller, indexUid)
    const narrowed = { ...withCallersFilter(query, request.caller, indexUid), within }
    const parts = { indexes: [indexUid], minTask, isNetwork }
    return seeingWrites(options, request, parts, async (state) => {
      const context = searchContext(request, engine.administration.features, state)
      return okReply(
        isNetwork
          ? await networkSimilar(instances.searches, indexUid, narrowed, context)
          : await engine.queries.similar(indexUid, narrowed, context),
      )
    })
  }

  const hasNetwork = (): boolean => engine.administration.features.network
  const body = jsonBody('similar', () => [hasNetwork()])
  const POST = { permits: 'search', body, query: null } as const
  const GET = { permits: 'search', body: 'none', query: similarQueryReader(hasNetwork) } as const
  return [
    route('POST', '/indexes/:indexUid/similar', POST, (request) => similar(request, request.body)),
    route('GET', '/indexes/:indexUid/similar', GET, (request) => similar(request, request.query)),
  ]
}
