// Requests of another instance of the network for documents that foreign keys name. Members alone
// may send them: the caller has checked the rights of its client.
import { jsonBody } from '../../bodies/index.ts'
import { invalidKey, route } from '../../http/index.ts'
import type { Reply, Route } from '../../http/messages/index.ts'
import { requestedShardNames } from '../../network/searches/index.ts'
import { okReply, type RouteOptions, searchContext, seeingWrites } from '../context/index.ts'
import { requireNetwork } from './network-search.ts'

const POST = { permits: 'search', body: jsonBody('networkForeign'), query: null } as const

export const networkForeignRoutes = (options: RouteOptions): readonly Route[] => [
  route('POST', '/network/foreign', POST, async (request): Promise<Reply> => {
    const { engine, instances } = options
    requireNetwork(engine.administration.features)
    if (!instances.isMember(request)) throw invalidKey()
    const { indexUid, request: step } = request.body
    if (request.caller.visible?.(indexUid) === false) throw invalidKey()
    const shardNames = requestedShardNames(engine, request.context)
    const usual = searchContext(request, engine.administration.features)
    const context = shardNames === undefined ? usual : { ...usual, shardNames }
    const parts = { indexes: [indexUid], minTask: {}, isNetwork: false }
    return seeingWrites(options, request, parts, async () =>
      okReply(await engine.queries.foreign(indexUid, step, context)),
    )
  }),
]
