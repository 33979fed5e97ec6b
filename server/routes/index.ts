// The routes of the API, one table per resource.
import type { Route } from '../http/messages/index.ts'
import { chatRoutes } from './chats.ts'
import type { RouteOptions } from './context/index.ts'
import { documentRoutes } from './documents.ts'
import { dumpRoutes } from './dumps.ts'
import { experimentalFeatureRoutes } from './experimental-features.ts'
import { exportRoutes } from './export.ts'
import { indexRoutes } from './indexes.ts'
import { instanceRoutes } from './instance.ts'
import { keyRoutes } from './keys.ts'
import { logRoutes } from './logs.ts'
import { mcpRoutes } from './mcp.ts'
import { metricsRoutes } from './metrics.ts'
import { networkRoutes } from './network.ts'
import { publicationRoutes } from './publication.ts'
import { renderRoutes } from './render-template.ts'
import { searchRuleRoutes } from './search-rules.ts'
import {
  multiSearchRoutes,
  networkForeignRoutes,
  networkSearchRoutes,
  networkSimilarRoutes,
  searchRoutes,
  similarRoutes,
  suggestRoutes,
} from './searches/index.ts'
import { settingRoutes } from './settings.ts'
import { snapshotRoutes } from './snapshots.ts'
import { taskRoutes } from './tasks.ts'
import { webhookRoutes } from './webhooks.ts'

export { LAUNCH_WEBHOOK } from './webhooks.ts'

export function allRoutes(options: RouteOptions): readonly Route[] {
  const routes = ownRoutes(options)
  return [...routes, ...mcpRoutes(options, routes)]
}

const ownRoutes = (options: RouteOptions): readonly Route[] => [
  ...instanceRoutes(options),
  ...indexRoutes(options),
  ...documentRoutes(options),
  ...settingRoutes(options),
  ...searchRoutes(options),
  ...multiSearchRoutes(options),
  ...similarRoutes(options),
  ...suggestRoutes(options),
  ...taskRoutes(options),
  ...experimentalFeatureRoutes(options),
  ...keyRoutes(options),
  ...exportRoutes(options),
  ...snapshotRoutes(options),
  ...dumpRoutes(options),
  ...webhookRoutes(options),
  ...searchRuleRoutes(options),
  ...metricsRoutes(options),
  ...logRoutes(options),
  ...publicationRoutes(options),
  ...networkRoutes(options),
  ...networkSearchRoutes(options),
  ...networkForeignRoutes(options),
  ...networkSimilarRoutes(options),
  ...chatRoutes(options),
  ...renderRoutes(options),
]
