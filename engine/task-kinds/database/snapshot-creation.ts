// The task kind that creates a snapshot.

import type { TaskKind } from '../kind/index.ts'
import { runSnapshot } from './snapshot-batch.ts'

export type SnapshotContent = { readonly kind: 'snapshotCreation' }

export const snapshotCreation: TaskKind<SnapshotContent> = {
  name: 'snapshotCreation',
  number: 11,
  isGlobal: true,
  isForLeader: false,
  failsWithStorage: true,
  queue: { of: 'kind', order: 6, takes: 'all' },

  encode: () => ({}),
  decode: () => ({ kind: 'snapshotCreation' }),

  enqueuedDetails: () => null,

  runs: { snapshotCreation: runSnapshot },

  dump: {
    needsIndex: false,
    tags: { snapshotCreation: () => ({ kind: 'snapshotCreation' }) },
    type: () => 'snapshotCreation',
    typeOfDetails: () => 'snapshotCreation',
    details: () => null,
    detailsTags: {},
    hasNoDetails: true,
  },
}
