// The text functions that settings use.
import { normalizeExemptWord, normalizeStopWord } from '../../text/index.ts'

export type TextTools = {
  /** Compatibility decomposition that keeps case: the stored form of stop words. */
  readonly decompose: (word: string) => string
  /** Normalisation as for terms: the stored form of words without typos. */
  readonly normalise: (word: string) => string
}

export const TEXT_TOOLS: TextTools = {
  decompose: normalizeStopWord,
  normalise: normalizeExemptWord,
}
