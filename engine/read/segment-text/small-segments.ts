// The documents of a view's small segments, which each search reads: those with a term, and those
// with two words.

import { lengthened } from '../../../format/bytes/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type Found, uniteLive } from './live-sets.ts'
import { sortDistinct } from './range-bits.ts'
import type { ViewSegments } from './view-segments.ts'
import { EVERYWHERE, type Where, whereOfScope } from './where.ts'
import type { Word } from './word.ts'

const NO_IDS = new Uint32Array(0)
const ALL = whereOfScope(EVERYWHERE)

/** Shared by the thread: documents of terms of small segments, while their union is built. */
let smallIds = new Uint32Array(1024)

/** Returns a buffer with room for `count` ids; its contents are kept. */
function smallIdsUpTo(count: number): Uint32Array {
  if (count > smallIds.length) smallIds = lengthened(smallIds, count * 2)
  return smallIds
}

export class SmallSegments {
  readonly #view: ViewSegments
  #docs: IdSet | null = null

  constructor(view: ViewSegments) {
    this.#view = view
  }

  prepare(): void {
    this.#docs ??= this.#findDocs()
  }

  /** Live documents of small segments. */
  get docs(): IdSet {
    this.prepare()
    return this.#docs!
  }

  #findDocs(): IdSet {
    const { segments, small } = this.#view
    const found: Found[] = []
    for (let s = 0; s < segments.length; s++) {
      const { dead, reader } = segments[s]!
      if (small[s] !== null) found.push({ set: reader.ids(), dead })
    }
    return uniteLive(found)
  }

  /**
   * Reads the live documents of a term of a small segment into the buffer of the thread, from
   * position `count` on; returns the end.
   */
  read(s: number, ordinal: TermOrdinal, where: Where, count: number): number {
    const { reader, dead } = this.#view.segments[s]!
    const ids = smallIdsUpTo(count + reader.documentFrequency(ordinal))
    const end = this.#view.texts[s]!.readDocuments(ordinal, where, ids, count)
    if (dead === null) return end
    for (let i = count; i < end; i++) if (!dead.has(ids[i]!)) ids[count++] = ids[i]!
    return count
  }

  /** Returns the first `count` documents that `read` has read; valid until it is called again. */
  idsRead(count: number): Uint32Array {
    return smallIds.subarray(0, count)
  }

  /** Returns those of ascending `ids` that are live in small segments: mostly none. */
  among(ids: Uint32Array): Uint32Array {
    if (!this.#view.anySmall) return NO_IDS
    const { docs } = this
    return ids.filter((id) => docs.has(id))
  }

  /** Live documents of small segments that contain both words, ascending. */
  withBoth(left: Word, right: Word): Uint32Array {
    const { segments, small } = this.#view
    let both = IdSet.empty
    for (let s = 0; s < segments.length; s++) {
      if (small[s] === null || left.ordinals[s]! < 0 || right.ordinals[s]! < 0) continue
      const ofLeft = this.#setOf(s, left.ordinals[s]!)
      both = both.or(ofLeft.and(this.#setOf(s, right.ordinals[s]!)))
    }
    return both.toArray()
  }

  /** Live documents of a small segment with a term. */
  #setOf(s: number, ordinal: TermOrdinal): IdSet {
    const count = this.read(s, ordinal, ALL, 0)
    return IdSet.ofSorted(sortDistinct(smallIds.slice(0, count)))
  }
}
