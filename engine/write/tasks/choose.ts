// What runs next. Kinds with a queue of their own come first, in a fixed order; then the oldest
// task that waits for an index, and with it as many of that index as go together.

import type { TaskUid } from '../../../format/ids.ts'
import { FLAG_MAY_CREATE, FLAG_RESET } from '../../../format/tasks/index.ts'
import { type BatchState, type NextTask, RUNNING, WORK } from './autobatch.table.ts'
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
import { type OwnQueue, STATUS } from './kinds.ts'
import type { BatchWork } from './plan.ts'
import { pause } from './slices.ts'
import type { TaskState } from './state.ts'
import { rowIn } from './task-table.ts'

/** How many waiting tasks are looked at between two points at which others may run: 2 ms. */
const STRIDE = 8192

export type Choice = {
  /** Ascending. */
  readonly uids: readonly number[]
  readonly work: BatchWork
  readonly strategy: string
}

/** Imports of topology changes that have ended: the queue cancels them. */
export const ORPHANS = 'orphans'
const ORPHAN_WORK: BatchWork = { kind: ORPHANS, indexUid: null, mayCreate: false }
const ORPHAN_STRATEGY = 'batched all imports of network topology changes that have ended'

export type IndexLookup = (indexUid: string) => IndexFacts

/**
 * The next batch, or null when nothing waits. Tasks may come in while it is chosen, but none ends.
 * `retried`: failed ones not to be tried again.
 */
export async function chooseBatch(
  state: TaskState,
  index: IndexLookup,
  limits: BatchLimits,
  retried: ReadonlySet<number>,
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
  const choice = await ofIndex(state, oldest, index, limits, change)
  for (const own of state.kinds.ownQueues) {
    const late = own.queue.takes === 'newest' ? waitingIn(state, own) : []
    if (late.length > 0) return ownChoice(state, own, late)
  }
  return choice
}

/** The oldest topology change that has not ended; -1: no such task. */
function oldestChange({ kinds, pending }: TaskState): number {
  const kind = kinds.find('networkTopologyChange')
  return kind === null ? -1 : pending.oldestOfKind(kind.number)
}

/** Changes of indexes wait behind a topology change; only what it imports goes on. */
function oldestOfIndexes({ pending, network }: TaskState, change: number): number {
  const oldest = pending.oldestOfIndexes()
  return change < 0 || oldest < change ? oldest : network.oldestImport(change)
}

/** Whether a task may be in a batch with the oldest one: both before the change, or both of it. */
function isBeside({ network }: TaskState, oldest: number, uid: number, change: number): boolean {
  if (change >= 0 && oldest > change) return network.isImport(uid)
  return (change < 0 || uid < change) && !network.isImport(uid)
}

/** The tasks of a kind that make its next batch. */
function waitingIn({ pending }: TaskState, { number, queue }: OwnQueue): readonly number[] {
  if (queue.takes === 'all') return pending.allOfKind(number)
  const uid = queue.takes === 'newest' ? pending.newestOfKind(number) : pending.oldestOfKind(number)
  return uid < 0 ? [] : [uid]
}

function ownChoice(state: TaskState, { name, queue }: OwnQueue, uids: readonly number[]): Choice {
  const uid = uids[0]!
  const usual = queue.takes === 'all' ? wholeKind(name) : loneTask(uid, name)
  const strategy = queue.strategy?.(uid) ?? usual
  return { uids, work: loneWork(state, uid, name), strategy }
}

function lone(state: TaskState, uid: TaskUid): Choice {
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

/** null: the task is not tied to one index. */
function indexUidOf(state: TaskState, row: number): string | null {
  return state.names.textOf(state.tasks.chunkOf(row).index[rowIn(row)]!)
}

async function ofIndex(
  state: TaskState,
  oldest: number,
  index: IndexLookup,
  limits: BatchLimits,
  change: number,
): Promise<Choice> {
  const row = state.tasks.find(oldest)
  const number = state.indexesOf(row)[0] ?? 0
  const indexUid = state.names.textOf(number) ?? ''
  const batcher = new Autobatcher(index(indexUid), limits)
  let looked = 0
  for (const uid of state.pending.ofIndex(number)) {
    if (!isBeside(state, oldest, uid, change)) continue
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

const workOf = (state: BatchState, indexUid: string, mayCreate: boolean): BatchWork => ({
  kind: WORK[state] ?? state,
  indexUid,
  mayCreate,
})

function candidateOf(state: TaskState, uid: TaskUid): Candidate {
  const row = state.tasks.find(uid)
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const flags = chunk.flags[r]!
  const next = roleOf(state, row)
  return {
    uid,
    kind: state.kinds.names[chunk.kind[r]!]!,
    next,
    primaryKey: next === 'import' ? state.names.textOf(chunk.primaryKey[r]!) : null,
    mayCreate: (flags & (FLAG_MAY_CREATE | FLAG_RESET)) === FLAG_MAY_CREATE,
    bodyBytes: chunk.bodyBytes[r]!,
  }
}

/** What a task is to its batch. */
export function roleOf(state: TaskState, row: number): NextTask {
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  const { queue } = state.kinds.of(chunk.kind[r]!)
  return queue.of === 'index' ? queue.role(chunk.flags[r]!) : 'alone'
}

/** Whether a task of such a batch does anything; see `PlannedTask.runs`. */
export const runs = (work: BatchWork, role: NextTask): boolean =>
  RUNNING[work.kind as BatchState]?.includes(role) ?? true
