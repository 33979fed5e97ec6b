// The network of instances: what is known of it, and changes of it. This release describes a
// network without a leader; what a leader does is still to come.
import { mergeNetwork, type Network, type View } from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { type Route, requestUid, route } from '../http/index.ts'
import { urlProblem } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'
import { found } from './views.ts'

const READ = { permits: 'network.get', body: 'none', query: null } as const
const UPDATE = { permits: 'network.update', body: jsonBody('networkPatch'), query: null } as const
const CONTROL = {
  permits: 'network.update',
  body: jsonBody('networkMessage'),
  query: null,
} as const

export function networkRoutes({ engine }: RouteOptions): readonly Route[] {
  const { network } = engine
  const gate = (path: string): void => {
    checkFeature(engine.features, 'network', `Using the ${path} route`)
  }

  return [
    route('GET', '/network', READ, () => {
      gate('/network')
      return found(view(network.get()))
    }),
    route('PATCH', '/network', UPDATE, async ({ body }) => {
      const { previousRemotes, previousShards: _, ...patch } = body
      gate('/network')
      if (previousRemotes !== undefined) throw unexpectedPrevious()
      const options = { version: requestUid(), urlProblem }
      const changed = await network.update((present) => {
        const merged = mergeNetwork(present, patch, options)
        if (merged.leader !== null) throw noLeaders()
        return merged
      })
      return found(view(changed))
    }),
    route('POST', '/network/control', CONTROL, () => {
      gate('/network/control')
      throw noLeaders()
    }),
  ]
}

const unexpectedPrevious = (): ApiError =>
  new ApiError(
    'unexpected_network_previous_remotes',
    'Unexpected `previousRemotes` in network call.\n' +
      '  - Note: `previousRemote` is reserved for internal use.',
  )

const noLeaders = (): ApiError =>
  new ApiError(
    'bad_request',
    'Networks with a leader are not supported in this release.\n' +
      '  - Hint: leave `leader` out, or set it to `null`.',
  )

/** Keys in clear: who may read the network may know them. */
const view = ({ self, remotes, shards, leader, version }: Network): View => ({
  self,
  remotes: Object.fromEntries(
    [...remotes].map(([name, { url, searchApiKey, writeApiKey }]) => [
      name,
      { url, searchApiKey, writeApiKey, status: 'available' },
    ]),
  ),
  shards: Object.fromEntries(shards),
  leader,
  version,
})
