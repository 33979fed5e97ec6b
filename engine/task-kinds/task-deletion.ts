// The task kind that deletes finished tasks. The queue carries it out itself.
import type { TargetsContent } from '../write/task-data/index.ts'
import {
  encodeTargets,
  hasTargets,
  queryOf,
  type TaskKind,
  targetsDump,
  targetsOf,
} from './kind/index.ts'

export type TaskDeletionContent = TargetsContent & { readonly kind: 'taskDeletion' }

export const taskDeletion: TaskKind<TaskDeletionContent> = {
  name: 'taskDeletion',
  number: 9,
  isGlobal: true,
  isForLeader: false,
  queue: { of: 'kind', order: 3, takes: 'all' },

  encode: encodeTargets,
  decode: (view) => ({ kind: 'taskDeletion', ...targetsOf(view) }),
  freesSpace: hasTargets,
  queueWork: 'deletion',

  enqueuedDetails: (view) => ({
    matchedTasks: view.count,
    deletedTasks: null,
    originalFilter: queryOf(view),
  }),
  zeros: { deletedTasks: 0 },

  runs: {},
  dump: targetsDump('taskDeletion', {
    tag: 'tasksDeletion',
    detailsTag: 'TaskDeletion',
    count: 'deletedTasks',
  }),
}
