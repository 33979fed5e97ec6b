// How far a batch reaches: the tasks of one index in order, as long as each goes with those before
// it. The first that does not ends the batch; nothing is skipped. Who goes with whom is in
// `autobatch.table.ts`, conditions that need the index or the keys are here.

import { assert } from '../../../format/errors.ts'
import type { TaskUid } from '../../../format/ids.ts'
import {
  type BatchState,
  BEGINS,
  COMPATIBLE,
  type NextTask,
  type StopReason,
} from './autobatch.table.ts'

/** What the choice looks at in a waiting task. */
export type Candidate = {
  readonly uid: TaskUid
  /** The name of its kind. */
  readonly kind: string
  readonly next: NextTask
  /** Sent along with an import. */
  readonly primaryKey: string | null
  readonly mayCreate: boolean
  readonly bodyBytes: number
}

/** What is known of the index; null when there is none. */
export type IndexFacts = { readonly primaryKey: string | null } | null

export type BatchLimits = {
  /** Tasks of a batch; infinite for no limit, 0 stops everything. */
  readonly tasksMax: number
  /** Sum of the bodies. The first task is taken whatever its size. */
  readonly bytesMax: number
}

export type Autobatch = {
  readonly state: BatchState | 'alone'
  readonly uids: readonly number[]
  readonly mayCreate: boolean
  /** null: there was no further task of the index. */
  readonly strategy: string | null
}

/** Offer it the waiting tasks of an index in order until it wants no more. */
export class Autobatcher {
  readonly #index: IndexFacts
  readonly #limits: BatchLimits
  #batch: Growing | null = null

  constructor(index: IndexFacts, limits: BatchLimits) {
    this.#index = index
    this.#limits = limits
  }

  /** Whether the next task is of interest. */
  offer(task: Candidate): boolean {
    if (this.#batch === null) {
      this.#batch = begin(task, this.#index)
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

type Growing = {
  state: BatchState | 'alone'
  readonly uids: number[]
  bytes: number
  mayCreate: boolean
  /** Whether an import is among the tasks, and the key that imports came with. */
  hasImport: boolean
  primaryKey: string | null
  strategy: string | null
}

function begin(first: Candidate, index: IndexFacts): Growing {
  const state = BEGINS[first.next] ?? 'alone'
  let strategy: string | null = null
  if (state === 'alone') strategy = loneTask(first.uid, first.kind)
  else if (state === 'indexDeletion') strategy = deletesIndex(first.uid)
  else strategy = keyOfOtherIndex(first, index)
  return {
    state,
    uids: [first.uid],
    bytes: first.bodyBytes,
    mayCreate: first.mayCreate,
    hasImport: first.next === 'import',
    primaryKey: first.primaryKey,
    strategy,
  }
}

function add(batch: Growing, next: Candidate): void {
  const step = COMPATIBLE[batch.state as BatchState][next.next]
  assert('to' in step, 'only a task that fits is added')
  batch.state = step.to
  batch.uids.push(next.uid)
  batch.bytes += next.bodyBytes
  batch.mayCreate ||= next.mayCreate
  batch.hasImport ||= next.next === 'import'
  batch.primaryKey ??= next.primaryKey
  if (step.to === 'indexDeletion') batch.strategy = deletesIndex(next.uid)
}

function reasonToStop(
  batch: Growing,
  next: Candidate,
  index: IndexFacts,
  limits: BatchLimits,
): string | null {
  if (batch.uids.length >= limits.tasksMax) {
    return `batched up to configured batch limit of ${limits.tasksMax} tasks`
  }
  const step = COMPATIBLE[batch.state as BatchState][next.next]
  if ('stop' in step) return WORDS[step.stop](next.uid)
  if (batch.bytes + next.bodyBytes > limits.bytesMax) {
    return (
      `batched up to configured batch size limit of ${limits.bytesMax}B ` +
      `with a total of ${batch.bytes}B`
    )
  }
  if (index === null && createsAgainstRights(batch, next)) return otherRights(next.uid)
  return next.next === 'import' && step.to === 'documents' ? keyReason(batch, next, index) : null
}

/**
 * Without an index, tasks that may not create it must fail: one that may create it cannot run with
 * them. Deletions by filter let an import in all the same, as the reference has it.
 */
function createsAgainstRights(batch: Growing, next: Candidate): boolean {
  if (batch.mayCreate || !next.mayCreate) return false
  return next.next === 'settings' || batch.state === 'documents' || batch.state === 'idDeletions'
}

/** Imports that would give the index another key than the one it has, or will get in this batch. */
function keyReason(batch: Growing, next: Candidate, index: IndexFacts): string | null {
  const other = keyOfOtherIndex(next, index)
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

function keyOfOtherIndex(task: Candidate, index: IndexFacts): string | null {
  const key = index?.primaryKey ?? null
  if (key === null || task.primaryKey === null || task.primaryKey === key) return null
  if (task.next !== 'import') return null
  return (
    `stopped batching before task with id ${task.uid} because its primary key ` +
    `\`${task.primaryKey}\` is different from the primary key of the index \`${key}\``
  )
}

/** A task that is never batched. */
export const loneTask = (uid: TaskUid, kind: string): string =>
  `created batch containing only task with id ${uid} of type \`${kind}\` ` +
  'that cannot be batched with any other task.'

/** All tasks of a kind that goes with no other. */
export const wholeKind = (kind: string): string =>
  `stopped after the last task of type \`${kind}\` ` +
  'because they cannot be batched with tasks of any other type.'

export const ALL_TASKS = 'batched all enqueued tasks'
export const allOfIndex = (indexUid: string): string =>
  `batched all enqueued tasks for index \`${indexUid}\``

const deletesIndex = (uid: TaskUid): string =>
  `stopped after task with id ${uid} because it deletes the index`
const otherRights = (uid: TaskUid): string =>
  `stopped batching before task with id ${uid} because its index creation rules ` +
  'differ from the ones from the batch'

const because = (uid: TaskUid, reason: string): string =>
  `stopped before task with id ${uid} because it is ${reason}`
const rules = 'a dynamic search rule update or clear, which cannot be batched with'

const WORDS: { readonly [reason in StopReason]: (uid: TaskUid) => string } = {
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
