// The two parts of a word at each place where it can be split, as one segment has them. Misspelled
// words are split at every place, and nearly everywhere one of the parts is no word. What the
// largest segment says of it is kept, as the segment stays from view to view; others are asked by
// the hashes of the parts.
import { hashOfText } from './small-terms.ts'

export type SplitPart = {
  /** UTF-16 units of the left part. */
  readonly at: number
  /** See `hashOfText`. */
  readonly leftHash: number
  readonly rightHash: number
  /** At most so many documents of the segment hold both parts; 0: one of them is no term. */
  readonly bothMax: number
  /**
   * Under which keys of `THREAD_SETS` are the documents of the segment with both parts side by
   * side; null: not looked for yet, '': no document has them so. The second is for parts in one
   * field.
   */
  adjacentKey: string | null
  sharedFieldKey: string | null
}

/** Words whose parts are kept before all are forgotten: about 100 bytes a split. */
const WORDS_MAX = 2048
/** Parts of longer words are made each time, in UTF-16 units: they are rare and take room. */
const KEPT_UNITS_MAX = 32

export class SplitParts {
  readonly #frequencyOf: (text: string) => number
  readonly #known = new Map<string, readonly SplitPart[]>()

  /** `frequencyOf`: how many documents of the segment have a word. */
  constructor(frequencyOf: (text: string) => number) {
    this.#frequencyOf = frequencyOf
  }

  /** The parts of a word, from the left. */
  of(text: string): readonly SplitPart[] {
    const known = this.#known.get(text)
    if (known !== undefined) return known
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
    if (text.length > KEPT_UNITS_MAX) return parts
    if (this.#known.size >= WORDS_MAX) this.#known.clear()
    this.#known.set(text, parts)
    return parts
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
