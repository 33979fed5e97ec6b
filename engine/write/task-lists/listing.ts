// Pages of tasks and batches. Clients observe the order of the steps: matches are counted, then a
// page is selected with one more entry than requested, and only then are entries removed that the
// caller may not see. Therefore a total may exceed the number of visible entries, and a page may be
// short and end the paging.

import { asTaskUid, type BatchUid, type TaskUid } from '../../../format/ids.ts'
import type { Visibility } from '../../model/index.ts'
import {
  CHUNK_ROWS,
  countByStatus,
  DEAD,
  type Matcher,
  matchChunk,
  matcherOf,
  NO_FILTER,
  PAGE_LIMIT_MAX,
  rowIn,
  STATUS,
  seesTask,
  type TaskChunk,
  type TaskFilter,
  type TaskPage,
  type TaskState,
  type VisibilityFilter,
  visibilityFilterOf,
} from '../task-data/index.ts'

const FINISHED = (1 << STATUS.succeeded) | (1 << STATUS.failed) | (1 << STATUS.canceled)

export type UidPage<Uid extends number> = {
  readonly uids: readonly Uid[]
  readonly total: number
  readonly from: Uid | null
  readonly next: Uid | null
  readonly limit: number
}

export function pageOfTasks(
  state: TaskState,
  filter: TaskFilter,
  page: TaskPage,
  visible: Visibility,
): UidPage<TaskUid> {
  const matcher = matcherOf(state, filter)
  const limit = Math.min(page.limit, PAGE_LIMIT_MAX)
  const { uids, total } = firstMatches(state, matcher, page, limit + 1)
  const isVisible = visibilityFilterOf(state, filter, visible)
  const seen = uids.filter((uid) => seesTask(state, state.tasks.find(uid), isVisible))
  return pageOf(seen, total, limit)
}

/** Builds a page: the last of `limit + 1` uids begins the next page. */
function pageOf<Uid extends number>(uids: Uid[], total: number, limit: number): UidPage<Uid> {
  const next = uids.length > limit ? uids.pop()! : null
  return { uids, total, from: uids[0] ?? null, next, limit }
}

function firstMatches(
  state: TaskState,
  matcher: Matcher,
  page: TaskPage,
  count: number,
): { uids: TaskUid[]; total: number } {
  const { chunks } = state.tasks
  const marks = new Uint8Array(CHUNK_ROWS)
  const uids: TaskUid[] = []
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
  uids: TaskUid[],
): void {
  for (let i = 0; i < chunk.rows && uids.length < count; i++) {
    const r = page.reverse ? i : chunk.rows - 1 - i
    if (marks[r] === 1 && isFrom(chunk.uid[r]!, page)) uids.push(chunk.uid[r]!)
  }
}

function isFrom(uid: TaskUid | BatchUid, page: TaskPage): boolean {
  if (page.from === null) return true
  return page.reverse ? uid >= page.from : uid <= page.from
}

/**
 * Returns batches with at least one task for each condition; statuses and indexes are those at the
 * end of the batch.
 */
export function pageOfBatches(
  state: TaskState,
  filter: TaskFilter,
  page: TaskPage,
  visible: Visibility,
): UidPage<BatchUid> {
  const matcher = matcherOf(state, filter)
  const ofTasks = batchesOfTasks(state, matcher)
  const limit = Math.min(page.limit, PAGE_LIMIT_MAX)
  const isVisible = visibilityFilterOf(state, filter, visible)
  const rows = selectedRows(state, matcher, ofTasks)
  const { batches } = state
  const seen: BatchUid[] = []
  let total = 0
  let selected = 0
  const count = rows === null ? batches.rows : rows.length
  for (let i = 0; i < count; i++) {
    const at = page.reverse ? i : count - 1 - i
    const row = rows === null ? at : rows[at]!
    if (!batches.isAlive(row) || !matchesBatch(state, row, matcher)) continue
    total++
    if (selected > limit || !isFrom(batches.uid[row]!, page)) continue
    selected++
    if (seesBatch(state, row, matcher.indexes, isVisible)) seen.push(batches.uid[row]!)
  }
  return pageOf(visible === null ? seen : withVisibleTasks(state, seen, isVisible), total, limit)
}

/** Returns the rows of explicitly selected batches, ascending, or null for all batches. */
function selectedRows(
  { batches }: TaskState,
  { batchUids }: Matcher,
  ofTasks: ReadonlySet<BatchUid> | null,
): readonly number[] | null {
  if (batchUids === null && ofTasks === null) return null
  const wanted =
    batchUids === null
      ? [...ofTasks!].sort((a, b) => a - b)
      : batchUids.filter((uid) => ofTasks === null || ofTasks.has(uid))
  return wanted.map((uid) => batches.find(uid)).filter((row) => row >= 0)
}

/**
 * Returns the batches of tasks that match conditions on tasks only, or null without such
 * conditions.
 */
function batchesOfTasks(state: TaskState, matcher: Matcher): ReadonlySet<BatchUid> | null {
  const { uids, canceledBy, enqueued } = matcher
  if (uids === null && canceledBy === null && enqueued === null) return null
  const sets: Set<BatchUid>[] = []
  const all = matcherOf(state, NO_FILTER)
  // A filter by task uid does not find the running batch, as in the reference.
  if (uids !== null) sets.push(batchesWith(state, { ...all, uids, statuses: FINISHED }))
  if (canceledBy !== null) sets.push(batchesWith(state, { ...all, canceledBy }))
  if (enqueued !== null) sets.push(batchesWith(state, { ...all, enqueued }))
  const [first, ...others] = sets
  return new Set([...first!].filter((uid) => others.every((set) => set.has(uid))))
}

function batchesWith(state: TaskState, matcher: Matcher): Set<BatchUid> {
  const marks = new Uint8Array(CHUNK_ROWS)
  const found = new Set<BatchUid>()
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

/** Returns whether a caller sees the batch in this row. */
export function seesBatchAt(state: TaskState, row: number, visible: Visibility): boolean {
  const isVisible = visibilityFilterOf(state, NO_FILTER, visible)
  if (!seesBatch(state, row, null, isVisible)) return false
  const uid = state.batches.uid[row]!
  return visible === null || withVisibleTasks(state, [uid], isVisible).length > 0
}

/**
 * Returns the batches, given by uid in order, of which a restricted caller sees all tasks, and all
 * indexes that they named when the batch ended: names, counts and details of a batch are those of
 * all its tasks. Goes through the tasks once: 1 ms for a million.
 */
function withVisibleTasks(
  state: TaskState,
  uids: readonly BatchUid[],
  isVisible: VisibilityFilter | null,
): BatchUid[] {
  const { batches, kinds, tasks } = state
  const left = new Set(
    uids.filter((uid) => {
      const row = batches.find(uid)
      if (kinds.hasGlobal(batches.kinds[row]!)) return false
      return batches.indexesOf(row).every((index) => isVisible!(index))
    }),
  )
  const ends = [uids[0] ?? 0, uids.at(-1) ?? 0]
  const [least, greatest] = [Math.min(...ends), Math.max(...ends)]
  for (const [c, chunk] of tasks.chunks.entries()) {
    for (let r = 0; r < chunk.rows; r++) {
      const uid = chunk.batch[r]!
      if (uid < least || uid > greatest || chunk.status[r] === DEAD || !left.has(uid)) continue
      if (!seesTask(state, c * CHUNK_ROWS + r, isVisible)) left.delete(uid)
    }
  }
  return uids.filter((uid) => left.has(uid))
}

/**
 * Returns whether a caller sees one of the indexes of a batch that it wants. As in the reference,
 * the batch is still hidden if the *task* that happens to have the batch's uid is not tied to one
 * index.
 */
function seesBatch(
  state: TaskState,
  row: number,
  wanted: Uint8Array | null,
  isVisible: VisibilityFilter | null,
): boolean {
  if (isVisible === null) return true
  const indexes = state.batches.indexesOf(row)
  if (!indexes.some((index) => isVisible(index) && (wanted === null || wanted[index] === 1)))
    return false
  const task = state.tasks.find(asTaskUid(state.batches.uid[row]!))
  if (task < 0) return true
  return !state.kinds.isGlobal(state.tasks.chunkOf(task).kind[rowIn(task)]!)
}
