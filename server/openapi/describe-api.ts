// The description of the whole API, without a server: routes are made over an engine that is not
// there, since nobody asks it anything.
import { BodyReader } from '../bodies/index.ts'
import { RELEASE } from '../config/index.ts'
import { allRoutes, type RouteOptions } from '../routes/index.ts'
import { type Description, describe } from './describe.ts'

/** Stands for whatever routes hold on to while they are made. */
const nobody: unknown = new Proxy(() => undefined, { get: () => nobody })

export function describeApi(): Promise<Description> {
  const absent = nobody as Pick<RouteOptions, 'engine' | 'log' | 'metrics' | 'events'>
  const { engine, log, metrics, events } = absent
  const routes = allRoutes({
    ...{ engine, log, metrics, events },
    bodies: new BodyReader({ file: null, report: () => undefined }),
    release: RELEASE,
    canPersonalize: false,
    masterKey: '',
    launchWebhook: null,
  })
  return describe(routes, RELEASE.version)
}
