// Sending indexes to another server.
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

export const exportRoutes = ({ engine, bodies }: RouteOptions): readonly Route[] => [
  route('POST', '/export', { permits: 'export', body: 'json', query: false }, async (request) => {
    const content = await bodies.read(request, 'export')
    return accepted(await engine.enqueue({ indexUid: null, content, customMetadata: null }), 200)
  }),
]
