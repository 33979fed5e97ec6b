// Dumps: asking for one. Whatever is sent along is not looked at.
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

export const dumpRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('POST', '/dumps', { permits: 'dumps.create', body: 'none', query: false }, async () =>
    accepted(await engine.enqueueDump()),
  ),
]
