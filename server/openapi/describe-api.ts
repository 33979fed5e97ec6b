// The description of the whole API, without a server: routes are made over an engine that is not
// there, since no handler runs.
import { RELEASE } from '../config/index.ts'
import { allRoutes, type RouteOptions } from '../routes/index.ts'
import { type Description, describe } from './describe.ts'

/** Stands for what routes hold on to while they are made. */
const absentPart: unknown = new Proxy(() => undefined, { get: () => absentPart })

type Absent = 'engine' | 'log' | 'metrics' | 'events' | 'instances'

export function describeApi(): Description {
  const absent = absentPart as Pick<RouteOptions, Absent>
  const { engine, log, metrics, events, instances } = absent
  const routes = allRoutes({
    engine,
    log,
    metrics,
    events,
    instances,
    registrationOf: () => undefined,
    release: RELEASE,
    models: null,
    personalizer: null,
    masterKey: '',
    launchWebhook: null,
  })
  return describe(routes, RELEASE.version)
}
