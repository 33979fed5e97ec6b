// Keys of a walk as texts with their hashes, whichever way the dictionary is walked.
import { exactDecoder } from '../bytes/index.ts'
import type { FstCursor } from './cursor.ts'
import type { FuzzyCursor } from './fuzzy.ts'

/** Hash of a key's bytes: FNV-1a, 32 bits (G. Fowler, L. C. Noll, K.-P. Vo, 1991). */
export function hashOf(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash >>> 0
}

/** A pull cursor: `next` moves to the next key, and returns false at the end. */
export class KeyWalk {
  protected cursor: FuzzyCursor | FstCursor | null
  text = ''
  /** See `hashOf`. */
  hash = 0
  ordinal = -1
  /** Distance from the query; 0 for prefixes. */
  distance = 0
  /** Whether the key begins with the query's first code point. */
  sameFirst = true

  constructor(cursor: FuzzyCursor | FstCursor | null) {
    this.cursor = cursor
  }

  /** @throws CorruptionError */
  next(): boolean {
    const { cursor } = this
    if (cursor === null || !cursor.next()) return false
    const { bytes, length, ordinal } = cursor
    this.text = exactDecoder.decode(bytes.subarray(0, length))
    this.hash = hashOf(bytes, length)
    this.ordinal = ordinal
    if ('distance' in cursor) {
      this.distance = cursor.distance
      this.sameFirst = cursor.sameFirst
    }
    return true
  }
}
