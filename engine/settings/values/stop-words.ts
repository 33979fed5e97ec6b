// Words that searches ignore.
import { texts } from '../../../format/schema/index.ts'
import { refuseLongWords, setting, sortedSet } from '../schema/index.ts'

/** Decomposed (NFKD), with case. */
export const stopWords = setting<readonly string[]>()({
  code: 'invalid_settings_stop_words',
  advice: 'send an array of words.',
  change: 'whole',
  default: [],
  stored: texts,
  check: refuseLongWords('invalid_settings_stop_words'),
  merge: (_, words, text) => sortedSet(words.map(text.decompose)),
  handles: { layer: 'text' },
})
