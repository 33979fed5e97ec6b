// The words that match a query word with typos
// (docs/search-semantics.md#words-that-match-a-query-word).
import type { Word } from '../segment-text/index.ts'
import type { TermRules } from './term-rules.ts'
import type { TermSpace } from './term-space.ts'

const ONE_TYPO_WORDS_MAX = 150
const TWO_TYPOS_WORDS_MAX = 50

/** Returns how many typos a word may have; `parts`: the number of words that it was joined from. */
export function typosAllowed(text: string, parts: number, rules: TermRules): 0 | 1 | 2 {
  if (!rules.typosEnabled || rules.disabledWords.has(text)) return 0
  let chars = 0
  for (let i = 0; i < text.length; i++) if (!isLowSurrogate(text.charCodeAt(i))) chars++
  const typos = chars < rules.oneTypoChars ? 0 : chars < rules.twoTyposChars ? 1 : 2
  return Math.max(0, typos - (parts - 1)) as 0 | 1 | 2
}

/** Returns the words with one typo, where a word may have no more. */
export function oneTypo(space: TermSpace, text: string, isPrefix: boolean): Word[] {
  const words: Word[] = []
  const options = { maxDistance: 1, prefix: isPrefix, otherFirstDistanceMax: -1 } as const
  space.index.eachNear(text, options, (word, distance) => {
    if (distance === 1 && space.isTolerant(word)) words.push(word)
    return words.length < ONE_TYPO_WORDS_MAX
  })
  return words
}

/** Returns the words with one typo and those with two, where a word may have two. */
export function twoTypos(
  space: TermSpace,
  text: string,
  isPrefix: boolean,
): { one: Word[]; two: Word[] } {
  const one: Word[] = []
  const two: Word[] = []
  const options = { maxDistance: 2, prefix: isPrefix, otherFirstDistanceMax: 1 } as const
  space.index.eachNear(text, options, (word, distance, sameFirst) => {
    if (!space.isTolerant(word)) return true
    const twoFull = two.length >= TWO_TYPOS_WORDS_MAX
    // A typo in the first letter counts as two, until the list for two typos is full.
    const typos = sameFirst || twoFull ? distance : 2
    if (typos === 1 && one.length < ONE_TYPO_WORDS_MAX) one.push(word)
    else if (typos === 2 && !twoFull) two.push(word)
    return one.length < ONE_TYPO_WORDS_MAX || two.length < TWO_TYPOS_WORDS_MAX
  })
  return { one, two }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
