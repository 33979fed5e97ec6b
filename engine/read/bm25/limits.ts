// The constants of the rule `bm25`, each with its reason (docs/concepts-ranking.md#bm25).
import { assert } from '../../../format/errors.ts'

/** How much an occurrence counts by the way in which it matches a query word. */
export const KIND_FACTORS = {
  /** The word itself, its synonyms, a phrase. */
  exact: 1,
  /** A longer word that a typed beginning may become: people have not chosen it yet. */
  prefix: 0.7,
  /** Another form of the word (a shared stem): the best factor for judged English collections. */
  form: 0.7,
  /** One typo, a split, a part of a word, a word that contains it: it may be another word. */
  one: 0.45,
  /** Two typos: it mostly is another word. */
  two: 0.2,
} as const

/** The score that is shown as 0.5: about one rare word in a text of average length. */
export const SCORE_HALF = 5

/** More of the largest scores are sorted: a heap of that many is not faster. */
export const TOP_MAX = 1024
/**
 * Fewer documents of the search, or of the words together, are scored at once: less work than
 * comparing their bounds.
 */
export const BOUNDED_DOCUMENTS_MIN = 2048
/**
 * Of many documents that may be among the best, this many with the largest bounds are scored first,
 * and then more by this factor, as long as twice as many are left.
 */
export const FIRST_MIN = 256
export const FIRST_GROWTH = 8

assert(TOP_MAX < BOUNDED_DOCUMENTS_MIN, 'bounds leave documents out')
