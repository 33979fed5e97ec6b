// Filters over the columns of tasks and batches. A filter is compiled once into masks and marks,
// then plain loops run over each chunk. Chunks without any wanted status are skipped: lists of
// waiting tasks, which clients request most, cost almost nothing.

import { asIndexUid, type BatchUid, type TaskUid, type U32Of } from '../../../format/ids.ts'
import type { Visibility } from '../../model/index.ts'
import { STATUS } from './kinds.ts'
import type { TaskFilter } from './lists.ts'
import { NO_NAME } from './names.ts'
import type { TaskState } from './state.ts'
import { CHUNK_ROWS, DEAD, FLAG_NAMED, rowIn, rowOf, type TaskChunk } from './task-table.ts'

const ALL = 0xffffffff

type Bounds = { readonly after: number; readonly before: number } | null

/** A compiled filter. null: no restriction. */
export type Matcher = {
  /** These three lists ascend, without repeats. */
  readonly uids: readonly TaskUid[] | null
  readonly batchUids: readonly BatchUid[] | null
  readonly canceledBy: readonly TaskUid[] | null
  readonly kinds: number
  readonly statuses: number
  /** By number of the index: 1 if wanted. */
  readonly indexes: Uint8Array | null
  readonly enqueued: Bounds
  readonly started: Bounds
  readonly finished: Bounds
}

export function matcherOf(state: TaskState, filter: TaskFilter): Matcher {
  return {
    uids: ascending(filter.uids),
    batchUids: ascending(filter.batchUids),
    canceledBy: ascending(filter.canceledBy),
    kinds:
      filter.kinds === null ? ALL : maskOf(filter.kinds.map((kind) => state.kinds.numberOf(kind))),
    statuses: filter.statuses === null ? ALL : maskOf(filter.statuses.map((s) => STATUS[s])),
    indexes: filter.indexUids === null ? null : marksOf(state, filter.indexUids),
    enqueued: boundsOf(filter.afterEnqueuedAt, filter.beforeEnqueuedAt),
    started: boundsOf(filter.afterStartedAt, filter.beforeStartedAt),
    finished: boundsOf(filter.afterFinishedAt, filter.beforeFinishedAt),
  }
}

const ascending = <Uid extends number>(uids: readonly Uid[] | null): readonly Uid[] | null =>
  uids === null ? null : [...new Set(uids)].sort((a, b) => a - b)

const maskOf = (numbers: readonly number[]): number =>
  numbers.reduce((mask, number) => mask | (1 << number), 0) >>> 0

function marksOf(state: TaskState, names: readonly string[]): Uint8Array {
  const marks = new Uint8Array(state.names.count)
  for (const name of names) {
    const number = state.names.find(name)
    if (number !== null) marks[number] = 1
  }
  return marks
}

const boundsOf = (after: number | null, before: number | null): Bounds =>
  after === null && before === null
    ? null
    : { after: after ?? Number.NEGATIVE_INFINITY, before: before ?? Number.POSITIVE_INFINITY }

/** Returns the number of matching rows if the filter only names statuses, else null. */
export function countByStatus(chunk: TaskChunk, matcher: Matcher): number | null {
  const { uids, batchUids, canceledBy, kinds, indexes, enqueued, started, finished } = matcher
  if (uids !== null || batchUids !== null || canceledBy !== null || kinds !== ALL) return null
  if (indexes !== null || enqueued !== null || started !== null || finished !== null) return null
  let count = 0
  for (let s = 0; s < chunk.statusCounts.length; s++) {
    if ((matcher.statuses >>> s) & 1) count += chunk.statusCounts[s]!
  }
  return count
}

/** Marks matching rows with 1, others with 0. Returns the number of matches. */
export function matchChunk(
  state: TaskState,
  chunk: TaskChunk,
  matcher: Matcher,
  marks: Uint8Array,
): number {
  if (!hasStatus(chunk, matcher.statuses) || !mayHave(chunk, matcher.uids)) return 0
  matchMasks(chunk, matcher.statuses, matcher.kinds, marks)
  if (matcher.enqueued !== null) matchTimes(chunk.rows, chunk.enqueuedAt, matcher.enqueued, marks)
  if (matcher.started !== null) matchTimes(chunk.rows, chunk.startedAt, matcher.started, marks)
  if (matcher.finished !== null) matchTimes(chunk.rows, chunk.finishedAt, matcher.finished, marks)
  if (matcher.indexes !== null) matchIndexes(state, chunk, matcher.indexes, marks)
  if (matcher.batchUids !== null) matchSet(chunk.rows, chunk.batch, matcher.batchUids, marks)
  if (matcher.canceledBy !== null) matchSet(chunk.rows, chunk.canceledBy, matcher.canceledBy, marks)
  if (matcher.uids !== null) matchUids(chunk, matcher.uids, marks)
  let count = 0
  for (let r = 0; r < chunk.rows; r++) count += marks[r]!
  return count
}

function hasStatus(chunk: TaskChunk, statuses: number): boolean {
  for (let s = 0; s < chunk.statusCounts.length; s++) {
    if ((statuses >>> s) & 1 && chunk.statusCounts[s]! > 0) return true
  }
  return false
}

function mayHave(chunk: TaskChunk, uids: readonly TaskUid[] | null): boolean {
  if (uids === null) return true
  const at = lowerBound(uids, chunk.uid[0]!)
  return at < uids.length && uids[at]! <= chunk.uid[chunk.rows - 1]!
}

function matchMasks(chunk: TaskChunk, statuses: number, kinds: number, marks: Uint8Array): void {
  const { status, kind, rows } = chunk
  for (let r = 0; r < rows; r++) {
    const s = status[r]!
    marks[r] = s === DEAD ? 0 : (statuses >>> s) & (kinds >>> kind[r]!) & 1
  }
}

function matchTimes(
  rows: number,
  times: Float64Array,
  bounds: NonNullable<Bounds>,
  marks: Uint8Array,
): void {
  const { after, before } = bounds
  for (let r = 0; r < rows; r++) {
    const time = times[r]!
    if (!(time > after && time < before)) marks[r] = 0
  }
}

function matchIndexes(
  state: TaskState,
  chunk: TaskChunk,
  wanted: Uint8Array,
  marks: Uint8Array,
): void {
  const { index, flags, rows } = chunk
  for (let r = 0; r < rows; r++) {
    if (marks[r] === 0 || wanted[index[r]!] === 1) continue
    const names = (flags[r]! & FLAG_NAMED) === 0 ? undefined : state.named.get(chunk.uid[r]!)
    if (names === undefined || !names.some((name) => wanted[name] === 1)) marks[r] = 0
  }
}

/** Requested uids are mostly close together: comparing with both ends avoids most set lookups. */
function matchSet(
  rows: number,
  uids: Uint32Array,
  wanted: readonly number[],
  marks: Uint8Array,
): void {
  const least = wanted[0] ?? 0
  const greatest = wanted.at(-1) ?? -1
  const set = new Set(wanted)
  for (let r = 0; r < rows; r++) {
    const uid = uids[r]!
    if (uid < least || uid > greatest || !set.has(uid)) marks[r] = 0
  }
}

/** Unmarks the rows whose uid is not wanted. */
function matchUids(chunk: TaskChunk, wanted: readonly TaskUid[], marks: Uint8Array): void {
  const matches: number[] = []
  for (let i = lowerBound(wanted, chunk.uid[0]!); i < wanted.length; i++) {
    if (wanted[i]! > chunk.uid[chunk.rows - 1]!) break
    const r = rowOf(chunk, wanted[i]!)
    if (r >= 0 && marks[r] === 1) matches.push(r)
  }
  marks.fill(0, 0, chunk.rows)
  for (const r of matches) marks[r] = 1
}

function lowerBound(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Returns whether the caller may see the index with this number; the server is called once for each
 * index.
 */
export type VisibilityFilter = (index: number) => boolean

/**
 * Returns the visibility filter of a caller: the indexes of its key. A caller that filters by index
 * counts as restricted too, but then only tasks that are not tied to one index are hidden. null:
 * everything is visible.
 */
export function visibilityFilterOf(
  state: TaskState,
  filter: TaskFilter,
  visible: Visibility,
): VisibilityFilter | null {
  if (visible === null) return filter.indexUids === null ? null : () => true
  const seen = new Map<number, boolean>()
  return (index) => {
    let answer = seen.get(index)
    if (answer === undefined)
      seen.set(index, (answer = visible(state.names.indexUid(index) ?? asIndexUid(''))))
    return answer
  }
}

/**
 * Returns whether a caller sees a task: one tied to an index, if it may see every index that the
 * task names.
 */
export function seesTask(
  state: TaskState,
  row: number,
  isVisible: VisibilityFilter | null,
): boolean {
  if (isVisible === null) return true
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  if (state.kinds.isGlobal(chunk.kind[r]!)) return false
  if (chunk.index[r] !== NO_NAME && !isVisible(chunk.index[r]!)) return false
  if ((chunk.flags[r]! & FLAG_NAMED) === 0) return true
  return state.named.get(chunk.uid[r]!)!.every(isVisible)
}

/** Returns all matching visible uids, ascending. */
export function matchingUids(
  state: TaskState,
  filter: TaskFilter,
  visible: Visibility,
): Uint32Array {
  const matcher = matcherOf(state, filter)
  const isVisible = visibilityFilterOf(state, filter, visible)
  const marks = new Uint8Array(CHUNK_ROWS)
  const found: Uint32Array[] = []
  for (let c = 0; c < state.tasks.chunks.length; c++) {
    const chunk = state.tasks.chunks[c]!
    const count = matchChunk(state, chunk, matcher, marks)
    if (count === 0) continue
    const uids = new Uint32Array(count)
    let n = 0
    for (let r = 0; r < chunk.rows; r++) {
      if (marks[r] === 1 && seesTask(state, c * CHUNK_ROWS + r, isVisible))
        uids[n++] = chunk.uid[r]!
    }
    found.push(uids.subarray(0, n))
  }
  return concatenated(found)
}

function concatenated(parts: readonly Uint32Array[]): Uint32Array {
  const out = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Returns the oldest finished tasks, at most `count`. */
export function oldestFinished(state: TaskState, count: number): U32Of<TaskUid> {
  const uids = new Uint32Array(count) as U32Of<TaskUid>
  let n = 0
  for (const chunk of state.tasks.chunks) {
    for (let r = 0; r < chunk.rows && n < count; r++) {
      const status = chunk.status[r]!
      if (status >= STATUS.succeeded && status !== DEAD) uids[n++] = chunk.uid[r]!
    }
  }
  return uids.subarray(0, n) as U32Of<TaskUid>
}
