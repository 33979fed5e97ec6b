// Experimental features, which have to be switched on.
import { FEATURES, type Features } from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { okReply, type RouteOptions } from './context/index.ts'

const READ = { permits: 'experimental.get', body: 'none', query: null } as const
const UPDATE = {
  permits: 'experimental.update',
  body: jsonBody('features'),
  query: null,
} as const

export const experimentalFeatureRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('GET', '/experimental-features', READ, () =>
    okReply(inOrder(engine.administration.features)),
  ),
  route('PATCH', '/experimental-features', UPDATE, async ({ body }) =>
    okReply(inOrder(await engine.administration.setFeatures(body))),
  ),
]

const inOrder = (features: Features): { readonly [feature: string]: boolean } =>
  Object.fromEntries(FEATURES.map((feature) => [feature, features[feature]]))
