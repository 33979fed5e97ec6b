// Unites sets of single segments, each without the dead documents of its segment.
import { IdSet } from '../../../format/idset/index.ts'
import { sortDistinct } from './sorted-ids.ts'
import { clearMembers } from './without-members.ts'

const NO_IDS = new Uint32Array(0)
/** Up to this many sets and further documents are united one by one. */
const TOGETHER_MIN = 3
/** Cost of sorting an id, in words of bits that could be created and counted instead. */
const SORT_COST = 16

/** The result for one segment, and its dead documents (null for none). */
export type Found = { readonly set: IdSet; readonly dead: IdSet | null }

/**
 * Returns the live documents that any segment found. The result may be one of the sets itself. A
 * document is live in at most one segment; its copies elsewhere are dead.
 * `more`: further live documents, in any order and possibly repeated; not modified.
 */
export function uniteLive(found: readonly Found[], more: Uint32Array = NO_IDS): IdSet {
  let largest: Found | null = null
  let length = 0
  for (const one of found) {
    const { words } = one.set
    if (one.set.isEmpty) continue
    length = Math.max(length, words === null ? (one.set.max >>> 5) + 1 : words.length)
    if (words === null) continue
    if (largest === null || words.length > largest.set.words!.length) largest = one
  }
  const isAlone = found.length === 1 && more.length === 0
  if (largest === null || isAlone) return uniteSparse(found, more)
  for (let i = 0; i < more.length; i++) length = Math.max(length, (more[i]! >>> 5) + 1)
  const words = copyOfLive(largest, length)
  for (const one of found) if (one !== largest) liveOf(one).orInto(words)
  for (let i = 0; i < more.length; i++) words[more[i]! >>> 5]! |= 1 << (more[i]! & 31)
  return IdSet.ofLazyWords(words)
}

function uniteSparse(found: readonly Found[], more: Uint32Array): IdSet {
  if (found.length + more.length > TOGETHER_MIN) return uniteTogether(found, more)
  let all = more.length === 0 ? IdSet.empty : IdSet.ofSorted(sortDistinct(more.slice()))
  for (const one of found) all = all.or(liveOf(one))
  return all
}

/** For many sparse sets: uniting them one after the other would copy the first one each time. */
function uniteTogether(found: readonly Found[], more: Uint32Array): IdSet {
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
  if (total * SORT_COST > end) {
    const words = new Uint32Array(end)
    for (const set of live) set.orInto(words)
    for (let i = 0; i < more.length; i++) words[more[i]! >>> 5]! |= 1 << (more[i]! & 31)
    return IdSet.ofWords(words)
  }
  const ids = new Uint32Array(total)
  ids.set(more)
  let n = more.length
  for (const set of live) {
    ids.set(set.toArray(), n)
    n += set.size
  }
  return IdSet.ofSorted(sortDistinct(ids))
}

const liveOf = ({ set, dead }: Found): IdSet => {
  if (dead === null || dead.isEmpty || !set.intersects(dead)) return set
  return set.andNot(dead)
}

/** Copies a dense set without dead documents to `length` words that may be modified. */
function copyOfLive({ set, dead }: Found, length: number): Uint32Array {
  const own = set.words!
  let words = own.slice()
  if (length > own.length) {
    words = new Uint32Array(length)
    words.set(own)
  }
  if (dead !== null) clearMembers(words, dead)
  return words
}
