// Describes the whole API without a server. The routes are created with placeholders instead of an
// engine, because no handler runs.
import { RELEASE } from '../config/index.ts'
import type { RouteOptions } from '../routes/context/index.ts'
import { allRoutes } from '../routes/index.ts'
import { type Description, describe } from './describe.ts'

/** Placeholder for the objects that routes refer to: each property is the placeholder again. */
const PLACEHOLDER: unknown = new Proxy(() => undefined, { get: () => PLACEHOLDER })

type Replaced =
  | 'engine'
  | 'log'
  | 'metrics'
  | 'events'
  | 'instances'
  | 'streams'
  | 'history'
  | 'authorise'
  | 'readBody'

export function describeApi(): Description {
  const placeholder = PLACEHOLDER as Pick<RouteOptions, Replaced>
  const { engine, log, metrics, events, instances, streams, history, authorise, readBody } =
    placeholder
  const routes = allRoutes({
    engine,
    log,
    metrics,
    events,
    instances,
    streams,
    history,
    authorise,
    readBody,
    registrationOf: () => undefined,
    release: RELEASE,
    models: null,
    personalizer: null,
    masterKey: '',
    launchWebhook: null,
  })
  return describe(routes, RELEASE.version)
}
