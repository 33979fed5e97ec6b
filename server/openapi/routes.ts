// Where a browser and programs find the description, in development. No route of the API begins so.
import { type Route, route } from '../http/index.ts'
import type { Description } from './describe.ts'

const OPEN = { permits: null, body: 'none', query: null } as const
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"

/** The routes, with those that describe them: the description is made when it is asked for. */
export function withDescription(routes: readonly Route[]): readonly Route[] {
  let made: Promise<Description> | null = null
  const description = (): Promise<Description> => {
    made ??= import('./describe-api.ts').then(({ describeApi }) => describeApi())
    return made
  }
  return [
    ...routes,
    route('GET', '/openapi.json', OPEN, async () => ({ status: 200, body: await description() })),
    route('GET', '/openapi', OPEN, async () => {
      const { pageOf } = await import('./page.ts')
      return {
        status: 200,
        body: pageOf(await description()),
        contentType: 'text/html; charset=utf-8',
        headers: ['Content-Security-Policy', POLICY, 'X-Content-Type-Options', 'nosniff'],
      }
    }),
  ]
}
