// The text of one view as one search uses it: the documents of words, prefixes and phrases in the
// fields of the search.
import { IdSet } from '../../../format/idset/index.ts'
import { stopTerm } from '../../text/index.ts'
import {
  EVERYWHERE,
  nearSets,
  type Scope,
  shareField,
  type TextIndex,
  type Word,
  withinTwoWords,
} from '../segment-text/index.ts'
import type { Phrase } from './phrase.ts'
import type { TermRules } from './term-rules.ts'

export class TermSpace {
  readonly index: TextIndex
  readonly rules: TermRules
  /** Fields in which words match as typed. */
  readonly scope: Scope
  /** Fields in which words with typos match. */
  readonly tolerantScope: Scope
  readonly #phraseDocs = new Map<string, IdSet>()
  readonly #prefixDocs = new Map<string, IdSet>()

  /** `allFields` is called only if some fields match exactly and the scope is not restricted. */
  constructor(
    index: TextIndex,
    rules: TermRules,
    scope: Scope,
    allFields: () => readonly number[],
  ) {
    this.index = index
    this.rules = rules
    this.scope = scope
    this.tolerantScope = scope
    if (rules.exactFields.length > 0) {
      const fields = (scope.fields ?? allFields()).filter((f) => !rules.exactFields.includes(f))
      this.tolerantScope = { key: `t${fields.join(',')}`, fields }
    }
  }

  /** Returns the word with this lemma, which may be a stop word; null if no document has it. */
  word(lemma: string): Word | null {
    return this.index.word(lemma) ?? this.index.word(stopTerm(lemma))
  }

  /** Returns the documents with the word in `scope`, or in `tolerantScope` if `tolerant`. */
  wordDocs(word: Word, tolerant: boolean): IdSet {
    if (tolerant && this.rules.exactNumbers && isNumber(word.text)) return IdSet.empty
    return this.index.docs(word, tolerant ? this.tolerantScope : this.scope)
  }

  unionDocs(words: readonly Word[], tolerant: boolean): IdSet {
    if (words.length === 1) return this.wordDocs(words[0]!, tolerant)
    const counted =
      tolerant && this.rules.exactNumbers ? words.filter((w) => !isNumber(w.text)) : words
    return this.index.union(counted, tolerant ? this.tolerantScope : this.scope)
  }

  /** Returns true if the word has an occurrence that may match with typos. */
  isTolerant(word: Word): boolean {
    if (this.rules.exactNumbers && isNumber(word.text)) return false
    const { exactFields } = this.rules
    return exactFields.length === 0 || this.index.occursOutside(word, exactFields)
  }

  prefixDocs(prefix: string, tolerant: boolean): IdSet {
    const scope = tolerant ? this.tolerantScope : this.scope
    const key = `${scope.key}\u0000${prefix}`
    let docs = this.#prefixDocs.get(key)
    if (docs === undefined) {
      docs = this.index.prefixDocs(prefix, scope)
      this.#prefixDocs.set(key, docs)
    }
    return docs
  }

  /**
   * Returns the documents that contain a phrase
   * (docs/search-semantics.md#words-that-match-a-query-word). Cached for the search.
   */
  phraseDocs(phrase: Phrase): IdSet {
    let docs = this.#phraseDocs.get(phrase.key)
    if (docs === undefined) {
      docs = this.#findPhrase(phrase)
      this.#phraseDocs.set(phrase.key, docs)
    }
    return docs
  }

  #findPhrase(phrase: Phrase): IdSet {
    const words: (Word | null)[] = []
    let docs: IdSet | null = null
    for (const text of phrase.words) {
      const word = text === null ? null : this.word(text)
      if (text !== null && word === null) return IdSet.empty
      words.push(word)
      if (word === null) continue
      const holding = this.index.docs(word, this.scope)
      docs = docs === null ? holding : docs.and(holding)
      if (docs.isEmpty) return docs
    }
    if (docs === null) return IdSet.empty
    for (const [left, right, apart] of wordPairs(words)) {
      docs = this.pairDocs(left, right, apart, docs)
      if (docs.isEmpty) return docs
    }
    return docs
  }

  /**
   * Returns the documents of `among` in which `right` follows `left` within `distance` words (or,
   * with attribute precision, shares a field).
   */
  pairDocs(left: Word, right: Word, distance: number, among: IdSet): IdSet {
    if (distance === 1) {
      const byWord = this.rules.pairsByWord
      const pair = { left: [left], right: [right], rightPrefix: null, byWord }
      return nearSets(this.index, pair, among)[0] ?? IdSet.empty
    }
    if (this.rules.pairsByWord) return withinTwoWords(this.index, left, right, among)
    const ids = among
      .and(this.index.docs(left, EVERYWHERE))
      .and(this.index.docs(right, EVERYWHERE))
      .toArray()
    if (ids.length === 0) return IdSet.empty
    const a = this.index.occurrences([left], null, ids)
    const b = this.index.occurrences([right], null, ids)
    return IdSet.ofSorted(ids.filter((_, d) => shareField(a, b, d)))
  }
}

type WordPair = readonly [left: Word, right: Word, apart: 1 | 2]

/**
 * Returns the pairs of a phrase that have to be near each other. Adjacent words come first, those
 * with the rarest word before others: they leave the fewest documents.
 */
function wordPairs(words: readonly (Word | null)[]): WordPair[] {
  const pairs: WordPair[] = []
  for (const apart of [1, 2] as const) {
    for (let i = 0; i + apart < words.length; i++) {
      const left = words[i]
      const right = words[i + apart]
      if (left && right) pairs.push([left, right, apart])
    }
  }
  const rarest = ([left, right]: WordPair): number =>
    Math.min(left.frequencyMax, right.frequencyMax)
  return pairs.sort((a, b) => a[2] - b[2] || rarest(a) - rarest(b))
}

/** Returns true for numeric characters and ASCII punctuation only. */
export const isNumber = (text: string): boolean => /^[\p{N}!-/:-@[-`{-~]+$/u.test(text)
