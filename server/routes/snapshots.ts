// Snapshots: the whole database as one file.
import { type Route, route } from '../http/index.ts'
import type { RouteOptions } from './options.ts'
import { accepted } from './views.ts'

const CREATE = { permits: 'snapshots.create', body: 'none', query: false } as const

export const snapshotRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('POST', '/snapshots', CREATE, async () => {
    const content = { kind: 'snapshotCreation' } as const
    return accepted(await engine.enqueue({ indexUid: null, content, customMetadata: null }))
  }),
]
