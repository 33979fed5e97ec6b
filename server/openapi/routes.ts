// Serves the description to programs in development mode; browsers get a page at `/openapi`
// instead, see `server/preview`. No route of the API starts with this path.

import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import type { Description } from './describe.ts'

const OPEN = { permits: null, body: 'none', query: null } as const

/**
 * Returns the routes with those of the description added. The description is built at the first
 * request.
 */
export function withDescription(routes: readonly Route[]): readonly Route[] {
  let built: Promise<Description> | null = null
  const description = (): Promise<Description> => {
    built ??= import('./describe-api.ts').then(({ describeApi }) => describeApi())
    return built
  }
  const answer = async () => ({ status: 200, body: await description() })
  return [
    ...routes,
    route('GET', '/openapi.json', OPEN, answer),
    route('GET', '/openapi', OPEN, answer),
  ]
}
