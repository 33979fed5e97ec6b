// Words and phrases that match as other words and phrases.

import { compareText } from '../../../format/bytes/index.ts'
import { mapOf, texts } from '../../../format/schema/index.ts'
import { EngineFault } from '../../model/index.ts'
import { Analyzer, DEFAULT_ANALYZER_SETTINGS } from '../../text/index.ts'
import { refuseLongWords, SYNONYM_WORDS_MAX, setting } from '../schema/index.ts'

export type Synonyms = { readonly [phrase: string]: readonly string[] }

/** By key in byte order, texts unchanged. */
export const synonyms = setting<Synonyms>()({
  code: 'invalid_settings_synonyms',
  advice: 'send an object that maps each word to an array of its synonyms.',
  change: 'whole',
  default: {},
  stored: mapOf(texts),
  check: (given) => {
    const check = refuseLongWords('invalid_settings_synonyms')
    for (const phrases of [Object.keys(given), ...Object.values(given)]) {
      check(phrases)
      phrases.forEach(refuseManyWords)
    }
  },
  merge: (_, given) =>
    Object.fromEntries(Object.entries(given).sort(([a], [b]) => compareText(a, b))),
})

/** Made by the first phrase that may have too many words. */
let analyzer: Analyzer | null = null
/** UTF-16 units of a phrase that a message shows. */
const SHOWN_UNITS_MAX = 200

/** Refuses a phrase of too many words, by the default settings of words: it would never match. */
function refuseManyWords(phrase: string): void {
  if (!mayHaveManyWords(phrase)) return
  const words = countWords(phrase)
  if (words <= SYNONYM_WORDS_MAX) return
  const shown = phrase.length > SHOWN_UNITS_MAX ? `${phrase.slice(0, SHOWN_UNITS_MAX)}…` : phrase
  throw new EngineFault(
    'invalid_settings_synonyms',
    `The synonym \`${shown}\` has ${words} words: at most ${SYNONYM_WORDS_MAX} are allowed.`,
  )
}

/** Counts words between separators; a stretch of a script without spaces is one. */
function countWords(phrase: string): number {
  let words = 0
  let isInside = false
  analyzer ??= new Analyzer(DEFAULT_ANALYZER_SETTINGS)
  for (const { kind } of analyzer.tokenize(phrase, null)) {
    if (kind === 'word' && !isInside) words++
    isInside = kind === 'word'
  }
  return words
}

/** Counts cheaply: hardly any of a hundred thousand synonyms has to be cut into words. */
function mayHaveManyWords(phrase: string): boolean {
  let gaps = 0
  for (let i = 0; i < phrase.length; i++) if (!isLetter(phrase.charCodeAt(i))) gaps++
  return gaps >= SYNONYM_WORDS_MAX
}

/** Returns false for separators and a few other characters. */
function isLetter(unit: number): boolean {
  if (unit >= 0xc0) return (unit < 0x2000 || unit > 0x303f) && (unit < 0xfe00 || unit > 0xff65)
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
}
