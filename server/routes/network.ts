// The network of instances: its state, changes of it, messages of other instances.
import { maskSecret, type Network, type NetworkPatch, type View } from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { invalidKey, route } from '../http/index.ts'
import type { Route, RouteRequest } from '../http/messages/index.ts'
import { notVisible } from '../network/searches/index.ts'
import { readArrivedQuery, readContainsQuery, readDigestsQuery } from '../parse/index.ts'
import { accepted, checkFeature, okReply, type RouteOptions } from './context/index.ts'

const READ = { permits: 'network.get', body: 'none', query: null } as const
const UPDATE = { permits: 'network.update', body: jsonBody('networkPatch'), query: null } as const
const PLAN = { permits: 'network.get', body: jsonBody('networkPatch'), query: null } as const
const REPAIR = {
  permits: 'network.update',
  body: jsonBody('networkRepair'),
  query: null,
} as const
/** Other instances use a key for writes. */
const DIGESTS = { permits: 'network.update', body: 'none', query: readDigestsQuery } as const
const IDENTITY = { permits: 'network.update', body: 'none', query: null } as const
/** Other instances use a key for searches, and prove that they are members. */
const CONTAINS = { permits: 'search', body: 'none', query: readContainsQuery } as const
const ARRIVED = { permits: 'network.update', body: 'none', query: readArrivedQuery } as const
const CONTROL = {
  permits: 'network.update',
  body: jsonBody('networkMessage'),
  query: null,
} as const

export function networkRoutes({ engine, instances }: RouteOptions): readonly Route[] {
  const gate = (path: string): void => {
    checkFeature(engine.administration.features, 'network', `Using the ${path} route`)
  }
  const view = (
    { self, remotes, shards, leader, version }: Network,
    { may }: RouteRequest['caller'],
  ): View => ({
    self,
    // Keys give more rights than reading the network.
    remotes: Object.fromEntries(
      [...remotes].map(([name, { url, searchApiKey, writeApiKey }]) => {
        const shown = (key: string | null) =>
          key === null || may('network.update') ? key : maskSecret(key)
        const status = instances.availability.status(name)
        return [
          name,
          { url, searchApiKey: shown(searchApiKey), writeApiKey: shown(writeApiKey), status },
        ]
      }),
    ),
    shards: Object.fromEntries(shards),
    leader,
    version,
  })

  return [
    route('GET', '/network', READ, ({ caller }) => {
      gate('/network')
      return okReply(view(engine.network.get(), caller))
    }),
    route('PATCH', '/network', UPDATE, async ({ body, context, caller }) => {
      gate('/network')
      const changed = await instances.change(body, context)
      return 'task' in changed ? accepted(changed.task) : okReply(view(changed.network, caller))
    }),
    route('GET', '/network/status', READ, async () => {
      gate('/network/status')
      return okReply(await instances.status())
    }),
    route('GET', '/network/replicas', READ, async () => {
      gate('/network/replicas')
      return okReply(await instances.compare())
    }),
    route('POST', '/network/plan', PLAN, async ({ body }) => {
      gate('/network/plan')
      const { previousRemotes: _, previousShards: __, ...patch } = body
      return okReply(await instances.plan(patch as NetworkPatch))
    }),
    route('POST', '/network/repair', REPAIR, async ({ body }) => {
      gate('/network/repair')
      return okReply(await instances.repair(body.instances ?? []))
    }),
    route('GET', '/network/digests', DIGESTS, async ({ query }) => {
      gate('/network/digests')
      return okReply(await instances.digest(query.shards, query.documents))
    }),
    route('GET', '/network/identity', IDENTITY, () => {
      gate('/network/identity')
      return okReply({ ...instances.identity() })
    }),
    ...taskRoutes({ engine, instances }, gate),
    route('POST', '/network/control', CONTROL, async ({ body, context }) => {
      gate('/network/control')
      const answer = await instances.receive(body, context)
      return answer === null ? { status: 200, body: '' } : okReply(answer)
    }),
  ]
}

/** Questions of other instances about tasks. */
const taskRoutes = (
  { engine, instances }: Pick<RouteOptions, 'engine' | 'instances'>,
  gate: (path: string) => void,
): readonly Route[] => [
  route('GET', '/network/contains', CONTAINS, async (request) => {
    gate('/network/contains')
    if (!instances.isMember(request)) throw invalidKey()
    const { uid, ms, indexUids } = request.query
    const wait = { ms, signal: request.context.signal }
    const isContained = await instances.contained.own({ uid, indexes: () => indexUids }, wait)
    if (!isContained) throw notVisible(uid, 'This instance does not contain it')
    return okReply({})
  }),
  route('GET', '/network/arrived', ARRIVED, ({ query }) => {
    gate('/network/arrived')
    return okReply({ upTo: engine.visibility.arrivedAt(query.remote) })
  }),
]
