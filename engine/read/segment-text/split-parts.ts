// The two parts of a word at each split position, looked up in one segment. Misspelled words are
// split at every position, and at nearly every one a part is not a word. Results for the largest
// segment are cached, because it stays across views; other segments are checked by the hashes of
// the parts.
import { hashOfText } from './small-terms.ts'

export type SplitPart = {
  /** UTF-16 units of the left part. */
  readonly at: number
  /** See `hashOfText`. */
  readonly leftHash: number
  readonly rightHash: number
  /**
   * Upper bound of the number of documents of the segment with both parts; 0 if one of them is not
   * a term.
   */
  readonly bothMax: number
  /**
   * Keys in `THREAD_SETS` of the documents of the segment with both parts adjacent, and in one
   * field; null if not computed yet, '' for no document.
   */
  adjacentKey: string | null
  sharedFieldKey: string | null
}

/** Words with cached parts before all are dropped: about 100 bytes a split. */
const WORDS_MAX = 2048
/** The parts of words with more UTF-16 units are not cached: such words are rare and take room. */
const CACHED_UNITS_MAX = 32

export class SplitParts {
  readonly #frequencyOf: (text: string) => number
  readonly #cached = new Map<string, readonly SplitPart[]>()

  /** `frequencyOf`: returns the number of documents of the segment with a word. */
  constructor(frequencyOf: (text: string) => number) {
    this.#frequencyOf = frequencyOf
  }

  /** Returns the parts of a word, from the left. */
  of(text: string): readonly SplitPart[] {
    const cached = this.#cached.get(text)
    if (cached !== undefined) return cached
    const parts: SplitPart[] = []
    for (let at = 1; at < text.length; at++) {
      if (isLowSurrogate(text.charCodeAt(at))) continue
      const left = text.slice(0, at)
      const right = text.slice(at)
      parts.push({
        at,
        leftHash: hashOfText(left),
        rightHash: hashOfText(right),
        bothMax: Math.min(this.#frequencyOf(left), this.#frequencyOf(right)),
        adjacentKey: null,
        sharedFieldKey: null,
      })
    }
    if (text.length > CACHED_UNITS_MAX) return parts
    if (this.#cached.size >= WORDS_MAX) this.#cached.clear()
    this.#cached.set(text, parts)
    return parts
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
