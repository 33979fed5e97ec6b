// How far a batch extends: the tasks of one index in order, as long as each fits those before it.
// The first task that does not fit ends the batch; no task is skipped. `autobatch.table.ts` says
// which roles fit together; conditions on the index or on primary keys are here.

import { assert } from '../../../format/errors.ts'
import type { IndexUid, TaskUid } from '../../../format/ids.ts'
import {
  type BatchState,
  BEGINS,
  COMPATIBLE,
  type StopReason,
  type TaskRole,
} from '../task-data/index.ts'

/** The properties of a waiting task that decide about its batch. */
export type Candidate = {
  readonly uid: TaskUid
  /** Name of the task kind. */
  readonly kind: string
  readonly role: TaskRole
  /** Primary key sent with an import, or null. */
  readonly primaryKey: string | null
  readonly mayCreate: boolean
  readonly bodyBytes: number
}

/** Facts about the index, or null if it does not exist. */
export type IndexFacts = { readonly primaryKey: string | null } | null

export type BatchLimits = {
  /** Tasks in a batch: infinite for no limit, 0 stops everything. */
  readonly tasksMax: number
  /** Bytes of all bodies. A first task of every size is accepted. */
  readonly bytesMax: number
  /** Tasks in a batch while the disk has no space for larger ones; absent: no limit. */
  readonly spaceTasksMax?: number
}

export type Autobatch = {
  readonly state: BatchState | 'alone'
  readonly uids: readonly TaskUid[]
  readonly mayCreate: boolean
  /** Why the batch ends here, or null if the index has no further task. */
  readonly strategy: string | null
}

/** Builds a batch: offer it the waiting tasks of an index in order until it accepts no more. */
export class Autobatcher {
  readonly #index: IndexFacts
  readonly #limits: BatchLimits
  #batch: OpenBatch | null = null

  constructor(index: IndexFacts, limits: BatchLimits) {
    this.#index = index
    this.#limits = limits
  }

  /** Adds the task if it fits. Returns true if another task may be offered. */
  offer(task: Candidate): boolean {
    if (this.#batch === null) {
      this.#batch = openBatch(task, this.#index)
    } else {
      this.#batch.strategy = reasonToStop(this.#batch, task, this.#index, this.#limits)
      if (this.#batch.strategy === null) add(this.#batch, task)
    }
    return this.#batch.strategy === null
  }

  finish(): Autobatch {
    assert(this.#batch !== null, 'a batch is made of at least one task')
    const { state, uids, mayCreate, strategy } = this.#batch
    return { state, uids, mayCreate, strategy }
  }
}

type OpenBatch = {
  state: BatchState | 'alone'
  readonly uids: TaskUid[]
  bytes: number
  mayCreate: boolean
  /** Whether the batch contains an import, and the first primary key sent with one. */
  hasImport: boolean
  primaryKey: string | null
  strategy: string | null
}

function openBatch(first: Candidate, index: IndexFacts): OpenBatch {
  const state = BEGINS[first.role] ?? 'alone'
  let strategy: string | null = null
  if (state === 'alone') strategy = loneTask(first.uid, first.kind)
  else if (state === 'indexDeletion') strategy = deletesIndex(first.uid)
  else strategy = conflictWithIndexKey(first, index)
  return {
    state,
    uids: [first.uid],
    bytes: first.bodyBytes,
    mayCreate: first.mayCreate,
    hasImport: first.role === 'import',
    primaryKey: first.primaryKey,
    strategy,
  }
}

function add(batch: OpenBatch, next: Candidate): void {
  const step = COMPATIBLE[batch.state as BatchState][next.role]
  assert('to' in step, 'only a task that fits is added')
  batch.state = step.to
  batch.uids.push(next.uid)
  batch.bytes += next.bodyBytes
  batch.mayCreate ||= next.mayCreate
  batch.hasImport ||= next.role === 'import'
  batch.primaryKey ??= next.primaryKey
  if (step.to === 'indexDeletion') batch.strategy = deletesIndex(next.uid)
}

function reasonToStop(
  batch: OpenBatch,
  next: Candidate,
  index: IndexFacts,
  limits: BatchLimits,
): string | null {
  if (batch.uids.length >= limits.tasksMax) {
    return `batched up to configured batch limit of ${limits.tasksMax} tasks`
  }
  const { spaceTasksMax } = limits
  if (spaceTasksMax !== undefined && batch.uids.length >= spaceTasksMax) {
    return `batched up to ${spaceTasksMax} tasks, because the disk had no space for more`
  }
  const step = COMPATIBLE[batch.state as BatchState][next.role]
  if ('stop' in step) return STOP_MESSAGES[step.stop](next.uid)
  if (batch.bytes + next.bodyBytes > limits.bytesMax) {
    return (
      `batched up to configured batch size limit of ${limits.bytesMax}B ` +
      `with a total of ${batch.bytes}B`
    )
  }
  if (index === null && hasOtherCreationRight(batch, next)) return otherRights(next.uid)
  return primaryKeyConflict(batch, next, index)
}

/**
 * Without an index, tasks that may not create it must fail; a task that may create it cannot run
 * with them. After deletions by filter an import is still accepted, as in the reference.
 */
function hasOtherCreationRight(batch: OpenBatch, next: Candidate): boolean {
  if (batch.mayCreate || !next.mayCreate) return false
  return next.role === 'settings' || batch.state === 'documents' || batch.state === 'idDeletions'
}

/**
 * Returns why an import would give the index a primary key other than its present or coming one, or
 * null.
 */
function primaryKeyConflict(batch: OpenBatch, next: Candidate, index: IndexFacts): string | null {
  const other = conflictWithIndexKey(next, index)
  const key = next.primaryKey
  if (other !== null || key === null || (index?.primaryKey ?? null) !== null) return other
  if (!batch.hasImport || key === batch.primaryKey) return null
  if (batch.primaryKey === null) {
    return (
      `stopped batching before task with id ${next.uid} because it is setting the \`${key}\` ` +
      'primary key and it would interfere with primary key guessing of the batch'
    )
  }
  return (
    `stopped batching before task with id ${next.uid} because its primary key \`${key}\` ` +
    `is different from the primary key of the batch \`${batch.primaryKey}\``
  )
}

function conflictWithIndexKey(task: Candidate, index: IndexFacts): string | null {
  const key = index?.primaryKey ?? null
  if (key === null || task.primaryKey === null || task.primaryKey === key) return null
  return (
    `stopped batching before task with id ${task.uid} because its primary key ` +
    `\`${task.primaryKey}\` is different from the primary key of the index \`${key}\``
  )
}

/** The strategy of a task that is never batched. */
export const loneTask = (uid: TaskUid, kind: string): string =>
  `created batch containing only task with id ${uid} of type \`${kind}\` ` +
  'that cannot be batched with any other task.'

/** The strategy of a batch of all tasks of a kind that fits no other kind. */
export const wholeKind = (kind: string): string =>
  `stopped after the last task of type \`${kind}\` ` +
  'because they cannot be batched with tasks of any other type.'

export const ALL_TASKS = 'batched all enqueued tasks'
export const allOfIndex = (indexUid: IndexUid): string =>
  `batched all enqueued tasks for index \`${indexUid}\``

const deletesIndex = (uid: TaskUid): string =>
  `stopped after task with id ${uid} because it deletes the index`
const otherRights = (uid: TaskUid): string =>
  `stopped batching before task with id ${uid} because its index creation rules ` +
  'differ from the ones from the batch'

const because = (uid: TaskUid, reason: string): string =>
  `stopped before task with id ${uid} because it is ${reason}`
const rules = 'a dynamic search rule update or clear, which cannot be batched with'

const STOP_MESSAGES: { readonly [reason in StopReason]: (uid: TaskUid) => string } = {
  settingsAfterDocuments: (uid) =>
    because(uid, 'a settings change which cannot be batched with document operations'),
  filterAfterDocuments: (uid) =>
    because(uid, 'a deletion by filter which cannot be batched with document operations'),
  documentsAfterSettings: (uid) =>
    because(uid, 'a document operation which cannot be batched with settings changes'),
  rulesAfterDocuments: (uid) => because(uid, `${rules} document operations`),
  rulesAfterSettings: (uid) => because(uid, `${rules} settings changes`),
  unspecified: () => 'unspecified',
}
