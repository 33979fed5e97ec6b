// A word with its ordinals in the dictionaries of a view's segments.
import { encoder } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/** A term of the view. Created only by `TextIndex`. */
export class Word {
  readonly text: string
  /** By segment: the term's ordinal there, or -1. */
  readonly ordinals: Int32Array
  /**
   * Upper bound of the number of documents with the word, dead copies included; needs no decoding.
   */
  readonly frequencyMax: number
  /** Live documents by scope; null until first used. */
  docsByScope: Map<string, IdSet> | null = null

  #bytes: Uint8Array | null = null

  constructor(text: string, ordinals: Int32Array, frequencyMax: number) {
    this.text = text
    this.ordinals = ordinals
    this.frequencyMax = frequencyMax
  }

  /** The text as UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= encoder.encode(this.text)
    return this.#bytes
  }
}
