// Completions of what is typed.
import { jsonBody } from '../../bodies/index.ts'
import { route } from '../../http/index.ts'
import type { Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import { apart, type MinTask, readSuggestQuery, type SuggestQuery } from '../../parse/index.ts'
import { checkIndexUid } from '../../parse/schema/index.ts'
import {
  checkOwnInstance,
  okReply,
  type RouteOptions,
  searchContext,
  seeingWrites,
} from '../context/index.ts'
import { withCallersFilter } from './search-filter.ts'

const POST = { permits: 'search', body: jsonBody('suggest'), query: null } as const
const GET = { permits: 'search', body: 'none', query: readSuggestQuery } as const
const USE_NETWORK = { code: 'invalid_suggest_use_network', what: 'suggestions are found' } as const

export function suggestRoutes(options: RouteOptions): readonly Route[] {
  const { engine } = options
  const suggest = async (
    request: RouteRequest<'indexUid'>,
    sent: SuggestQuery & Partial<MinTask>,
  ): Promise<Reply> => {
    const {
      rest: { useNetwork, ...asked },
      minTask,
    } = apart(sent)
    const { indexUid } = request.params
    checkIndexUid(indexUid)
    const { features } = engine.administration
    checkOwnInstance(useNetwork, features, USE_NETWORK)
    const narrowed = withCallersFilter(asked, request.caller, indexUid)
    const parts = { indexes: [indexUid], minTask, isNetwork: false }
    return seeingWrites(options, request, parts, async () =>
      okReply(await engine.queries.suggest(indexUid, narrowed, searchContext(request, features))),
    )
  }
  return [
    route('POST', '/indexes/:indexUid/suggest', POST, (request) => suggest(request, request.body)),
    route('GET', '/indexes/:indexUid/suggest', GET, (request) => suggest(request, request.query)),
  ]
}
