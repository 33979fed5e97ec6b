// Answers to writes wait until they may be given: while another instance could be the writer none
// is, and with `--objstore-publish sync` only after the write is published.
import type { Engine } from '../../engine/index.ts'
import type { Reply, Route } from '../http/messages/index.ts'

/** The term of the writer lease under which a write was acknowledged. */
const TERM = 'Svc-Writer-Term'
/** Actions that change nothing, besides those that end with `.get`. */
const READING: ReadonlySet<string> = new Set(['search', 'chatCompletions', 'fields.post'])
/** Routes that change nothing although their action may be one that does. */
const READING_PATHS: ReadonlySet<string> = new Set([
  '/network/foreign',
  '/network/plan',
  '/network/search',
  '/network/similar',
  '/render-template',
])

/** Returns whether requests of the route may change something. */
export const changes = ({ method, path, permits }: Route): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  permits !== null &&
  !permits.endsWith('.get') &&
  !READING.has(permits) &&
  !READING_PATHS.has(path)

export function withAcknowledgement(
  routes: readonly Route[],
  engine: Pick<Engine, 'publication'>,
): readonly Route[] {
  const { publication } = engine
  if (publication === null) return routes
  return routes.map((route) => {
    if (!changes(route)) return route
    const handle = async (request: Parameters<Route['handle']>[0]): Promise<Reply> => {
      publication.expectHeld()
      const reply = await route.handle(request)
      if (reply.status >= 300) return reply
      await publication.acknowledged(reply.status === 202)
      const term = publication.status.lease?.term
      if (term === undefined) return reply
      return { ...reply, headers: [...(reply.headers ?? []), TERM, String(term)] }
    }
    return { ...route, handle }
  })
}
