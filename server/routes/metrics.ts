// How the server is doing, in the text format of Prometheus.
import type { DatabaseStats } from '../../engine/api.ts'
import { ApiError } from '../errors/index.ts'
import { type Route, route } from '../http/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'

export const metricsRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('GET', '/metrics', { permits: 'metrics.get', body: 'none', query: false }, ({ caller }) => {
    checkFeature(engine.features, 'metrics', 'Getting metrics')
    if (caller.visible !== null) {
      throw new ApiError(
        'invalid_api_key',
        'The provided API key is invalid. The API key for the `/metrics` route must allow ' +
          'access to all indexes.',
      )
    }
    const body = metricsText(engine.stats(null))
    return { status: 200, body, contentType: 'text/plain; version=0.0.4' }
  }),
]

function metricsText(stats: DatabaseStats): string {
  const indexes = [...stats.indexes]
  const isIndexing = indexes.some(([, index]) => index.isIndexing)
  const lastUpdate = stats.lastUpdate === null ? 0 : Math.floor(stats.lastUpdate / 1_000_000)
  const documents = indexes.map(
    ([uid, { numberOfDocuments }]) => [`{index="${uid}"}`, numberOfDocuments] as const,
  )
  return [
    gauge('svc_db_size_bytes', 'Bytes of the database', [['', stats.databaseSize]]),
    gauge('svc_used_db_size_bytes', 'Bytes in use', [['', stats.usedDatabaseSize]]),
    gauge('svc_index_count', 'Indexes', [['', indexes.length]]),
    gauge('svc_index_docs_count', 'Documents of an index', documents),
    gauge('svc_last_update', 'Seconds since 1970 of the last change', [['', lastUpdate]]),
    gauge('svc_is_indexing', 'Whether an index is being written', [['', isIndexing ? 1 : 0]]),
  ].join('')
}

/** `values`: labels in braces, or nothing, and what they hold. */
function gauge(
  name: string,
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`
}
