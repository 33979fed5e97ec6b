// Requests of another instance of the network for documents that foreign keys name. Members alone
// may send them: the caller has checked the rights of its client.
import { jsonBody } from '../../bodies/index.ts'
import { invalidKey, route } from '../../http/index.ts'
import type { Reply, Route } from '../../http/messages/index.ts'
import { requestedShardNames } from '../../network/searches/index.ts'
import { okReply, type RouteOptions, searchContext } from '../context/index.ts'
import { requireNetwork } from './network-search.ts'

const POST = { permits: 'search', body: jsonBody('networkForeign'), query: null } as const

export const networkForeignRoutes = ({ engine, instances }: RouteOptions): readonly Route[] => [
  route('POST', '/network/foreign', POST, async (request): Promise<Reply> => {
    requireNetwork(engine.administration.features)
    if (!instances.isMember(request)) throw invalidKey()
    const { indexUid, request: step } = request.body
    if (request.caller.visible?.(indexUid) === false) throw invalidKey()
    const shardNames = requestedShardNames(engine, request.context)
    const usual = searchContext(request, engine.administration.features)
    const context = shardNames === undefined ? usual : { ...usual, shardNames }
    return okReply(await engine.queries.foreign(indexUid, step, context))
  }),
]
