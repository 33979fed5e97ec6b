// Where programs find the description, in development; browsers get a page at `/openapi` instead,
// see `server/preview`. No route of the API begins so.
import { type Route, route } from '../http/index.ts'
import type { Description } from './describe.ts'

const OPEN = { permits: null, body: 'none', query: null } as const

/** The routes, with those that describe them: the description is made with the first request. */
export function withDescription(routes: readonly Route[]): readonly Route[] {
  let made: Promise<Description> | null = null
  const description = (): Promise<Description> => {
    made ??= import('./describe-api.ts').then(({ describeApi }) => describeApi())
    return made
  }
  const answer = async () => ({ status: 200, body: await description() })
  return [
    ...routes,
    route('GET', '/openapi.json', OPEN, answer),
    route('GET', '/openapi', OPEN, answer),
  ]
}
