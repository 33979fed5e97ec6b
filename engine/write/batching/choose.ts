// The choice of the next batch. Kinds with separate queues come first, in a fixed order; then the
// oldest task that waits for an index, with as many further tasks of the index as fit.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { asIndexUid, asTaskUid, type IndexUid, type TaskUid } from '../../../format/ids.ts'
import { FLAG_MAY_CREATE, FLAG_RESET } from '../../../format/tasks/index.ts'
import {
  type BatchState,
  type OwnQueue,
  RUNNING,
  rowIn,
  STATUS,
  type TaskRole,
  type TaskState,
  WORK,
} from '../task-data/index.ts'
import {
  ALL_TASKS,
  type Autobatch,
  Autobatcher,
  allOfIndex,
  type BatchLimits,
  type Candidate,
  type IndexFacts,
  loneTask,
  wholeKind,
} from './autobatch.ts'
import type { BatchWork } from './plan.ts'

/** Number of waiting tasks examined before other work may run: 2 ms. */
const STRIDE = 8192

export type Choice = {
  /** Ascending. */
  readonly uids: readonly TaskUid[]
  readonly work: BatchWork
  readonly strategy: string
}

/** Imports of topology changes that have ended; the queue cancels them. */
export const ORPHANS = 'orphans'
const ORPHAN_WORK: BatchWork = { kind: ORPHANS, indexUid: null, mayCreate: false }
const ORPHAN_STRATEGY = 'batched all imports of network topology changes that have ended'

export type IndexLookup = (indexUid: IndexUid) => IndexFacts

/**
 * Returns the next batch, or null if no task waits. Tasks may arrive meanwhile, but none may end.
 * `retried`: failed tasks that are not tried again.
 */
export async function chooseBatch(
  state: TaskState,
  index: IndexLookup,
  limits: BatchLimits,
  retried: ReadonlySet<TaskUid>,
): Promise<Choice | null> {
  const change = oldestChange(state)
  const orphans = state.network.orphans(change)
  if (orphans.length > 0) return { uids: orphans, work: ORPHAN_WORK, strategy: ORPHAN_STRATEGY }
  for (const own of state.kinds.ownQueues) {
    const uids = waitingIn(state, own)
    if (uids.length === 0) continue
    if (uids[0] === change && state.network.ready !== change) continue
    const isStuck = state.kinds.isRetried(own.number) && uids.every((uid) => retried.has(uid))
    return isStuck ? null : ownChoice(state, own, uids)
  }
  const oldest = oldestOfIndexes(state, change)
  if (oldest < 0) return null
  const choice = await chooseOfIndex(state, oldest, index, limits, change)
  for (const own of state.kinds.ownQueues) {
    const late = own.queue.takes === 'newest' ? waitingIn(state, own) : []
    if (late.length > 0) return ownChoice(state, own, late)
  }
  return choice
}

/** Returns the oldest topology change that has not ended, or -1. */
function oldestChange({ kinds, pending }: TaskState): TaskUid {
  const kind = kinds.find('networkTopologyChange')
  return kind === null ? asTaskUid(-1) : pending.oldestOfKind(kind.number)
}

/** Changes of indexes wait behind a topology change; only its imports continue. */
function oldestOfIndexes({ pending, network }: TaskState, change: TaskUid): TaskUid {
  const oldest = pending.oldestOfIndexes()
  return change < 0 || oldest < change ? oldest : network.oldestImport(change)
}

/**
 * Returns whether a task may be in a batch with the oldest one: both before the topology change, or
 * both part of it.
 */
function fitsOldest(
  { network }: TaskState,
  oldest: TaskUid,
  uid: TaskUid,
  change: TaskUid,
): boolean {
  if (change >= 0 && oldest > change) return network.isImport(uid)
  return (change < 0 || uid < change) && !network.isImport(uid)
}

/** Returns the tasks of a kind that form its next batch. */
export function waitingIn({ pending }: TaskState, { number, queue }: OwnQueue): readonly TaskUid[] {
  if (queue.takes === 'all') return pending.allOfKind(number)
  const uid = queue.takes === 'newest' ? pending.newestOfKind(number) : pending.oldestOfKind(number)
  return uid < 0 ? [] : [uid]
}

export function ownChoice(
  state: TaskState,
  { name, queue }: OwnQueue,
  uids: readonly TaskUid[],
): Choice {
  const uid = uids[0]!
  const usual = queue.takes === 'all' ? wholeKind(name) : loneTask(uid, name)
  const strategy = queue.strategy?.(uid) ?? usual
  return { uids, work: loneWork(state, uid, name), strategy }
}

function loneChoice(state: TaskState, uid: TaskUid): Choice {
  const name = kindOfTask(state, uid)
  return { uids: [uid], work: loneWork(state, uid, name), strategy: loneTask(uid, name) }
}

const loneWork = (state: TaskState, uid: TaskUid, kind: string): BatchWork => ({
  kind,
  indexUid: indexUidOf(state, state.tasks.find(uid)),
  mayCreate: false,
})

function kindOfTask(state: TaskState, uid: TaskUid): string {
  const row = state.tasks.find(uid)
  return state.kinds.names[state.tasks.chunkOf(row).kind[rowIn(row)]!]!
}

/** Returns null if the task is not tied to one index. */
export function indexUidOf(state: TaskState, row: number): IndexUid | null {
  return state.names.indexUid(state.tasks.chunkOf(row).index[rowIn(row)]!)
}

async function chooseOfIndex(
  state: TaskState,
  oldest: TaskUid,
  index: IndexLookup,
  limits: BatchLimits,
  change: TaskUid,
): Promise<Choice> {
  const row = state.tasks.find(oldest)
  const number = state.indexesOf(row)[0] ?? 0
  const indexUid = state.names.indexUid(number) ?? asIndexUid('')
  const batcher = new Autobatcher(index(indexUid), limits)
  let examined = 0
  for (const uid of state.pending.ofIndex(number)) {
    if (!fitsOldest(state, oldest, uid, change)) continue
    if (!batcher.offer(candidateOf(state, uid))) break
    if (++examined % STRIDE === 0) await nextTurn()
  }
  const batch = batcher.finish()
  if (batch.state === 'alone') return loneChoice(state, oldest)
  const strategy = batch.strategy ?? wholeQueue(state, batch, indexUid)
  return { uids: batch.uids, work: workOf(batch.state, indexUid, batch.mayCreate), strategy }
}

export function wholeQueue(state: TaskState, batch: Autobatch, indexUid: IndexUid): string {
  let enqueued = 0
  for (const chunk of state.tasks.chunks) enqueued += chunk.statusCounts[STATUS.enqueued]!
  return enqueued === batch.uids.length ? ALL_TASKS : allOfIndex(indexUid)
}

export const workOf = (state: BatchState, indexUid: IndexUid, mayCreate: boolean): BatchWork => ({
  kind: WORK[state] ?? state,
  indexUid,
  mayCreate,
})

export function candidateOf(state: TaskState, uid: TaskUid): Candidate {
  const row = state.tasks.find(uid)
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const flags = chunk.flags[r]!
  const next = roleOf(state, row)
  return {
    uid,
    kind: state.kinds.names[chunk.kind[r]!]!,
    role: next,
    primaryKey: next === 'import' ? state.names.textOf(chunk.primaryKey[r]!) : null,
    mayCreate: (flags & (FLAG_MAY_CREATE | FLAG_RESET)) === FLAG_MAY_CREATE,
    bodyBytes: chunk.bodyBytes[r]!,
  }
}

/** Returns the role of a task in a batch. */
export function roleOf(state: TaskState, row: number): TaskRole {
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const { queue } = state.kinds.of(chunk.kind[r]!)
  return queue.of === 'index' ? queue.role(chunk.flags[r]!) : 'alone'
}

/** Returns whether a task of such a batch has an effect; see `PlannedTask`. */
export const hasEffect = (work: BatchWork, role: TaskRole): boolean =>
  RUNNING[work.kind as BatchState]?.includes(role) ?? true
