// The task kind that changes the assignment of shards in a network. The change is tracked while
// documents move between instances (`engine/network/topology/topology.ts`); the batch runs at its end.
import { anyObject } from '../../../format/schema/index.ts'
import { snakeMembers } from '../../backup/dumps/index.ts'
import { contentAs } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runTopologyChange } from './topology-batch.ts'

export type TopologyContent = {
  readonly kind: 'networkTopologyChange'
  readonly change: unknown
}

export const networkTopologyChange: TaskKind<TopologyContent> = {
  name: 'networkTopologyChange',
  number: 15,
  isGlobal: true,
  isForLeader: false,
  queue: {
    of: 'kind',
    order: 2,
    takes: 'oldest',
    strategy: (uid) =>
      `stopped after task with id ${uid} because it is a network topology change task`,
  },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => ({
    kind: 'networkTopologyChange',
    change: contentAs(anyObject, view)['change'] ?? null,
  }),

  enqueuedDetails: () => ({
    movedDocuments: 0,
    message: 'processing tasks for previous network versions',
  }),
  failedDetails: (details) => ({
    ...details,
    message: `Failed. Previous status: ${details['message']}`,
  }),

  runs: { networkTopologyChange: runTopologyChange },

  dump: {
    needsIndex: false,
    tags: {
      networkTopologyChange: (members) => ({ kind: 'networkTopologyChange', change: members }),
    },
    type: ({ change }) => ({ networkTopologyChange: change }),
    typeOfDetails: () => ({ networkTopologyChange: {} }),
    details: (details) => ({
      NetworkTopologyChange: snakeMembers(details, 'movedDocuments', 'message'),
    }),
    detailsTags: {
      NetworkTopologyChange: (members) => ({
        movedDocuments: members['moved_documents'] ?? 0,
        message: members['message'] ?? '',
      }),
    },
  },
}
