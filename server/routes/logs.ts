// The log over HTTP: what it shows can be changed. In this release nothing is streamed.
import { ApiError } from '../errors/index.ts'
import { type Route, type Rules, route } from '../http/index.ts'
import { readLogStream, readLogTarget } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'

const CHANGE: Rules = { permits: 'metrics.get', body: 'json', query: false }
const STOP: Rules = { permits: 'metrics.get', body: 'none', query: false }

export function logRoutes({ engine, setLogTargets }: RouteOptions): readonly Route[] {
  const gate = (): void => {
    checkFeature(engine.features, 'logsRoute', 'Modifying logs through the `/logs/*` routes')
  }
  return [
    route('POST', '/logs/stream', CHANGE, async (request) => {
      readLogStream(await request.json())
      gate()
      throw new ApiError('bad_request', 'Logs cannot be streamed in this release.')
    }),
    route('DELETE', '/logs/stream', STOP, () => {
      gate()
      return { status: 204 }
    }),
    route('POST', '/logs/stderr', CHANGE, async (request) => {
      const targets = readLogTarget(await request.json())
      gate()
      setLogTargets(targets)
      return { status: 204 }
    }),
  ]
}
