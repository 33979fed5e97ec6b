// Unites sets of single segments, each without the dead documents of its segment.
import { IdSet } from '../../../format/idset/index.ts'
import { type SegmentSet, sortDistinct, WindowSet } from './range-bits.ts'
import { clearMembers } from './without-members.ts'

const NO_IDS = new Uint32Array(0)
/** Up to this many sets and further documents are united one by one. */
const TOGETHER_MIN = 3
/** Cost of sorting an id, in words of bits that could be created and counted instead. */
const SORT_COST = 16

/** The result for one segment, and its dead documents (null for none). */
export type Found<S extends SegmentSet = SegmentSet> = {
  readonly set: S
  readonly dead: IdSet | null
}

/**
 * Returns the live documents that any segment found. The result may be one of the sets itself. A
 * document is live in at most one segment; its copies elsewhere are dead.
 * `more`: further live documents, in any order and possibly repeated; not modified.
 */
export function uniteLive(found: readonly Found[], more: Uint32Array = NO_IDS): IdSet {
  const whole: Found<IdSet>[] = []
  const windows: Found<WindowSet>[] = []
  let largest: Found<IdSet> | null = null
  let length = 0
  for (const { dead, set } of found) {
    if (set.isEmpty) continue
    if (set instanceof WindowSet) {
      windows.push({ set, dead })
      length = Math.max(length, set.from + set.words.length)
      continue
    }
    const one = { set, dead }
    whole.push(one)
    length = Math.max(length, set.words === null ? (set.max >>> 5) + 1 : set.words.length)
    if (set.words === null) continue
    if (largest === null || set.words.length > largest.set.words!.length) largest = one
  }
  const isAlone = found.length === 1 && more.length === 0
  if (windows.length === 0 && (largest === null || isAlone)) return uniteSparse(whole, more)
  for (let i = 0; i < more.length; i++) length = Math.max(length, (more[i]! >>> 5) + 1)
  const words = largest === null ? new Uint32Array(length) : copyOfLive(largest, length)
  for (const one of whole) if (one !== largest) liveOf(one).orInto(words)
  for (const { dead, set } of windows) set.orLiveInto(words, dead)
  for (let i = 0; i < more.length; i++) words[more[i]! >>> 5]! |= 1 << (more[i]! & 31)
  return largest === null ? IdSet.ofWords(words) : IdSet.ofLazyWords(words)
}

function uniteSparse(found: readonly Found<IdSet>[], more: Uint32Array): IdSet {
  if (found.length + more.length > TOGETHER_MIN) return uniteTogether(found, more)
  let all = more.length === 0 ? IdSet.empty : IdSet.ofSorted(sortDistinct(more.slice()))
  for (const one of found) all = all.or(liveOf(one))
  return all
}

/** For many sparse sets: uniting them one after the other would copy the first one each time. */
function uniteTogether(found: readonly Found<IdSet>[], more: Uint32Array): IdSet {
  const live: IdSet[] = []
  let total = more.length
  let end = 0
  for (let i = 0; i < more.length; i++) end = Math.max(end, (more[i]! >>> 5) + 1)
  for (const one of found) {
    const set = liveOf(one)
    if (set.isEmpty) continue
    live.push(set)
    total += set.size
    end = Math.max(end, (set.max >>> 5) + 1)
  }
  if (more.length === 0 && isInRow(live)) return IdSet.ofSorted(idsOf(live, more, total))
  if (total * SORT_COST > end) {
    const words = new Uint32Array(end)
    for (const set of live) set.orInto(words)
    for (let i = 0; i < more.length; i++) words[more[i]! >>> 5]! |= 1 << (more[i]! & 31)
    return IdSet.ofWords(words)
  }
  return IdSet.ofSorted(sortDistinct(idsOf(live, more, total)))
}

/** Sorts sets by their smallest ids; returns true if each ends before the next one begins. */
function isInRow(sets: IdSet[]): boolean {
  sets.sort((a, b) => a.min - b.min)
  for (let i = 1; i < sets.length; i++) if (sets[i - 1]!.max >= sets[i]!.min) return false
  return true
}

/** Returns the `total` ids of all sets and of `more`. */
function idsOf(sets: readonly IdSet[], more: Uint32Array, total: number): Uint32Array {
  const ids = new Uint32Array(total)
  ids.set(more)
  let n = more.length
  for (const set of sets) {
    ids.set(set.toArray(), n)
    n += set.size
  }
  return ids
}

const liveOf = ({ set, dead }: Found<IdSet>): IdSet => {
  if (dead === null || dead.isEmpty || !set.intersects(dead)) return set
  return set.andNot(dead)
}

/** Copies a dense set without dead documents to `length` words that may be modified. */
function copyOfLive({ set, dead }: Found<IdSet>, length: number): Uint32Array {
  const own = set.words!
  let words = own.slice()
  if (length > own.length) {
    words = new Uint32Array(length)
    words.set(own)
  }
  if (dead !== null) clearMembers(words, dead)
  return words
}
