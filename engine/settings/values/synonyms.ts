// Words and phrases that match as other words and phrases.

import { compareText } from '../../../format/bytes/index.ts'
import { mapOf, texts } from '../../../format/schema/index.ts'
import { setting } from '../schema/index.ts'
import { refuseLongWords } from './words.ts'

export type Synonyms = { readonly [phrase: string]: readonly string[] }

/** By key in byte order, texts unchanged. */
export const synonyms = setting<Synonyms>()({
  code: 'invalid_settings_synonyms',
  advice: 'send an object, word to array of what else it may be.',
  change: 'whole',
  default: {},
  stored: mapOf(texts),
  check: (given) => {
    const check = refuseLongWords('invalid_settings_synonyms')
    check(Object.keys(given))
    for (const words of Object.values(given)) check(words)
  },
  merge: (_, given) =>
    Object.fromEntries(Object.entries(given).sort(([a], [b]) => compareText(a, b))),
})
