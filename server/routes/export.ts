// Sending indexes to another server.
import { type Route, route } from '../http/index.ts'
import { readExport } from '../parse/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

export const exportRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('POST', '/export', { permits: 'export', body: 'json', query: false }, async (request) => {
    const content = readExport(await request.json())
    return accepted(await engine.enqueue({ indexUid: null, content, customMetadata: null }), 200)
  }),
]
