// Caches the words that query words match, for each view: people type a word letter by letter and
// change the word after it, so the same words are derived repeatedly, which costs most for words
// with typos. A view never changes, so a cached derivation stays valid.
import type { TextIndex, Word } from '../segment-text/index.ts'
import type { Phrase } from './phrase.ts'
import type { TermRules } from './term-rules.ts'

/** Matches of a term without typos. */
export type ZeroLevel = {
  readonly exact: Word | null
  readonly prefixWords: readonly Word[]
  readonly wholePrefix: string | null
  readonly phrases: readonly Phrase[]
}
/** Matches of a term with one typo, split in several words, as a part of a word, or inside of words. */
export type OneLevel = {
  readonly words: readonly Word[]
  readonly splits: readonly Phrase[]
  /** Terms of parts (`partTerm`). */
  readonly parts: readonly Word[]
  /** All words that contain the term; null if it is not looked for, or no word does. */
  readonly within: Word | null
}

/** The levels computed so far; null if not computed yet. */
export type Derivations = {
  zero: ZeroLevel | null
  one: OneLevel | null
  two: readonly Word[] | null
}

/**
 * Words cached for each view and settings, about a kilobyte each. When there are more, all are
 * dropped.
 */
const CACHED_MAX = 4096

const cachedByView = new WeakMap<TextIndex, WeakMap<TermRules, Map<string, Derivations>>>()

/** Returns the derivations of a term; new ones are empty. */
export function derivationsOf(index: TextIndex, rules: TermRules, key: string): Derivations {
  let byRules = cachedByView.get(index)
  if (byRules === undefined) cachedByView.set(index, (byRules = new WeakMap()))
  let cached = byRules.get(rules)
  if (cached === undefined || cached.size >= CACHED_MAX) byRules.set(rules, (cached = new Map()))
  let derivations = cached.get(key)
  if (derivations === undefined) {
    derivations = { zero: null, one: null, two: null }
    cached.set(key, derivations)
  }
  return derivations
}
