// Words that searches pass over.
import { texts } from '../../format/schema/index.ts'
import { sortedSet } from './patches.ts'
import { setting } from './setting.ts'

/** Decomposed (NFKD), case kept. */
export const stopWords = setting<readonly string[]>()({
  code: 'invalid_settings_stop_words',
  advice: 'send an array of words.',
  change: 'whole',
  default: [],
  stored: texts,
  merge: (_, words, text) => sortedSet(words.map(text.decompose)),
  handles: { layer: 'text' },
})
