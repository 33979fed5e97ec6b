// The task kind that cancels tasks. The queue carries it out itself, before any other batch.
import type { TargetsContent } from '../write/task-data/index.ts'
import {
  encodeTargets,
  hasTargets,
  queryOf,
  type TaskKind,
  targetsDump,
  targetsOf,
} from './kind/index.ts'

export type CancelationContent = TargetsContent & { readonly kind: 'taskCancelation' }

export const taskCancelation: TaskKind<CancelationContent> = {
  name: 'taskCancelation',
  number: 8,
  isGlobal: true,
  isForLeader: false,
  queue: { of: 'kind', order: 0, takes: 'newest' },

  encode: encodeTargets,
  decode: (view) => ({ kind: 'taskCancelation', ...targetsOf(view) }),
  freesSpace: hasTargets,
  queueWork: 'cancelation',

  enqueuedDetails: (view) => ({
    matchedTasks: view.count,
    canceledTasks: null,
    originalFilter: queryOf(view),
  }),
  zeros: { canceledTasks: 0 },

  runs: {},
  dump: targetsDump('taskCancelation', {
    tag: 'taskCancelation',
    detailsTag: 'TaskCancelation',
    count: 'canceledTasks',
  }),
}
