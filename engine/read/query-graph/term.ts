// A term of the query and everything that it matches: the word itself, words it is a prefix of,
// synonyms, words with one or two typos, splits in several words, words that it is a part of or
// that contain it (docs/search-semantics.md#words-that-match-a-query-word). Matches are computed
// when they are first needed, since most searches use only exact words.
//
// Levels: 0 the word as typed, 1 one typo, a split, a part, a stem or a longer word, 2 two typos. A mask has
// bit l for level l.

import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import { partTerm } from '../../text/index.ts'
import { EVERYWHERE, type Word, wordsWith } from '../segment-text/index.ts'
import {
  type Derivations,
  derivationsOf,
  type OneLevel,
  type ZeroLevel,
} from './cached-derivations.ts'
import {
  QUERY_WORD_BYTES_MAX,
  SPLIT_RARE_DOCUMENTS_MAX,
  SPLIT_RUN_PARTS_MAX,
  SPLIT_WORD_PARTS_MAX,
  WHOLE_PREFIX_BYTES_MAX,
  WHOLE_PREFIX_WORDS_MIN,
} from './limits.ts'
import { type Phrase, phraseOf } from './phrase.ts'
import { splitsInRow } from './row-splits.ts'
import { bestSplit } from './split.ts'
import type { TermRules } from './term-rules.ts'
import type { TermSpace } from './term-space.ts'
import { oneTypo, twoTypos, typosAllowed } from './typos.ts'

export const LEVELS_ALL = 0b111
const PREFIX_WORDS_MAX = 1000
const SYNONYM_PHRASES_MAX = 50
const SYNONYM_WORDS_IN_ALL_MAX = 100

/** The matches of a term at some levels. */
export type Alternatives = {
  /** Searched in all occurrences: the exact word and the words of a short prefix list. */
  readonly original: readonly Word[]
  /** Searched only in occurrences that allow typos. */
  readonly derived: readonly Word[]
  /** A prefix that is matched as a whole, or null. */
  readonly prefix: string | null
  readonly phrases: readonly Phrase[]
  /** All words that contain the term, as one; searched only in some fields. Null for none. */
  readonly within: Word | null
  /** Stems and words that are their own stem; searched only in fields with stems. */
  readonly stems: readonly Word[]
}

/** All words of a term, for rules that compare where words occur. */
export const wordsOf = ({ derived, original, stems, within }: Alternatives): readonly Word[] => {
  if (within !== null) return [...original, ...derived, ...stems, within]
  return derived.length + stems.length === 0 ? original : [...original, ...derived, ...stems]
}

/**
 * Returns those of the words that the documents of a prefix do not cover; null: of no prefix. A
 * query word is often indexed as a word as well.
 */
export const besidePrefix = (words: readonly Word[], prefix: string | null): readonly Word[] =>
  prefix === null ? words : words.filter(({ text }) => !text.startsWith(prefix))

/**
 * How the words of a term were written: `word`, also for several that are read as one; `run`, a
 * stretch of a script without spaces; `sequence`, words that stand only for the synonyms of their
 * sequence.
 */
export type TermForm = 'word' | 'run' | 'sequence'

/** A word, an n-gram of words, or a phrase. */
export class Term {
  readonly space: TermSpace
  /** The normalized word (for an n-gram its words joined); null for a phrase. */
  readonly text: string | null
  readonly phrase: Phrase | null
  readonly isPrefix: boolean
  /** The words of an n-gram; one for a plain word, empty for a phrase. */
  readonly parts: readonly string[]
  /** The word as typed, for its stem; null for several words. */
  readonly written: string | null
  readonly form: TermForm
  readonly typosMax: 0 | 1 | 2
  #zero: ZeroLevel | null = null
  #one: OneLevel | null = null
  #two: readonly Word[] | null = null
  #stems: readonly Word[] | null = null
  #stemSynonyms: readonly Phrase[] | null = null
  readonly #docs = new Map<number, IdSet>()

  constructor(
    space: TermSpace,
    source: {
      text: string | null
      phrase: Phrase | null
      isPrefix: boolean
      parts: readonly string[]
      written?: string | null
      form?: TermForm
    },
  ) {
    this.space = space
    this.text = source.text
    this.phrase = source.phrase
    this.isPrefix = source.isPrefix
    this.parts = source.parts
    this.written = source.written ?? null
    this.form = source.form ?? 'word'
    this.typosMax =
      source.text === null ? 0 : typosAllowed(source.text, source.parts.length, space.rules)
  }

  get isNgram(): boolean {
    return this.parts.length > 1
  }

  get #usable(): boolean {
    return (
      this.text !== null &&
      this.form !== 'sequence' &&
      Buffer.byteLength(this.text) <= QUERY_WORD_BYTES_MAX
    )
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
    const { form, isPrefix, parts, typosMax } = this
    const key = [isPrefix ? '*' : '', typosMax, form, ...parts].join('\u0000')
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

  /** Returns the stems of the word, and other words that are their own stem and have this one. */
  stems(): readonly Word[] {
    const { space, written } = this
    if (written === null || !this.#usable) return []
    this.#stems ??= space.stemWords(written).filter(({ text }) => text !== this.text)
    return this.#stems
  }

  /** Returns the synonyms of other words that have the stems of its words. */
  stemSynonyms(): readonly Phrase[] {
    this.#stemSynonyms ??= this.parts.length === 0 ? [] : synonymsByStem(this.parts, this.space)
    return this.#stemSynonyms
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
    let within: Word | null = null
    let stems: readonly Word[] = []
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
      const one = this.one()
      original.push(...one.parts)
      derived.push(...one.words)
      phrases.push(...one.splits, ...this.stemSynonyms())
      within = one.within
      stems = this.stems()
    }
    if (!exactOnly && (mask & 4) !== 0) derived.push(...this.two())
    return { original, derived, prefix, phrases, within, stems }
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

  #unite({ original, derived, prefix, phrases, stems, within }: Alternatives): IdSet {
    const { space } = this
    const words = this.isNgram ? original : besidePrefix(original, prefix)
    let docs = words.length > 0 ? space.unionDocs(words, false) : IdSet.empty
    if (derived.length > 0) docs = docs.or(space.unionDocs(derived, true))
    if (prefix !== null) docs = docs.or(space.prefixDocs(prefix, this.isNgram))
    for (const phrase of phrases) docs = docs.or(space.phraseDocs(phrase))
    if (within !== null) docs = docs.or(space.withinDocs(within))
    if (stems.length > 0) docs = docs.or(space.stemDocs(stems))
    return docs
  }

  #makeZero(): ZeroLevel {
    if (this.phrase !== null || !this.#usable) {
      const { form, parts, space } = this
      const phrases = form === 'sequence' ? synonymsOfSequence(parts, space.rules) : []
      return { exact: null, prefixWords: [], wholePrefix: null, phrases }
    }
    const { space } = this
    const text = this.text!
    const exact = space.word(text)
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
      this.#one = { words: [], splits: [], parts: [], within: null }
      return
    }
    let words: Word[] = []
    if (this.typosMax === 1) words = oneTypo(this.space, this.text!, this.isPrefix)
    else if (this.typosMax === 2) {
      const both = twoTypos(this.space, this.text!, this.isPrefix)
      words = both.one
      this.#two = both.two
    }
    this.#one = { words, splits: this.#splits(), parts: this.#parts(), within: this.#within() }
  }

  #within(): Word | null {
    const { index, rules } = this.space
    if (rules.infix === null || [...this.text!].length < rules.infix.lengthMin) return null
    return index.word(wordsWith(this.text!))
  }

  /**
   * The split in two words that are adjacent in most documents; the leftmost wins a tie. Null if it
   * equals the words of the query.
   */
  #bestSplit(): Phrase | null {
    const isFound = this.isNgram && this.typosMax < 2
    return bestSplit(this.space, this.text!, isFound ? this.parts : null)
  }

  /** The best split in two words, and splits in other numbers of words. */
  #splits(): Phrase[] {
    const best = this.#bestSplit()
    const splits = best === null ? [] : [best]
    const isRun = this.form === 'run'
    if (!isRun && (this.isNgram || !this.#isRare())) return splits
    const isPrefix = this.isPrefix && (isRun || this.zero().exact === null)
    const more = splitsInRow(this.space.index, this.text!, {
      isPrefix,
      partsMin: isRun || (isPrefix && best === null) ? 2 : 3,
      partsMax: isRun ? SPLIT_RUN_PARTS_MAX : SPLIT_WORD_PARTS_MAX,
      isRun,
    })
    const own = this.parts.join('\u0000')
    return [
      ...splits,
      ...more.filter(({ key, words }) => key !== best?.key && words.join('\u0000') !== own),
    ]
  }

  /** Returns the parts of words that are this word, or begin with it if it is a prefix. */
  #parts(): Word[] {
    const { index } = this.space
    if (this.form !== 'word' || this.isNgram) return []
    const term = partTerm(this.text!)
    const exact = index.word(term)
    const parts = exact === null ? [] : [exact]
    // Mostly false, and cheaper than a walk.
    if (!this.isPrefix || !index.hasPrefixWords(term, parts.length + 1)) return parts
    index.eachWithPrefix(term, (word) => parts.push(word) < PREFIX_WORDS_MAX)
    return parts
  }

  /** Returns true if hardly any document has the word, and none a word that it is a prefix of. */
  #isRare(): boolean {
    const { exact, prefixWords, wholePrefix } = this.zero()
    if (wholePrefix !== null || prefixWords.length > 0) return false
    const { index } = this.space
    return exact === null || index.docs(exact, EVERYWHERE).size <= SPLIT_RARE_DOCUMENTS_MAX
  }
}

function isWholePrefix(space: TermSpace, text: string): boolean {
  return (
    Buffer.byteLength(text) <= WHOLE_PREFIX_BYTES_MAX &&
    space.index.hasPrefixWords(text, WHOLE_PREFIX_WORDS_MIN)
  )
}

/**
 * Returns the synonyms of a word, within the limits; for an n-gram those of the joined word and,
 * without limits, those of the sequence of its words.
 */
function synonymsOf(text: string, parts: readonly string[], rules: TermRules): Phrase[] {
  const phrases = withinLimits(rules.synonyms.get(text) ?? [])
  if (parts.length > 1) phrases.push(...synonymsOfSequence(parts, rules))
  return phrases
}

const synonymsByStem = (parts: readonly string[], space: TermSpace): Phrase[] =>
  withinLimits(space.stemSynonyms(parts))

function withinLimits(values: readonly (readonly string[])[]): Phrase[] {
  const phrases: Phrase[] = []
  let words = 0
  for (const value of values) {
    if (phrases.length >= SYNONYM_PHRASES_MAX) break
    if (words + value.length > SYNONYM_WORDS_IN_ALL_MAX) continue
    words += value.length
    phrases.push(phraseOf(value))
  }
  return phrases
}

const synonymsOfSequence = (parts: readonly string[], rules: TermRules): Phrase[] =>
  mapped(rules.synonyms.get(parts.join('\u0000')) ?? [], (value) => phraseOf(value))
