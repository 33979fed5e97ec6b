// The network of instances. There is none in this release: its routes are there for their gates.
import { ApiError } from '../errors/index.ts'
import { type Route, type Rules, route } from '../http/index.ts'
import { checkNetworkMessage, checkNetworkPatch } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'
import { found } from './views.ts'

const READ: Rules = { permits: 'network.get', body: 'none', query: false }
const UPDATE: Rules = { permits: 'network.update', body: 'json', query: false }

const ALONE = {
  self: null,
  remotes: {},
  shards: {},
  leader: null,
  version: '00000000-0000-0000-0000-000000000000',
}

export function networkRoutes({ engine }: RouteOptions): readonly Route[] {
  const gate = (path: string): void => {
    checkFeature(engine.features, 'network', `Using the ${path} route`)
  }
  const later = (): ApiError =>
    new ApiError('bad_request', 'Instances cannot be linked in this release.')

  return [
    route('GET', '/network', READ, () => {
      gate('/network')
      return found(ALONE)
    }),
    route('PATCH', '/network', UPDATE, async (request) => {
      checkNetworkPatch(await request.json())
      gate('/network')
      throw later()
    }),
    route('POST', '/network/control', UPDATE, async (request) => {
      checkNetworkMessage(await request.json())
      gate('/network/control')
      throw later()
    }),
  ]
}
