// Merges the rows of several segments, without their dead documents, in order of ids.
import { assert } from '../errors.ts'
import type { Rows, RowsData } from '../fields/index.ts'
import type { IdSet } from '../idset/index.ts'
import type { FieldReader } from './field-reader.ts'

/** One of the inputs that has the field. */
export type FieldInput = {
  readonly field: FieldReader
  /** The ids of its dead documents or rows. */
  readonly dead: IdSet
  /**
   * By id the id in the result, in the same order, for ids that are not dead; null if they stay the
   * same. Ids that become one are united.
   */
  readonly map: Uint32Array | null
}

/** The rows of the live documents of one segment. */
export type LiveRows = {
  /** Ids of the live holders in the result, ascending; some may repeat. */
  readonly ids: Uint32Array
  /** Live holder i has ordinals[starts[i], ends[i]). */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly ordinals: Uint32Array
  /** By ordinal: 1 if a live document has it, else 0. */
  readonly used: Uint8Array
}

/** Reads and checks all rows. @throws CorruptionError */
export function liveRows(rows: Rows, { dead, map }: FieldInput): LiveRows {
  const all = rows.toArrays()
  const holders = rows.holders()
  const live = dead.isEmpty ? holders.set : holders.set.andNot(dead)
  const ids = live.toArray().slice()
  const starts = new Uint32Array(ids.length)
  const ends = new Uint32Array(ids.length)
  const used = new Uint8Array(rows.ordinalCount)
  const isWhole = ids.length === holders.size
  for (let n = 0; n < ids.length; n++) {
    const id = ids[n]!
    const rank = isWhole ? n : holders.rankOf(id)
    if (map !== null) ids[n] = map[id]!
    const start = all.starts[rank]!
    const end = all.starts[rank + 1]!
    starts[n] = start
    ends[n] = end
    for (let i = start; i < end; i++) used[all.ordinals[i]!] = 1
  }
  return { ids, starts, ends, ordinals: all.ordinals, used }
}

/**
 * Merges the rows of all segments in order of ids; `maps[s]` maps ordinals of segment s to new
 * ordinals. Rows of one id become one; of several ordinals of a group, which ascend, it has one.
 */
export function mergeRows(
  live: readonly LiveRows[],
  maps: readonly Uint32Array[],
  groups: Uint32Array | null = null,
): RowsData {
  assert(live.length === maps.length, 'each segment has a map of ordinals')
  let holderCount = 0
  let total = 0
  for (const rows of live) {
    holderCount += rows.ids.length
    for (let h = 0; h < rows.ids.length; h++) total += rows.ends[h]! - rows.starts[h]!
  }
  const holders = new Uint32Array(holderCount)
  const starts = new Uint32Array(holderCount + 1)
  const ordinals = new Uint32Array(total)
  const next = new Uint32Array(live.length)
  let at = 0
  let n = 0
  for (let h = 0; h < holderCount; h++) {
    const s = live.length === 1 ? 0 : lowestNext(live, next)
    const rows = live[s]!
    const map = maps[s]!
    const row = next[s]!++
    const id = rows.ids[row]!
    const isRepeated = n > 0 && holders[n - 1] === id
    if (!isRepeated) holders[n++] = id
    const from = isRepeated ? starts[n - 1]! : at
    for (let i = rows.starts[row]!; i < rows.ends[row]!; i++)
      ordinals[at++] = map[rows.ordinals[i]!]!
    if (isRepeated) at = dropRepeats(ordinals, from, at, groups)
    starts[n] = at
  }
  return {
    holders: holders.subarray(0, n),
    starts: starts.subarray(0, n + 1),
    ordinals: ordinals.subarray(0, at),
  }
}

/** Returns the segment whose next document has the lowest id. */
function lowestNext(live: readonly LiveRows[], next: Uint32Array): number {
  let lowest = -1
  let lowestId = Number.POSITIVE_INFINITY
  for (let s = 0; s < live.length; s++) {
    const { ids } = live[s]!
    const at = next[s]!
    if (at < ids.length && ids[at]! < lowestId) {
      lowest = s
      lowestId = ids[at]!
    }
  }
  return lowest
}

/**
 * Sorts ordinals[from, to) in place and moves the last of each group to the front. Returns the end
 * of those; without groups each ordinal is its own.
 */
function dropRepeats(
  ordinals: Uint32Array,
  from: number,
  to: number,
  groups: Uint32Array | null,
): number {
  sortPart(ordinals, from, to)
  const groupOf = (ordinal: number): number => (groups === null ? ordinal : groups[ordinal]!)
  let n = from
  for (let i = from; i < to; i++) {
    if (n > from && groupOf(ordinals[n - 1]!) === groupOf(ordinals[i]!)) n--
    ordinals[n++] = ordinals[i]!
  }
  return n
}

/** Most ordinals that are sorted by insertion: a view on fewer costs more than sorting them. */
const INSERTED_MAX = 16

function sortPart(ordinals: Uint32Array, from: number, to: number): void {
  if (to - from > INSERTED_MAX) {
    ordinals.subarray(from, to).sort()
    return
  }
  for (let i = from + 1; i < to; i++) {
    const one = ordinals[i]!
    let at = i
    for (; at > from && ordinals[at - 1]! > one; at--) ordinals[at] = ordinals[at - 1]!
    ordinals[at] = one
  }
}
