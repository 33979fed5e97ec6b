// Snapshots: the whole database as one file.
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

const CREATE = { permits: 'snapshots.create', body: 'none', query: null } as const

export const snapshotRoutes = ({ engine, registrationOf }: RouteOptions): readonly Route[] => [
  route('POST', '/snapshots', CREATE, async ({ context }) => {
    const content = { kind: 'snapshotCreation' } as const
    const registration = registrationOf(context)
    const request = { indexUid: null, content, customMetadata: null, registration }
    return accepted(await engine.enqueue(request))
  }),
]
