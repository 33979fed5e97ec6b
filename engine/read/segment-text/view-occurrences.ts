// Where words occur in given documents of a view.
import { encoder } from '../../../format/bytes/index.ts'
import { Occurrences } from '../../../format/postings/index.ts'
import { gather, kernelOccurrences, type LocalOccurrences } from './local-occurrences.ts'
import { rangeBits } from './range-bits.ts'
import type { SmallSegments } from './small-segments.ts'
import type { ViewSegments } from './view-segments.ts'
import { withoutMembers } from './without-members.ts'
import type { Word } from './word.ts'

/** The shared buffer is freed if one huge request has made it larger than this. */
const REUSED_OCCURRENCES_MAX = 1 << 21

export class ViewOccurrences {
  readonly #view: ViewSegments
  readonly #small: SmallSegments
  readonly #found: Occurrences

  /** `buffer`: shared with other views of the same thread. */
  constructor(view: ViewSegments, small: SmallSegments, buffer: Occurrences = new Occurrences()) {
    this.#view = view
    this.#small = small
    this.#found = buffer
  }

  /** See `TextIndex.occurrences`. */
  of(words: readonly Word[], prefix: string | null, ids: Uint32Array): LocalOccurrences {
    const { onlyLarge, segments, texts } = this.#view
    const prefixBytes = prefix === null ? null : encoder.encode(prefix)
    const inSmall = this.#small.among(ids)
    const only = inSmall.length === 0 ? onlyLarge : -1
    if (only >= 0 && this.#candidates(only, ids, inSmall).length === ids.length) {
      const places = kernelOccurrences(this.#view.texts[only]!, only, words, prefixBytes, ids)
      if (places !== null) return places
    }
    const found = this.#found
    found.clear(REUSED_OCCURRENCES_MAX)
    for (let s = 0; s < segments.length; s++) {
      const candidates = this.#candidates(s, ids, inSmall)
      if (candidates.length === 0) continue
      const { reader } = segments[s]!
      let from = 0
      let to = 0
      if (prefixBytes !== null) ({ from, to } = reader.fst.range(prefixBytes))
      for (const word of words) {
        if (word.within !== null) {
          const ordinals = texts[s]!.termsWith(word.within)
          this.#withBits(candidates, (bits) => {
            reader.occurrencesOfList(ordinals, candidates, bits, found)
          })
        }
        const ordinal = word.ordinals[s]!
        if (ordinal < 0 || (ordinal >= from && ordinal < to)) continue
        reader.occurrencesFor(ordinal, candidates, candidates.length, found)
      }
      if (to === from) continue
      this.#withBits(candidates, (bits) => {
        reader.occurrencesOfRange(from, to, candidates, bits, found)
      })
    }
    return gather(found, ids)
  }

  /**
   * Returns those of ascending `ids` that may be live in a segment; exactly those in a small one.
   */
  #candidates(s: number, ids: Uint32Array, inSmall: Uint32Array): Uint32Array {
    const { dead, reader } = this.#view.segments[s]!
    if (this.#view.small[s] === null) {
      return dead === null || dead.isEmpty ? ids : withoutMembers(ids, dead)
    }
    if (inSmall.length === 0) return inSmall
    const members = reader.ids()
    return inSmall.filter((id) => members.has(id) && (dead === null || !dead.has(id)))
  }

  /** Calls `use` with a bit for each candidate. */
  #withBits(candidates: Uint32Array, use: (bits: Uint32Array) => void): void {
    const bits = rangeBits(this.#view.idEnd)
    for (let i = 0; i < candidates.length; i++) {
      bits[candidates[i]! >>> 5]! |= 1 << (candidates[i]! & 31)
    }
    try {
      use(bits)
    } finally {
      // Cleared even after an error, because other views of the thread use the bits next.
      for (let i = 0; i < candidates.length; i++) bits[candidates[i]! >>> 5] = 0
    }
  }
}
