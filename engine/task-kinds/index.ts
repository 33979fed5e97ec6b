// Registry of all task kinds. To add a kind: write one module and add one row to `kinds.table.ts`.
import { TaskKinds } from '../write/task-data/index.ts'
import type { TaskKind } from './kind/index.ts'
import { KINDS } from './kinds.table.ts'

type ContentOf<Module> = Module extends { encode(content: infer Content): unknown }
  ? Content
  : never

/** The content of any task. */
export type TaskContent = ContentOf<(typeof KINDS)[number]>
export type TaskKindName = TaskContent['kind']

/** All kinds of tasks. */
export const taskKinds: TaskKinds<TaskKind> = new TaskKinds<TaskKind>(KINDS)

/** In the order in which error messages list them. */
export const TASK_KINDS = taskKinds.names as readonly TaskKindName[]
