// The task kind that deletes finished tasks. The queue carries it out itself.
import type { TargetsContent } from '../write/task-data/index.ts'
import { type TaskKind, targetsKind } from './kind/index.ts'

export type TaskDeletionContent = TargetsContent & { readonly kind: 'taskDeletion' }

export const taskDeletion: TaskKind<TaskDeletionContent> = targetsKind({
  name: 'taskDeletion',
  number: 9,
  queue: { of: 'kind', order: 3, takes: 'all' },
  queueWork: 'deletion',
  count: 'deletedTasks',
  tag: 'tasksDeletion',
  detailsTag: 'TaskDeletion',
})
