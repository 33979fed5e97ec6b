// Words that searches pass over.
import { sortedSet } from './patches.ts'
import { setting } from './setting.ts'
import { isTexts } from './stored-checks.ts'

/** Decomposed (NFKD), case kept. */
export const stopWords = setting<readonly string[]>()({
  code: 'invalid_settings_stop_words',
  advice: 'send an array of words.',
  change: 'whole',
  default: [],
  isStored: isTexts,
  merge: (_, words, text) => sortedSet(words.map(text.decompose)),
  handles: { layer: 'text' },
})
