// What words were found to stand for, kept per view: people type a word letter by letter and change
// the word behind it, so the same words are derived again and again (a word with typos: half a
// millisecond). A view never changes, so a kept derivation is never wrong.
import type { TextIndex, Word } from '../segments/index.ts'
import type { OneLevel, TermRules, ZeroLevel } from './term.ts'

/** Each level as far as somebody has asked for it. */
export type Derivations = {
  zero: ZeroLevel | null
  one: OneLevel | null
  two: readonly Word[] | null
}

/** Words kept per view and settings before all are forgotten: about a kilobyte each. */
const KEPT_MAX = 4096

const keptByView = new WeakMap<TextIndex, WeakMap<TermRules, Map<string, Derivations>>>()

/** The derivations of what `key` names; empty at first. */
export function derivationsOf(index: TextIndex, rules: TermRules, key: string): Derivations {
  let byRules = keptByView.get(index)
  if (byRules === undefined) keptByView.set(index, (byRules = new WeakMap()))
  let kept = byRules.get(rules)
  if (kept === undefined || kept.size >= KEPT_MAX) byRules.set(rules, (kept = new Map()))
  let derivations = kept.get(key)
  if (derivations === undefined) {
    derivations = { zero: null, one: null, two: null }
    kept.set(key, derivations)
  }
  return derivations
}
