// Caches the sets of pairs of one segment, whole or in parts; `near.ts` says which pairs are near.
//
// Entries of THREAD_PAIRS: a whole pair has its sets by cost. A pair in parts, under another key,
// has the sets of the documents read so far, and then these documents.
import { IdSet } from '../../../format/idset/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'
import { segmentKey, THREAD_PAIRS } from './set-cache.ts'

/** Pairs of fewer documents are read completely and cached, even if the search needs only some. */
const READ_DOCUMENTS_MAX = 256
/**
 * Pairs of up to this many documents are read completely when they are needed for the second time:
 * a millisecond. Those of more documents are cached in parts.
 */
export const WHOLE_DOCUMENTS_MAX = 4096
/** Pairs for each segment of which is remembered that they were read. */
const READ_BEFORE_MAX = 4096

/** Documents whose occurrences are in memory at the same time. */
const READ_AT_ONCE = 65_536

const readBefore = new WeakMap<TextReader, Set<string>>()

/**
 * Returns true if all documents of a pair should be read and cached: if there are few, if half of
 * them are wanted, or if the pair was wanted before.
 */
export function isReadWhole(reader: TextReader, key: string, wanted: number, all: number): boolean {
  if (all < READ_DOCUMENTS_MAX || wanted * 2 >= all) return true
  let before = readBefore.get(reader)
  if (before === undefined || before.size >= READ_BEFORE_MAX) {
    readBefore.set(reader, (before = new Set()))
  }
  if (before.has(key)) return true
  before.add(key)
  return false
}

/**
 * Returns sets of one segment that are right for the documents of `wanted`: reads those that were
 * not read before, and caches the sets, with the documents read so far behind them.
 */
export function partsOf(
  reader: TextReader,
  key: string,
  wanted: IdSet,
  readParts: (ids: Uint32Array) => readonly IdSet[],
): readonly IdSet[] {
  const whole = THREAD_PAIRS.find(segmentKey(reader) + key)
  if (whole !== null) return whole
  const own = `${segmentKey(reader)}p${key}`
  const cached = THREAD_PAIRS.find(own) ?? []
  const known = cached.at(-1) ?? IdSet.empty
  const left = wanted.andNot(known)
  if (left.isEmpty) return cached
  const sets = cached.slice(0, -1)
  const ids = left.toArray()
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const part = ids.length <= READ_AT_ONCE ? ids : ids.slice(at, at + READ_AT_ONCE)
    readParts(part).forEach((set, cost) => {
      sets[cost] = (sets[cost] ?? IdSet.empty).or(set)
    })
  }
  sets.push(known.or(left))
  return THREAD_PAIRS.replace(own, sets)
}
