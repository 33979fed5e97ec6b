// What runs next. Kinds with a queue of their own come first, in a fixed order; then the oldest
// task that waits for an index, and with it as many of that index as go together.

import { FLAG_MAY_CREATE, FLAG_RESET } from '../../format/tasks/index.ts'
import type { BatchState, NextTask } from './autobatch.table.ts'
import {
  ALL_TASKS,
  type Autobatch,
  Autobatcher,
  allOfIndex,
  type BatchLimits,
  type Candidate,
  type IndexFacts,
  loneTask,
  networkTask,
  wholeKind,
} from './autobatch.ts'
import { DELETES_ALL, DELETES_IDS, deletesBy } from './content.ts'
import { KIND, kindOf, STATUS } from './kinds.ts'
import type { BatchWork } from './plan.ts'
import { pause } from './slices.ts'
import type { TaskState } from './state.ts'
import { rowIn } from './task-table.ts'
import type { TaskContent, TaskKind } from './types.ts'

/** How many waiting tasks are looked at between two points at which others may run: 2 ms. */
const STRIDE = 8192

export type Choice = {
  /** Ascending. */
  readonly uids: readonly number[]
  readonly work: BatchWork
  readonly strategy: string
}

export type IndexLookup = (indexUid: string) => IndexFacts

/**
 * The next batch, or null when nothing waits. Tasks may come in while it is chosen, but none ends.
 * `upgradesTried`: failed ones not to be tried again.
 */
export async function chooseBatch(
  state: TaskState,
  index: IndexLookup,
  limits: BatchLimits,
  upgradesTried: ReadonlySet<number>,
): Promise<Choice | null> {
  const { pending } = state
  const cancelation = pending.newestCancelation()
  if (cancelation >= 0) return lone(state, cancelation)
  const upgrades = pending.allOfKind(KIND.upgradeDatabase)
  if (upgrades.length > 0) {
    const untried = upgrades.some((uid) => !upgradesTried.has(uid))
    return untried ? whole('upgradeDatabase', upgrades) : null
  }
  const change = pending.oldestOfKind(KIND.networkTopologyChange)
  if (change >= 0) {
    const work = { kind: 'networkTopologyChange' } as const
    return { uids: [change], work, strategy: networkTask(change) }
  }
  const deletions = pending.allOfKind(KIND.taskDeletion)
  if (deletions.length > 0) return whole('taskDeletion', deletions)
  const compaction = pending.oldestOfKind(KIND.indexCompaction)
  if (compaction >= 0) return lone(state, compaction)
  const transfer = pending.oldestOfKind(KIND.export)
  if (transfer >= 0) return lone(state, transfer)
  const snapshots = pending.allOfKind(KIND.snapshotCreation)
  if (snapshots.length > 0) return whole('snapshotCreation', snapshots)
  const dump = pending.oldestOfKind(KIND.dumpCreation)
  if (dump >= 0) return lone(state, dump)
  const oldest = pending.oldestOfIndexes()
  if (oldest < 0) return null
  const choice = await ofIndex(state, oldest, index, limits)
  const late = pending.newestCancelation()
  return late < 0 ? choice : lone(state, late)
}

type WholeKind = 'upgradeDatabase' | 'taskDeletion' | 'snapshotCreation'

const whole = (kind: WholeKind, uids: readonly number[]): Choice => ({
  uids,
  work: { kind },
  strategy: wholeKind(kind),
})

function lone(state: TaskState, uid: number): Choice {
  const row = state.tasks.find(uid)
  const kind = kindOf(state.tasks.chunkOf(row).kind[rowIn(row)]!)
  return {
    uids: [uid],
    work: loneWork(kind, indexUidOf(state, row)),
    strategy: loneTask(uid, kind),
  }
}

function loneWork(kind: TaskKind, indexUid: string): BatchWork {
  switch (kind) {
    case 'indexCreation':
    case 'indexUpdate':
    case 'documentEdition':
    case 'indexCompaction':
      return { kind, indexUid }
    case 'indexSwap':
    case 'export':
    case 'dumpCreation':
    case 'taskCancelation':
      return { kind }
    default:
      throw new RangeError(`a ${kind} is never alone by its kind`)
  }
}

function indexUidOf(state: TaskState, row: number): string {
  return state.names.textOf(state.tasks.chunkOf(row).index[rowIn(row)]!) ?? ''
}

async function ofIndex(
  state: TaskState,
  oldest: number,
  index: IndexLookup,
  limits: BatchLimits,
): Promise<Choice> {
  const row = state.tasks.find(oldest)
  const number = state.indexesOf(row)[0] ?? 0
  const indexUid = state.names.textOf(number) ?? ''
  const batcher = new Autobatcher(index(indexUid), limits)
  let looked = 0
  for (const uid of state.pending.ofIndex(number)) {
    if (!batcher.offer(candidateOf(state, uid))) break
    if (++looked % STRIDE === 0) await pause()
  }
  const batch = batcher.finish()
  if (batch.state === 'alone') return lone(state, oldest)
  const strategy = batch.strategy ?? wholeQueue(state, batch, indexUid)
  return { uids: batch.uids, work: workOf(batch.state, indexUid, batch.mayCreate), strategy }
}

function wholeQueue(state: TaskState, batch: Autobatch, indexUid: string): string {
  let enqueued = 0
  for (const chunk of state.tasks.chunks) enqueued += chunk.statusCounts[STATUS.enqueued]!
  return enqueued === batch.uids.length ? ALL_TASKS : allOfIndex(indexUid)
}

function workOf(state: BatchState, indexUid: string, mayCreate: boolean): BatchWork {
  switch (state) {
    case 'documents':
    case 'idDeletions':
    case 'filterDeletions':
      return { kind: 'documents', indexUid, mayCreate }
    case 'dsrUpdates':
    case 'dsrClear':
      return { kind: state, indexUid }
    default:
      return { kind: state, indexUid, mayCreate }
  }
}

function candidateOf(state: TaskState, uid: number): Candidate {
  const row = state.tasks.find(uid)
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const flags = chunk.flags[r]!
  const kind = kindOf(chunk.kind[r]!)
  const isImport = kind === 'documentAdditionOrUpdate'
  return {
    uid,
    kind,
    next: nextTask(kind, flags),
    primaryKey: isImport ? state.names.textOf(chunk.primaryKey[r]!) : null,
    mayCreate: (flags & (FLAG_MAY_CREATE | FLAG_RESET)) === FLAG_MAY_CREATE,
    bodyBytes: chunk.bodyBytes[r]!,
  }
}

function nextTask(kind: TaskKind, flags: number): NextTask {
  switch (kind) {
    case 'documentAdditionOrUpdate':
      return 'import'
    case 'documentDeletion': {
      const by = deletesBy(flags)
      if (by === DELETES_ALL) return 'clear'
      return by === DELETES_IDS ? 'ids' : 'filter'
    }
    case 'settingsUpdate':
      return 'settings'
    case 'indexDeletion':
    case 'dsrUpdate':
    case 'dsrClear':
      return kind
    default:
      return 'alone'
  }
}

/** Whether a task of such a batch does anything; see `PlannedTask.runs`. */
export function runs(work: BatchWork, content: TaskContent): boolean {
  const clears = content.kind === 'documentDeletion' && content.by === 'all'
  switch (work.kind) {
    case 'clear':
      return clears
    case 'clearAndSettings':
      return clears || content.kind === 'settingsUpdate'
    case 'indexDeletion':
    case 'dsrClear':
      return content.kind === work.kind
    default:
      return true
  }
}
