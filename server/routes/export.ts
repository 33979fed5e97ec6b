// Exporting indexes to another server.
import { jsonBody } from '../bodies/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { accepted, type RouteOptions } from './context/index.ts'

const EXPORT = { permits: 'export', body: jsonBody('export'), query: null } as const

export const exportRoutes = ({ engine, registrationOf }: RouteOptions): readonly Route[] => [
  route('POST', '/export', EXPORT, async ({ body: content, context }) => {
    const registration = registrationOf(context)
    const request = { indexUid: null, content, customMetadata: null, registration }
    return accepted(await engine.tasks.enqueue(request), 200)
  }),
]
