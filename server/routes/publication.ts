// The database that this instance publishes into an object store, or follows there.
import type { Engine } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { okReply, type RouteOptions } from './context/index.ts'

const READ = { permits: 'metrics.get', body: 'none', query: null } as const

export const publicationRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('GET', '/publication', READ, ({ caller }) => {
    if (caller.visible !== null) {
      throw new ApiError('invalid_api_key', 'The API key must allow access to all indexes.')
    }
    return okReply({
      role: roleOf(engine),
      publishes: engine.publication?.status ?? null,
      follows: followsOf(engine),
      unpublishedWrites: engine.unpublishedWrites(),
    })
  }),
]

/** `single` if it neither publishes nor follows. */
function roleOf({ follows, publication }: Engine): string {
  if (follows !== null) return 'follower'
  if (publication === null) return 'single'
  return publication.status.lease === null ? 'publisher' : 'writer'
}

function followsOf({ follows }: Engine): object | null {
  if (follows === null) return null
  const { checkedAt, ...status } = follows
  return { ...status, checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString() }
}
