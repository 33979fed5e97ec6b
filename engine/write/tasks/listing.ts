// Pages of tasks and of batches. The order of the steps is what clients see: matches are counted
// first, then a page is cut that is one longer than asked for, and only then is taken out what the
// caller may not see. So a total may be larger than what can be paged through, and a page may be
// short and end the paging.

import type { TaskUid } from '../../../format/ids.ts'
import type { Visibility } from '../../model/index.ts'
import { STATUS } from './kinds.ts'
import { PAGE_LIMIT_MAX } from './limits.ts'
import type { TaskFilter, TaskPage } from './lists.ts'
import {
  countByStatus,
  type Eyes,
  eyesOf,
  type Matcher,
  matchChunk,
  matcherOf,
  seesTask,
} from './match.ts'
import type { TaskState } from './state.ts'
import { CHUNK_ROWS, rowIn, type TaskChunk } from './task-table.ts'

const FINISHED = (1 << STATUS.succeeded) | (1 << STATUS.failed) | (1 << STATUS.canceled)

export type UidPage = {
  readonly uids: readonly number[]
  readonly total: number
  readonly from: number | null
  readonly next: number | null
  readonly limit: number
}

/** Matches everything. */
export const NO_FILTER: TaskFilter = {
  uids: null,
  batchUids: null,
  canceledBy: null,
  kinds: null,
  statuses: null,
  indexUids: null,
  afterEnqueuedAt: null,
  beforeEnqueuedAt: null,
  afterStartedAt: null,
  beforeStartedAt: null,
  afterFinishedAt: null,
  beforeFinishedAt: null,
}

export function pageOfTasks(
  state: TaskState,
  filter: TaskFilter,
  page: TaskPage,
  visible: Visibility,
): UidPage {
  const matcher = matcherOf(state, filter)
  const limit = Math.min(page.limit, PAGE_LIMIT_MAX)
  const { uids, total } = firstMatches(state, matcher, page, limit + 1)
  const eyes = eyesOf(state, filter, visible)
  const seen = uids.filter((uid) => seesTask(state, state.tasks.find(uid), eyes))
  return cut(seen, total, limit)
}

/** The last of `limit + 1` begins the next page. */
function cut(uids: number[], total: number, limit: number): UidPage {
  const next = uids.length > limit ? uids.pop()! : null
  return { uids, total, from: uids[0] ?? null, next, limit }
}

function firstMatches(
  state: TaskState,
  matcher: Matcher,
  page: TaskPage,
  count: number,
): { uids: number[]; total: number } {
  const { chunks } = state.tasks
  const marks = new Uint8Array(CHUNK_ROWS)
  const uids: number[] = []
  let total = 0
  for (let i = 0; i < chunks.length; i++) {
    const chunk = chunks[page.reverse ? i : chunks.length - 1 - i]!
    const isFull = uids.length >= count
    const matches =
      (isFull ? countByStatus(chunk, matcher) : null) ?? matchChunk(state, chunk, matcher, marks)
    total += matches
    if (matches > 0 && !isFull) collect(chunk, marks, page, count, uids)
  }
  return { uids, total }
}

function collect(
  chunk: TaskChunk,
  marks: Uint8Array,
  page: TaskPage,
  count: number,
  uids: number[],
): void {
  for (let i = 0; i < chunk.rows && uids.length < count; i++) {
    const r = page.reverse ? i : chunk.rows - 1 - i
    if (marks[r] === 1 && isFrom(chunk.uid[r]!, page)) uids.push(chunk.uid[r]!)
  }
}

function isFrom(uid: TaskUid, page: TaskPage): boolean {
  if (page.from === null) return true
  return page.reverse ? uid >= page.from : uid <= page.from
}

/**
 * Batches with at least one task for each thing asked for; statuses and indexes are those of their
 * end.
 */
export function pageOfBatches(
  state: TaskState,
  filter: TaskFilter,
  page: TaskPage,
  visible: Visibility,
): UidPage {
  const matcher = matcherOf(state, filter)
  const ofTasks = batchesOfTasks(state, matcher)
  const limit = Math.min(page.limit, PAGE_LIMIT_MAX)
  const eyes = eyesOf(state, filter, visible)
  const rows = rowsAskedFor(state, matcher, ofTasks)
  const { batches } = state
  const seen: number[] = []
  let total = 0
  let cutOut = 0
  const count = rows === null ? batches.rows : rows.length
  for (let i = 0; i < count; i++) {
    const at = page.reverse ? i : count - 1 - i
    const row = rows === null ? at : rows[at]!
    if (!batches.isAlive(row) || !matchesBatch(state, row, matcher)) continue
    total++
    if (cutOut > limit || !isFrom(batches.uid[row]!, page)) continue
    cutOut++
    if (seesBatch(state, row, matcher.indexes, eyes)) seen.push(batches.uid[row]!)
  }
  return cut(seen, total, limit)
}

/** The rows of the batches that are asked for one by one, ascending; null: all of them. */
function rowsAskedFor(
  { batches }: TaskState,
  { batchUids }: Matcher,
  ofTasks: ReadonlySet<number> | null,
): readonly number[] | null {
  if (batchUids === null && ofTasks === null) return null
  const wanted =
    batchUids === null
      ? [...ofTasks!].sort((a, b) => a - b)
      : batchUids.filter((uid) => ofTasks === null || ofTasks.has(uid))
  return wanted.map((uid) => batches.find(uid)).filter((row) => row >= 0)
}

/**
 * The batches of the tasks that match what only tasks know; null when nothing of the kind is asked
 * for.
 */
function batchesOfTasks(state: TaskState, matcher: Matcher): ReadonlySet<number> | null {
  const { uids, canceledBy, enqueued } = matcher
  if (uids === null && canceledBy === null && enqueued === null) return null
  const sets: Set<number>[] = []
  const all = matcherOf(state, NO_FILTER)
  // Who asks for tasks by uid does not find the running batch, as in the reference.
  if (uids !== null) sets.push(batchesWith(state, { ...all, uids, statuses: FINISHED }))
  if (canceledBy !== null) sets.push(batchesWith(state, { ...all, canceledBy }))
  if (enqueued !== null) sets.push(batchesWith(state, { ...all, enqueued }))
  const [first, ...others] = sets
  return new Set([...first!].filter((uid) => others.every((set) => set.has(uid))))
}

function batchesWith(state: TaskState, matcher: Matcher): Set<number> {
  const marks = new Uint8Array(CHUNK_ROWS)
  const found = new Set<number>()
  for (const chunk of state.tasks.chunks) {
    if (matchChunk(state, chunk, matcher, marks) === 0) continue
    for (let r = 0; r < chunk.rows; r++) if (marks[r] === 1) found.add(chunk.batch[r]!)
  }
  return found
}

function matchesBatch({ batches }: TaskState, row: number, matcher: Matcher): boolean {
  if ((batches.statuses[row]! & matcher.statuses) === 0) return false
  if ((batches.kinds[row]! & matcher.kinds) === 0) return false
  if (matcher.indexes !== null && !batches.hasIndex(row, matcher.indexes)) return false
  return (
    isWithin(batches.startedAt[row]!, matcher.started) &&
    isWithin(batches.finishedAt[row]!, matcher.finished)
  )
}

function isWithin(time: number, bounds: Matcher['started']): boolean {
  return bounds === null || (time > bounds.after && time < bounds.before)
}

/**
 * A restricted caller sees a batch when it may see one of its indexes. As in the reference, the
 * batch is hidden all the same if the *task* that happens to have the batch's uid is of no single
 * index.
 */
export function seesBatch(
  state: TaskState,
  row: number,
  wanted: Uint8Array | null,
  eyes: Eyes | null,
): boolean {
  if (eyes === null) return true
  const indexes = state.batches.indexesOf(row)
  if (!indexes.some((index) => eyes(index) && (wanted === null || wanted[index] === 1)))
    return false
  const task = state.tasks.find(state.batches.uid[row]!)
  if (task < 0) return true
  return !state.kinds.isGlobal(state.tasks.chunkOf(task).kind[rowIn(task)]!)
}
