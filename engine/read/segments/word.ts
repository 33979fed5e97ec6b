// A word as the dictionaries of a view's segments know it.
import type { IdSet } from '../../../format/idset/index.ts'

const encoder = new TextEncoder()

/** A term as the dictionaries of the view know it. Made by `TextIndex` only. */
export class Word {
  readonly text: string
  /** By segment: the term's ordinal there, or -1. */
  readonly ordinals: Int32Array
  /** Documents with the word, dead copies included: an upper bound, known without decoding. */
  readonly frequencyMax: number
  /** Live documents by scope; null until asked for. */
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
