// A term of the query and everything it may stand for: the word itself, words it is a prefix of,
// synonyms, words one or two typos away, a split in two · search semantics §5. Derivations are made
// when first asked for, since most searches never look beyond the exact words. All in one file: a
// term and the space it is in make each other's sets.
//
// Levels: 0 the word as typed, 1 one typo or a split, 2 two typos. A mask has bit l for level l.
import { IdSet } from '../../../format/idset/index.ts'
import {
  documentsWithPair,
  EVERYWHERE,
  nearSets,
  type Scope,
  shareField,
  type TextIndex,
  type Word,
} from '../segments/index.ts'
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
/** Bytes beyond which a word of the query matches nothing. */
const QUERY_WORD_BYTES_MAX = 250
const PREFIX_WORDS_MAX = 1000
const ONE_TYPO_WORDS_MAX = 150
const TWO_TYPOS_WORDS_MAX = 50
/**
 * A prefix of so few bytes that begins this many words is taken as a whole, without naming its
 * words.
 */
const WHOLE_PREFIX_BYTES_MAX = 4
const WHOLE_PREFIX_WORDS_MIN = 100
const SYNONYM_PHRASES_MAX = 50
const SYNONYM_WORDS_MAX = 100

/** What a term, cut down to some levels, may be. */
export type Alternatives = {
  /** Found in all occurrences: the exact word and the words of a short prefix list. */
  readonly original: readonly Word[]
  /** Found in typo-tolerant occurrences alone. */
  readonly derived: readonly Word[]
  /** A prefix taken as a whole, or null. */
  readonly prefix: string | null
  readonly phrases: readonly Phrase[]
}

/** The text of one view as one search sees it: scopes, rules, and phrases resolved once. */
export class TermSpace {
  readonly index: TextIndex
  readonly rules: TermRules
  /** Where words as typed count. */
  readonly scope: Scope
  /** Where misspelled words count. */
  readonly tolerantScope: Scope
  readonly #phraseDocs = new Map<string, IdSet>()
  readonly #prefixDocs = new Map<string, IdSet>()

  /**
   * `fields`: the fields searched on, ascending, or null for all. `allFields` is asked only if some
   * are exact.
   */
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

  /** Documents with the word where words as typed count, or where misspelled ones do. */
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

  /** Whether the word has an occurrence that misspellings may find. */
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

  /** Documents that hold a phrase · search semantics §6.2. Kept for the search. */
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
    // Neighbours first: they leave the fewest documents, and what is near is cached.
    for (let apart = 1; apart <= 2; apart++) {
      for (let i = 0; i + apart < words.length; i++) {
        const left = words[i]
        const right = words[i + apart]
        if (!left || !right) continue
        docs = this.pairDocs(left, right, apart, docs)
        if (docs.isEmpty) return docs
      }
    }
    return docs
  }

  /**
   * Those of `among` where `right` follows `left` within `distance` words (or, by attribute, shares
   * a field).
   */
  pairDocs(left: Word, right: Word, distance: number, among: IdSet): IdSet {
    if (distance === 1) {
      const byWord = this.rules.pairsByWord
      const pair = { left: [left], right: [right], rightPrefix: null, byWord }
      return nearSets(this.index, pair, among)[0] ?? IdSet.empty
    }
    const ids = among
      .and(this.index.docs(left, EVERYWHERE))
      .and(this.index.docs(right, EVERYWHERE))
      .toArray()
    if (ids.length === 0) return IdSet.empty
    const a = this.index.occurrences([left], null, ids)
    const b = this.index.occurrences([right], null, ids)
    if (this.rules.pairsByWord) return documentsWithPair(ids, a, b, distance)
    return IdSet.ofSorted(ids.filter((_, d) => shareField(a, b, d)))
  }
}

/** A word, an n-gram of words, or a phrase. */
export class Term {
  readonly space: TermSpace
  /** The normalised word (n-grams: their words joined); null for a phrase. */
  readonly text: string | null
  readonly phrase: Phrase | null
  readonly isPrefix: boolean
  /** The words an n-gram was made of; one for a plain word, empty for a phrase. */
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

  /** The highest typo cost among `mask`: what the typo rule may charge for this term. */
  costMax(mask: number): number {
    const levels = this.phrase !== null ? 0 : Math.max(1, this.typosMax)
    for (let level = levels; level > 0; level--) if ((mask & (1 << level)) !== 0) return level
    return 0
  }

  zero(): ZeroLevel {
    if (this.#zero === null) {
      const known = this.#known()
      this.#zero = known.zero ??= this.#makeZero()
    }
    return this.#zero
  }

  /** What earlier searches found out about the term. */
  #known(): Derivations {
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

  /** Words found so far at levels 1 and 2, without looking for any. */
  get computed(): { readonly one: OneLevel | null; readonly two: readonly Word[] | null } {
    return { one: this.#one, two: this.#two }
  }

  /** What the term may be at the levels of `mask`; `exactOnly`: its exact word or phrase alone. */
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

  /** Documents that match the term at the levels of `mask`. Kept. */
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
    const kept = exact !== null && this.isNgram && !space.isTolerant(exact) ? null : exact
    const phrases = synonymsOf(text, this.parts, space.rules)
    if (!this.isPrefix) return { exact: kept, prefixWords: [], wholePrefix: null, phrases }
    if (isWholePrefix(space, text)) {
      return { exact: kept, prefixWords: [], wholePrefix: text, phrases }
    }
    const prefixWords: Word[] = []
    space.index.eachWithPrefix(text, (word) => {
      if (!this.isNgram || space.isTolerant(word)) prefixWords.push(word)
      return prefixWords.length < PREFIX_WORDS_MAX
    })
    return { exact: kept, prefixWords, wholePrefix: null, phrases }
  }

  #makeTypos(): void {
    const known = this.#known()
    if (known.one === null || known.two === null) {
      this.#deriveTypos()
      known.one = this.#one
      known.two = this.#two
    }
    this.#one = known.one
    this.#two = known.two
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
      // A typo in the first letter counts for two, until the list of two typos is full.
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
   * The split in two words that most documents hold side by side; ties keep the leftmost. Where
   * that is how the query has them, there is nothing more to find.
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
 * Synonyms of a word, within the caps; of an n-gram, those of its words as one and, without caps,
 * those of the sequence.
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

/** Only numeric characters and ASCII punctuation. */
export const isNumber = (text: string): boolean => /^[\p{N}!-/:-@[-`{-~]+$/u.test(text)

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
