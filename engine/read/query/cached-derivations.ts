// What words were found to stand for, cached per view: people type a word letter by letter and
// change the word behind it, so the same words are derived again and again (a word with typos: half
// a millisecond). A view never changes, so a cached derivation is never wrong.
import type { TextIndex, Word } from '../segments/index.ts'
import type { Phrase } from './phrase.ts'
import type { TermRules } from './term-rules.ts'

/** A term without typos. */
export type ZeroLevel = {
  readonly exact: Word | null
  readonly prefixWords: readonly Word[]
  readonly wholePrefix: string | null
  readonly phrases: readonly Phrase[]
}
/** A term with one typo, or split in two. */
export type OneLevel = { readonly words: readonly Word[]; readonly split: Phrase | null }

/** Each level as far as it has been asked for. */
export type Derivations = {
  zero: ZeroLevel | null
  one: OneLevel | null
  two: readonly Word[] | null
}

/** Words cached per view and settings before all are forgotten: about a kilobyte each. */
const CACHED_MAX = 4096

const cachedByView = new WeakMap<TextIndex, WeakMap<TermRules, Map<string, Derivations>>>()

/** The derivations of what `key` names; empty at first. */
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
