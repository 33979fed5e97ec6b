// What does the API look like, for programs and in a browser?
import type { Description } from './describe.ts'

export type { Description } from './describe.ts'
export { withDescription } from './routes.ts'

/** Loads what it takes when it is asked: a server that starts has no use for it. */
export async function describeApi(): Promise<Description> {
  const described = await import('./describe-api.ts')
  return described.describeApi()
}
