// The instance as a whole: health, version, statistics.

import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { readStatsQuery } from '../parse/index.ts'
import { checkIndexUid } from '../parse/schema/index.ts'
import { indexStatsView, okReply, type RouteOptions, statsView } from './context/index.ts'

const OPEN = { permits: null, body: 'none', query: null } as const
const VERSION = { permits: 'version', body: 'none', query: null } as const
const STATS = { permits: 'stats.get', body: 'none', query: readStatsQuery } as const

const HISTORY = { permits: 'stats.get', body: 'none', query: null } as const

export const instanceRoutes = ({ engine, history, release }: RouteOptions): readonly Route[] => [
  route('GET', '/', OPEN, () => okReply({ status: 'Svc is running' })),
  route('GET', '/health', OPEN, () => {
    if (engine.tasks.needsRestart) return { status: 500, body: { status: 'mustRestart' } }
    const message = engine.administration.storageProblem()
    if (message === null) return okReply({ status: 'available' })
    return { status: 503, body: { status: 'unavailable', message } }
  }),
  route('GET', '/version', VERSION, () =>
    okReply({
      commitSha: release.commitSha,
      commitDate: release.commitDate,
      pkgVersion: release.version,
    }),
  ),
  route('GET', '/stats', STATS, ({ query, caller }) =>
    okReply(statsView(engine.administration.stats(caller.visible), query)),
  ),
  route('GET', '/stats/history', HISTORY, ({ caller }) => okReply(history.view(caller.visible))),
  route('GET', '/indexes/:indexUid/stats', STATS, ({ params, query }) => {
    checkIndexUid(params.indexUid)
    return okReply(indexStatsView(engine.documents.indexStats(params.indexUid), query))
  }),
]
