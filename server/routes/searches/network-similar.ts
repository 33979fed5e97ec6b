// Requests of another instance of the network for similar documents: the vectors of a document, or
// the documents near such vectors in some shards.
import { jsonBody } from '../../bodies/index.ts'
import { invalidKey, route } from '../../http/index.ts'
import type { Reply, Route } from '../../http/messages/index.ts'
import { requestedShardNames } from '../../network/searches/index.ts'
import { okReply, type RouteOptions, searchContext, seeingWrites } from '../context/index.ts'
import { requireNetwork } from './network-search.ts'
import { withCallersFilter } from './search-filter.ts'

const POST = { permits: 'search', body: jsonBody('networkSimilar'), query: null } as const

export const networkSimilarRoutes = (options: RouteOptions): readonly Route[] => [
  route('POST', '/network/similar', POST, async (request): Promise<Reply> => {
    const { engine, instances } = options
    requireNetwork(engine.administration.features)
    if (!instances.isMember(request)) throw invalidKey()
    const { indexUid, vectors, shards, within, ...asked } = request.body
    const { caller } = request
    if (caller.visible?.(indexUid) === false) throw invalidKey()
    const shardNames = requestedShardNames(engine, request.context)
    const usual = searchContext(request, engine.administration.features)
    const context = shardNames === undefined ? usual : { ...usual, shardNames }
    const step =
      vectors === null
        ? ({ kind: 'target' } as const)
        : ({ kind: 'part', vectors, shards } as const)
    const { filter } = withCallersFilter({ filter: within }, caller, indexUid)
    const narrowed = { ...withCallersFilter(asked, caller, indexUid), within: filter, step }
    const parts = { indexes: [indexUid], minTask: {}, isNetwork: false }
    return seeingWrites(options, request, parts, async () =>
      okReply(await engine.queries.similar(indexUid, narrowed, context)),
    )
  }),
]
