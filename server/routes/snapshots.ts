// Snapshots: the whole database as one file.

import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { accepted, type RouteOptions } from './context/index.ts'

const CREATE = { permits: 'snapshots.create', body: 'none', query: null } as const

export const snapshotRoutes = ({ engine, registrationOf }: RouteOptions): readonly Route[] => [
  route('POST', '/snapshots', CREATE, async ({ context }) => {
    const content = { kind: 'snapshotCreation' } as const
    const registration = registrationOf(context)
    const request = { indexUid: null, content, customMetadata: null, registration }
    return accepted(await engine.tasks.enqueue(request))
  }),
]
