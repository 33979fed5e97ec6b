// Features that have to be switched on.
import { FEATURES, type Features } from '../../engine/index.ts'
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { found } from './views.ts'

export const experimentalFeatureRoutes = ({ engine, bodies }: RouteOptions): readonly Route[] => [
  route(
    'GET',
    '/experimental-features',
    { permits: 'experimental.get', body: 'none', query: false },
    () => found(inOrder(engine.features)),
  ),
  route(
    'PATCH',
    '/experimental-features',
    { permits: 'experimental.update', body: 'json', query: false },
    async (request) => {
      const patch = await bodies.read(request, 'features')
      return found(inOrder(await engine.setFeatures(patch)))
    },
  ),
]

const inOrder = (features: Features): { readonly [feature: string]: boolean } =>
  Object.fromEntries(FEATURES.map((feature) => [feature, features[feature]]))
