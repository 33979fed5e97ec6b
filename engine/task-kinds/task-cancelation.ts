// The task kind that cancels tasks. The queue carries it out itself, before any other batch.
import type { TargetsContent } from '../write/task-data/index.ts'
import { type TaskKind, targetsKind } from './kind/index.ts'

export type CancelationContent = TargetsContent & { readonly kind: 'taskCancelation' }

export const taskCancelation: TaskKind<CancelationContent> = targetsKind({
  name: 'taskCancelation',
  number: 8,
  queue: { of: 'kind', order: 0, takes: 'newest' },
  queueWork: 'cancelation',
  count: 'canceledTasks',
  tag: 'taskCancelation',
  detailsTag: 'TaskCancelation',
})
