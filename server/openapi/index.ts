// The OpenAPI description of the API and the routes that serve it.
import type { Description } from './describe.ts'

export type { Description } from './describe.ts'
export { withDescription } from './routes.ts'

/**
 * Returns the description. Its modules are loaded at the first call, because a starting server does
 * not need them.
 */
export async function describeApi(): Promise<Description> {
  const described = await import('./describe-api.ts')
  return described.describeApi()
}
