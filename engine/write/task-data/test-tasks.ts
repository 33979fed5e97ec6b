// Support for tests: a queue of four kinds of tasks, their records, and a log in memory.
import { asTaskUid } from '../../../format/ids.ts'
import { type EnqueuedView, type KeptView, UID_NONE, utf8Of } from '../../../format/tasks/index.ts'
import { STATUS, TaskKinds } from './kinds.ts'
import { TaskState } from './state.ts'
import type { QueuedKind } from './task-kind.ts'
import { rowIn } from './task-table.ts'
import type { StagedBody, TaskStatus } from './types.ts'

const kindOf = (name: string, number: number, more: Partial<QueuedKind>): QueuedKind => ({
  name,
  number,
  isGlobal: false,
  isForLeader: false,
  queue: { of: 'index', role: () => 'alone' },
  encode: () => ({}),
  decode: () => ({ kind: name }),
  enqueuedDetails: (_, names) => ({ names }),
  ...more,
})

/** Numbers of the kinds. Tasks of the last two wait in queues of their own. */
export const [PLAIN, NAMING, RETRIED, SECRET] = [0, 1, 2, 3] as const

export const KINDS = new TaskKinds([
  kindOf('secret', SECRET, {
    holdsSecret: true,
    isGlobal: true,
    queue: { of: 'kind', order: 1, takes: 'oldest' },
  }),
  kindOf('plain', PLAIN, {}),
  kindOf('naming', NAMING, {
    renamed: (content, names) => ({ ...content, names }),
    zeros: { done: 0 },
    failedDetails: (details) => ({ ...details, hasFailed: true }),
  }),
  kindOf('retried', RETRIED, {
    isRetried: true,
    isGlobal: true,
    queue: { of: 'kind', order: 2, takes: 'all' },
    decode: ({ bodyFile: file, inline, bodyBytes: bytes }) => ({
      kind: 'retried',
      body: { file, inline, bytes, documents: 0 },
    }),
    bodyOf: (content) => (content as unknown as { readonly body: StagedBody }).body,
  }),
])

export const viewOf = (
  uid: number,
  {
    index,
    names = [],
    ...more
  }: Partial<Omit<EnqueuedView, 'uid' | 'index' | 'names'>> & {
    readonly index?: string | null
    readonly names?: readonly string[]
  } = {},
): EnqueuedView => ({
  kind: PLAIN,
  flags: 0,
  uid: asTaskUid(uid),
  enqueuedAt: uid * 10,
  count: 0,
  bodyBytes: 0,
  bodyFile: null,
  index: index === null || index === undefined ? null : utf8Of(index),
  primaryKey: null,
  metadata: null,
  names: names.map(utf8Of),
  content: null,
  inline: null,
  ...more,
})

export const finishedOf = (uid: number, more: Partial<Omit<KeptView, 'uid'>> = {}): KeptView => ({
  kind: PLAIN,
  status: STATUS.succeeded,
  uid: asTaskUid(uid),
  batch: UID_NONE as never,
  canceledBy: UID_NONE as never,
  enqueuedAt: uid * 10,
  startedAt: null,
  finishedAt: null,
  count: 0,
  index: null,
  metadata: null,
  names: [],
  details: null,
  error: null,
  ...more,
})

/** A state with tasks of these records; the offset of each is its uid plus 1. */
export function stateWith(views: readonly EnqueuedView[]): TaskState {
  const state = new TaskState(KINDS)
  for (const view of views) state.enqueued(view, view.uid + 1, 50)
  return state
}

export function setStatus(state: TaskState, uid: number, status: TaskStatus): void {
  state.tasks.setStatus(state.tasks.find(asTaskUid(uid)), STATUS[status])
}

/** Returns the members of a task's row. */
export function rowOfTask(state: TaskState, uid: number) {
  const row = state.tasks.find(asTaskUid(uid))
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const { status, kind, flags, index, batch, canceledBy, count, bodyBytes, recordBytes } = chunk
  return {
    status: status[r],
    kind: kind[r],
    flags: flags[r],
    index: index[r],
    batch: batch[r],
    canceledBy: canceledBy[r],
    count: count[r],
    bodyBytes: bodyBytes[r],
    recordBytes: recordBytes[r],
    enqueuedAt: chunk.enqueuedAt[r],
    startedAt: chunk.startedAt[r],
    finishedAt: chunk.finishedAt[r],
    offset: chunk.offset[r],
  }
}
