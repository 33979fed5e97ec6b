// Sets of documents that are found by reading positions. Those of a large segment are cached with
// it, in parts, like those of pairs of many documents.
import type { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import {
  type Found,
  inLarge,
  inSmall,
  partsOf,
  segmentIndex,
  type TextIndex,
  uniteLive,
} from '../segment-text/index.ts'

/** Of fewer documents positions are read each time: some microseconds each. */
const CACHED_MIN = 64

/**
 * Returns `count` sets of documents of `among`. `read` finds them among ascending ids, in the index
 * of the view or of one segment. `key`: of the question, different for different ones.
 */
export function cachedMembers(
  index: TextIndex,
  key: string,
  count: number,
  among: IdSet,
  read: (index: TextIndex, ids: Uint32Array) => readonly IdSet[],
): readonly IdSet[] {
  if (among.size < CACHED_MIN) return read(index, among.toArray())
  const found: Found[][] = Array.from({ length: count }, () => [])
  const add = (sets: readonly IdSet[], dead: IdSet | null): void => {
    for (let i = 0; i < Math.min(count, sets.length); i++) found[i]!.push({ set: sets[i]!, dead })
  }
  index.segments.forEach(({ reader, dead }, s) => {
    if (!index.isLarge(s)) return
    const wanted = inLarge(index, s, among)
    add(
      partsOf(reader, key, wanted, (ids) => read(segmentIndex(reader), ids)),
      dead,
    )
  })
  const few = inSmall(index, among)
  if (few.length > 0) add(read(index, few), null)
  return mapped(found, (parts) => uniteLive(parts).and(among))
}
