// What settings need to know about words.
import { normalizeExemptWord, normalizeStopWord } from '../text/index.ts'

export type TextTools = {
  /** Compatibility decomposition, case kept: how stop words are stored. */
  readonly decompose: (word: string) => string
  /** As terms are normalised: how words without typos are stored. */
  readonly normalise: (word: string) => string
}

export const TEXT_TOOLS: TextTools = {
  decompose: normalizeStopWord,
  normalise: normalizeExemptWord,
}
