// Dumps: creating one. The body is ignored.
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

const CREATE = { permits: 'dumps.create', body: 'none', query: null } as const

export const dumpRoutes = ({ engine, registrationOf }: RouteOptions): readonly Route[] => [
  route('POST', '/dumps', CREATE, async ({ context }) =>
    accepted(await engine.enqueueDump(registrationOf(context))),
  ),
]
