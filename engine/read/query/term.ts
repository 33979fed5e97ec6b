// A term of the query and everything that it matches: the word itself, words it is a prefix of,
// synonyms, words with one or two typos, a split in two words · search semantics §5. Matches are
// computed when they are first needed, since most searches use only exact words. This is one file
// because a term and its space compute each other's sets.
//
// Levels: 0 the word as typed, 1 one typo or a split, 2 two typos. A mask has bit l for level l.
import { IdSet } from '../../../format/idset/index.ts'
import {
  EVERYWHERE,
  nearSets,
  type Scope,
  shareField,
  type TextIndex,
  type Word,
  withinTwoWords,
} from '../segment-text/index.ts'
import {
  type Derivations,
  derivationsOf,
  type OneLevel,
  type ZeroLevel,
} from './cached-derivations.ts'
import { type Phrase, phraseOf } from './phrase.ts'
import { bestSplit } from './split.ts'
import type { TermRules } from './term-rules.ts'

export const LEVELS_ALL = 0b111
/** A query word with more bytes matches nothing. */
const QUERY_WORD_BYTES_MAX = 250
const PREFIX_WORDS_MAX = 1000
const ONE_TYPO_WORDS_MAX = 150
const TWO_TYPOS_WORDS_MAX = 50
/**
 * A prefix of at most this many bytes that begins at least this many words is matched as a whole,
 * without listing its words.
 */
const WHOLE_PREFIX_BYTES_MAX = 4
const WHOLE_PREFIX_WORDS_MIN = 100
const SYNONYM_PHRASES_MAX = 50
const SYNONYM_WORDS_MAX = 100

/** The matches of a term at some levels. */
export type Alternatives = {
  /** Searched in all occurrences: the exact word and the words of a short prefix list. */
  readonly original: readonly Word[]
  /** Searched only in occurrences that allow typos. */
  readonly derived: readonly Word[]
  /** A prefix that is matched as a whole, or null. */
  readonly prefix: string | null
  readonly phrases: readonly Phrase[]
}

/**
 * The text of one view as one search uses it: scopes, rules, and cached documents of phrases and
 * prefixes.
 */
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

  /** Returns the documents that contain a phrase · search semantics §6.2. Cached for the search. */
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
      const word = text === null ? null : this.index.word(text)
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

/** A word, an n-gram of words, or a phrase. */
export class Term {
  readonly space: TermSpace
  /** The normalized word (for an n-gram its words joined); null for a phrase. */
  readonly text: string | null
  readonly phrase: Phrase | null
  readonly isPrefix: boolean
  /** The words of an n-gram; one for a plain word, empty for a phrase. */
  readonly parts: readonly string[]
  readonly typosMax: 0 | 1 | 2
  #zero: ZeroLevel | null = null
  #one: OneLevel | null = null
  #two: readonly Word[] | null = null
  readonly #docs = new Map<number, IdSet>()

  constructor(
    space: TermSpace,
    source: {
      text: string | null
      phrase: Phrase | null
      isPrefix: boolean
      parts: readonly string[]
    },
  ) {
    this.space = space
    this.text = source.text
    this.phrase = source.phrase
    this.isPrefix = source.isPrefix
    this.parts = source.parts
    this.typosMax =
      source.text === null ? 0 : typosAllowed(source.text, source.parts.length, space.rules)
  }

  get isNgram(): boolean {
    return this.parts.length > 1
  }

  get #usable(): boolean {
    return this.text !== null && Buffer.byteLength(this.text) <= QUERY_WORD_BYTES_MAX
  }

  /** Returns the highest level in `mask`: the largest cost of this term in the typo rule. */
  costMax(mask: number): number {
    const levels = this.phrase !== null ? 0 : Math.max(1, this.typosMax)
    for (let level = levels; level > 0; level--) if ((mask & (1 << level)) !== 0) return level
    return 0
  }

  zero(): ZeroLevel {
    if (this.#zero === null) {
      const cached = this.#cached()
      this.#zero = cached.zero ??= this.#makeZero()
    }
    return this.#zero
  }

  /** Derivations cached by earlier searches. */
  #cached(): Derivations {
    const { index, rules } = this.space
    const key = [this.isPrefix ? '*' : '', this.typosMax, ...this.parts].join('\u0000')
    return this.text === null || this.phrase !== null
      ? { zero: null, one: null, two: null }
      : derivationsOf(index, rules, key)
  }

  one(): OneLevel {
    if (this.#one === null) this.#makeTypos()
    return this.#one!
  }

  two(): readonly Word[] {
    if (this.typosMax < 2) return []
    if (this.#two === null) this.#makeTypos()
    return this.#two!
  }

  /** Words computed so far at levels 1 and 2; computes nothing. */
  get computed(): { readonly one: OneLevel | null; readonly two: readonly Word[] | null } {
    return { one: this.#one, two: this.#two }
  }

  /**
   * Returns the matches of the term at the levels of `mask`; with `exactOnly` only its exact word
   * or phrase.
   */
  alternatives(mask: number, exactOnly: boolean): Alternatives {
    const original: Word[] = []
    const derived: Word[] = []
    const phrases: Phrase[] = []
    let prefix: string | null = null
    if (exactOnly || (mask & 1) !== 0) {
      const zero = this.zero()
      if (zero.exact !== null) (this.isNgram ? derived : original).push(zero.exact)
      if (this.phrase !== null) phrases.push(this.phrase)
      if (!exactOnly) {
        ;(this.isNgram ? derived : original).push(...zero.prefixWords)
        prefix = zero.wholePrefix
        if (this.phrase === null) phrases.push(...zero.phrases)
      }
    }
    if (!exactOnly && (mask & 2) !== 0 && this.phrase === null) {
      const { words, split } = this.one()
      derived.push(...words)
      if (split !== null) phrases.push(split)
    }
    if (!exactOnly && (mask & 4) !== 0) derived.push(...this.two())
    return { original, derived, prefix, phrases }
  }

  /** Returns the documents that match the term at the levels of `mask`. Cached. */
  docs(mask: number, exactOnly: boolean): IdSet {
    const key = exactOnly ? 8 : mask & this.#levelMask
    let docs = this.#docs.get(key)
    if (docs === undefined) {
      docs = this.#unite(this.alternatives(key & LEVELS_ALL, exactOnly))
      this.#docs.set(key, docs)
    }
    return docs
  }

  get #levelMask(): number {
    if (this.phrase !== null) return 0b001
    return this.typosMax === 2 ? 0b111 : 0b011
  }

  #unite({ original, derived, prefix, phrases }: Alternatives): IdSet {
    const { space } = this
    let docs = original.length > 0 ? space.unionDocs(original, false) : IdSet.empty
    if (derived.length > 0) docs = docs.or(space.unionDocs(derived, true))
    if (prefix !== null) docs = docs.or(space.prefixDocs(prefix, this.isNgram))
    for (const phrase of phrases) docs = docs.or(space.phraseDocs(phrase))
    return docs
  }

  #makeZero(): ZeroLevel {
    if (this.phrase !== null || !this.#usable) {
      return { exact: null, prefixWords: [], wholePrefix: null, phrases: [] }
    }
    const { space } = this
    const text = this.text!
    const exact = space.index.word(text)
    const allowed = exact !== null && this.isNgram && !space.isTolerant(exact) ? null : exact
    const phrases = synonymsOf(text, this.parts, space.rules)
    if (!this.isPrefix) return { exact: allowed, prefixWords: [], wholePrefix: null, phrases }
    if (isWholePrefix(space, text)) {
      return { exact: allowed, prefixWords: [], wholePrefix: text, phrases }
    }
    const prefixWords: Word[] = []
    space.index.eachWithPrefix(text, (word) => {
      if (!this.isNgram || space.isTolerant(word)) prefixWords.push(word)
      return prefixWords.length < PREFIX_WORDS_MAX
    })
    return { exact: allowed, prefixWords, wholePrefix: null, phrases }
  }

  #makeTypos(): void {
    const cached = this.#cached()
    if (cached.one === null || cached.two === null) {
      this.#deriveTypos()
      cached.one = this.#one
      cached.two = this.#two
    }
    this.#one = cached.one
    this.#two = cached.two
  }

  #deriveTypos(): void {
    this.#two = []
    if (this.phrase !== null || !this.#usable) {
      this.#one = { words: [], split: null }
      return
    }
    let words: Word[] = []
    if (this.typosMax === 1) words = this.#oneTypo()
    else if (this.typosMax === 2) {
      const both = this.#twoTypos()
      words = both.one
      this.#two = both.two
    }
    this.#one = { words, split: this.#bestSplit() }
  }

  #oneTypo(): Word[] {
    const words: Word[] = []
    this.#eachNear(1, -1, (word, distance) => {
      if (distance === 1) words.push(word)
      return words.length < ONE_TYPO_WORDS_MAX
    })
    return words
  }

  #twoTypos(): { one: Word[]; two: Word[] } {
    const one: Word[] = []
    const two: Word[] = []
    this.#eachNear(2, 1, (word, distance, sameFirst) => {
      const twoFull = two.length >= TWO_TYPOS_WORDS_MAX
      // A typo in the first letter counts as two, until the list for two typos is full.
      const typos = sameFirst || twoFull ? distance : 2
      if (typos === 1 && one.length < ONE_TYPO_WORDS_MAX) one.push(word)
      else if (typos === 2 && !twoFull) two.push(word)
      return one.length < ONE_TYPO_WORDS_MAX || two.length < TWO_TYPOS_WORDS_MAX
    })
    return { one, two }
  }

  /** Visits tolerant words near the term in byte order, until `visit` returns false. */
  #eachNear(
    maxDistance: 1 | 2,
    otherFirstDistanceMax: -1 | 0 | 1 | 2,
    visit: (word: Word, distance: number, sameFirst: boolean) => boolean,
  ): void {
    const options = { maxDistance, prefix: this.isPrefix, otherFirstDistanceMax }
    this.space.index.eachNear(
      this.text!,
      options,
      (word, distance, sameFirst) =>
        !this.space.isTolerant(word) || visit(word, distance, sameFirst),
    )
  }

  /**
   * The split in two words that are adjacent in most documents; the leftmost wins a tie. Null if it
   * equals the words of the query.
   */
  #bestSplit(): Phrase | null {
    const isFound = this.isNgram && this.typosMax < 2
    return bestSplit(this.space, this.text!, isFound ? this.parts : null)
  }
}

function isWholePrefix(space: TermSpace, text: string): boolean {
  return (
    Buffer.byteLength(text) <= WHOLE_PREFIX_BYTES_MAX &&
    space.index.hasPrefixWords(text, WHOLE_PREFIX_WORDS_MIN)
  )
}

function typosAllowed(text: string, parts: number, rules: TermRules): 0 | 1 | 2 {
  if (!rules.typosEnabled || rules.disabledWords.has(text)) return 0
  let chars = 0
  for (let i = 0; i < text.length; i++) if (!isLowSurrogate(text.charCodeAt(i))) chars++
  const typos = chars < rules.oneTypoChars ? 0 : chars < rules.twoTyposChars ? 1 : 2
  return Math.max(0, typos - (parts - 1)) as 0 | 1 | 2
}

/**
 * Returns the synonyms of a word, within the limits; for an n-gram those of the joined word and,
 * without limits, those of the sequence of its words.
 */
function synonymsOf(text: string, parts: readonly string[], rules: TermRules): Phrase[] {
  const phrases: Phrase[] = []
  let words = 0
  for (const value of rules.synonyms.get(text) ?? []) {
    if (phrases.length >= SYNONYM_PHRASES_MAX) break
    if (words + value.length > SYNONYM_WORDS_MAX) continue
    words += value.length
    phrases.push(phraseOf(value))
  }
  if (parts.length > 1) {
    for (const value of rules.synonyms.get(parts.join('\u0000')) ?? [])
      phrases.push(phraseOf(value))
  }
  return phrases
}

/** Returns true for numeric characters and ASCII punctuation only. */
export const isNumber = (text: string): boolean => /^[\p{N}!-/:-@[-`{-~]+$/u.test(text)

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
