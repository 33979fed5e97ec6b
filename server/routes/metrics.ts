// Metrics in the text format of Prometheus.
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { checkFeature, type RouteOptions } from './context/index.ts'

const RULES = { permits: 'metrics.get', body: 'none', query: null } as const

export const metricsRoutes = ({ engine, metrics }: RouteOptions): readonly Route[] => [
  route('GET', '/metrics', RULES, async ({ caller }) => {
    checkFeature(engine.administration.features, 'metrics', 'Getting metrics')
    if (caller.visible !== null) {
      throw new ApiError(
        'invalid_api_key',
        'The provided API key is invalid. The API key for the `/metrics` route must allow ' +
          'access to all indexes.',
      )
    }
    const body = await metrics.text()
    return { status: 200, body, contentType: 'text/plain; version=0.0.4' }
  }),
]
