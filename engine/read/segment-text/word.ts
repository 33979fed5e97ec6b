// A word with its ordinals in the dictionaries of a view's segments, or all words that contain a
// text.
import { encoder } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/**
 * Begins the name of all words that contain a text. No query word and no term begins with it: the
 * marks of terms are those of engine/text (spelling.ts, stop-term.ts, element-end.ts, word-parts.ts,
 * stems.ts).
 */
const WITHIN = '\u0005'

/** Returns the name under which `TextIndex.word` gives all words that contain a text. */
export const wordsWith = (text: string): string => WITHIN + text

/** Returns the text that `wordsWith` named, or null for the name of a single word. */
export const textWithin = (name: string): string | null =>
  name.startsWith(WITHIN) ? name.slice(WITHIN.length) : null

/** A term of the view, or several that are searched as one. Created only by `TextIndex`. */
export class Word {
  readonly text: string
  /**
   * Null for a term. Else this stands for all terms that contain this text: each segment looks them
   * up.
   */
  readonly within: string | null
  /** By segment: the term's ordinal there, or -1; always -1 for several terms. */
  readonly ordinals: Int32Array
  /**
   * Upper bound of the number of documents with the word, dead copies included; needs no decoding.
   */
  readonly frequencyMax: number
  /** Live documents by scope; null until first used. */
  docsByScope: Map<string, IdSet> | null = null

  #bytes: Uint8Array | null = null

  constructor(
    text: string,
    ordinals: Int32Array,
    frequencyMax: number,
    within: string | null = null,
  ) {
    this.text = text
    this.within = within
    this.ordinals = ordinals
    this.frequencyMax = frequencyMax
  }

  /** The text as UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= encoder.encode(this.text)
    return this.#bytes
  }
}
