// A word as the dictionaries of a view's segments know it, and where its occurrences count.
import type { IdSet } from '../../../format/idset/index.ts'

/** Where occurrences count. `fields` null: everywhere; else ascending field ids. */
export type Scope = { readonly key: string; readonly fields: readonly number[] | null }
export const EVERYWHERE: Scope = { key: '*', fields: null }

export const scopeOf = (fields: readonly number[]): Scope => {
  const sorted = [...fields].sort((a, b) => a - b)
  return { key: sorted.join(','), fields: sorted }
}

/** A term as the dictionaries of the view know it. Made by `TextIndex.word` only. */
export class Word {
  readonly text: string
  readonly bytes: Uint8Array
  /** By segment: the term's ordinal there, or -1. */
  readonly ordinals: Int32Array
  /** Documents with the word, dead copies included: an upper bound, known without decoding. */
  readonly frequencyMax: number
  readonly docsByScope = new Map<string, IdSet>()

  constructor(text: string, bytes: Uint8Array, ordinals: Int32Array, frequencyMax: number) {
    this.text = text
    this.bytes = bytes
    this.ordinals = ordinals
    this.frequencyMax = frequencyMax
  }
}
