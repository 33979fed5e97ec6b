// Dumps: creating one. The body is ignored.

import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { accepted, type RouteOptions } from './context/index.ts'

const CREATE = { permits: 'dumps.create', body: 'none', query: null } as const

export const dumpRoutes = ({ engine, registrationOf }: RouteOptions): readonly Route[] => [
  route('POST', '/dumps', CREATE, async ({ context }) =>
    accepted(await engine.tasks.enqueueDump(registrationOf(context))),
  ),
]
