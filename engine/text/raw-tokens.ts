// The codes of raw tokens (./raw-codes.ts): a term, a separator, or an entry of several terms. A raw
// token is normalised when it occurs first, and then looked up.
import { lengthened } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'
import type { Analyzer } from './analyzer.ts'
import { isPrintable, writeLowered } from './byte-classes.ts'
import { LATIN, readText, textBytes, trimWhitespace, writeText } from './characters/index.ts'
import { ELEMENT_END } from './element-end.ts'
import { REMEMBERED_BYTES_MAX, STEMMINGS_MAX, TERM_BYTES_MAX } from './limits.ts'
import { type Normalizer, normalizerById, normalizerFor } from './normalize.ts'
import {
  COMPOUND,
  COMPOUND_TAG,
  DOT_TAG,
  EMPTY,
  GLUE_TAG,
  HARD_SEPARATOR,
  SAME_PLACE,
  SIGN_TAGS,
  SOFT_SEPARATOR,
  STEM_SHIFT,
  STEM_TAGS,
  UNINDEXED,
} from './raw-codes.ts'
import { germanParts, isNumberPiece } from './segmenters/index.ts'
import { isGlue, spellingOf, spellingTerm } from './spelling.ts'
import { type Stemming, stemTerm } from './stems.ts'
import { stopTerm } from './stop-term.ts'
import { NO_RAW, type TermTable } from './term-table.ts'
import { mayHaveParts, partsOf, partTerm } from './word-parts.ts'

/** No term. */
const NONE = -1
/** In a tag: the id of a normaliser. */
const RULES_MASK = ~(COMPOUND_TAG | SIGN_TAGS | STEM_TAGS)

export class RawTokens {
  readonly #terms: TermTable
  readonly #analyzer: Analyzer
  readonly #latin: Normalizer = normalizerFor(LATIN, null)
  /** Space for one lemma. */
  readonly #lemma = new Uint8Array(TERM_BYTES_MAX)
  readonly #entries: (readonly number[])[] = []
  /** By term: 1 for stop words, spellings, parts and stems, which are no words of a field; null without any. */
  uncounted: Uint8Array | null = null
  #elementEnd = NONE
  /** By the number in tags, from 1. */
  readonly #stemmings: Stemming[] = []

  constructor(analyzer: Analyzer, terms: TermTable) {
    this.#analyzer = analyzer
    this.#terms = terms
  }

  /** Forgets everything, after the terms were dropped. */
  reset(): void {
    this.#entries.length = 0
    this.uncounted = null
    this.#elementEnd = NONE
  }

  /** Returns the tag of words with these stems; 0 for none. */
  stemTag(stemming: Stemming | null): number {
    if (stemming === null) return 0
    const known = this.#stemmings.indexOf(stemming)
    const number = known >= 0 ? known + 1 : this.#stemmings.push(stemming)
    assert(number <= STEMMINGS_MAX, 'rules of stems are numbered in three bits')
    return number << STEM_SHIFT
  }

  /** Returns the term of the ends of list elements. */
  elementEnd(): number {
    if (this.#elementEnd === NONE) this.#elementEnd = this.#intern(ELEMENT_END)
    return this.#elementEnd
  }

  /** Returns the parts of a code of an entry: terms, UNINDEXED, or SAME_PLACE before a term. */
  partsOf(code: number): readonly number[] {
    return this.#entries[COMPOUND - code]!
  }

  /** Returns the term of a raw token, or another code. Signs of its spelling begin at `end`. */
  of(bytes: Uint8Array, from: number, end: number, to: number, tag: number): number {
    let high = 0
    let low = 0
    for (let i = Math.max(from, to - 8); i < to; i++) {
      high = (high << 8) | (low >>> 24)
      low = (low << 8) | bytes[i]!
    }
    const known = this.#terms.findRaw(bytes, from, to, high, low, tag)
    return known === NO_RAW ? this.learn(bytes, from, to, high, low, tag, end) : known
  }

  /** Like `of`, for a new raw token, which is then cached. Signs that separate end the word. */
  learn(
    bytes: Uint8Array,
    from: number,
    to: number,
    high: number,
    low: number,
    tag: number,
    end = (tag & GLUE_TAG) === 0 ? to : this.#withoutGlue(bytes, to),
  ): number {
    const rules = tag & RULES_MASK
    const lemma =
      (tag & COMPOUND_TAG) === 0
        ? this.#normalize(bytes, from, end, rules)
        : this.#cutWord(bytes, from, end, to, tag ^ COMPOUND_TAG)
    const code = this.#withFurther(lemma, bytes, from, end, to, tag)
    if (to - from <= REMEMBERED_BYTES_MAX) this.#terms.addRaw(bytes, from, to, high, low, tag, code)
    return code
  }

  #withoutGlue(bytes: Uint8Array, end: number): number {
    const { patterns } = this.#analyzer
    while (isGlue(bytes[end - 1]!) && patterns.isSeparator(String.fromCharCode(bytes[end - 1]!))) {
      end--
    }
    return end
  }

  /** Adds the terms of a word's spelling, parts and stems. Returns the code of the word with them. */
  #withFurther(
    code: number,
    bytes: Uint8Array,
    from: number,
    end: number,
    to: number,
    tag: number,
  ): number {
    if (code < 0 || this.uncounted?.[code] === 1) return code
    const isLatin = (tag & RULES_MASK) === this.#latin.id
    const hasSpelling = isLatin || (tag & SIGN_TAGS) !== 0
    const hasParts = (isLatin || (tag & RULES_MASK) === 0) && mayHaveParts(bytes, from, end)
    const hasStems = tag >= 1 << STEM_SHIFT
    if (!hasSpelling && !hasParts && !hasStems) return code
    const word = readText(bytes, from, end)
    const spelled = hasSpelling ? this.#spelledTerms(code, word, readText(bytes, end, to), tag) : []
    const parts = hasParts ? partsOf(word).map(({ lemma }) => partTerm(lemma)) : []
    const stems = hasStems ? this.#stemTerms(code, word, tag) : []
    const terms = [...spelled, ...parts, ...stems].filter(
      (term, i, all) => textBytes(term) <= TERM_BYTES_MAX && all.indexOf(term) === i,
    )
    if (terms.length === 0) return code
    const entry = [code]
    for (const further of terms) {
      const id = this.#intern(further)
      this.#leaveOut(id)
      entry.push(SAME_PLACE, id)
    }
    return this.#entryOf(entry)
  }

  /** Returns the term of a word as it is spelled, if that is not its normal form. */
  #spelledTerms(code: number, word: string, signs: string, tag: number): string[] {
    const lemma = this.#textOf(code)
    const spelling = ((tag & DOT_TAG) === 0 ? '' : '.') + spellingOf(word) + signs
    return spelling === lemma ? [] : [spellingTerm(lemma, spelling)]
  }

  #stemTerms(code: number, word: string, tag: number): string[] {
    const stemming = this.#stemmings[(tag >> STEM_SHIFT) - 1]!
    return stemming.storedKeysOf(word, this.#textOf(code)).map(stemTerm)
  }

  #textOf(code: number): string {
    const term = this.#terms.termBytes(code)
    return readText(term, 0, term.length)
  }

  #entryOf(parts: number[]): number {
    return COMPOUND - (this.#entries.push(parts) - 1)
  }

  /**
   * Splits a word that may be a compound. Its parts are looked up like any raw token; the first and
   * the last one have the signs around the word.
   */
  #cutWord(bytes: Uint8Array, from: number, to: number, signsTo: number, tag: number): number {
    const word = readText(bytes, from, to)
    const ends: number[] = []
    if (!isNumberPiece(word, 0, word.length)) germanParts().cut(word, 0, word.length, ends)
    if (ends.length < 2) return this.#normalize(bytes, from, to, tag & RULES_MASK)
    const codes: number[] = []
    for (let i = 0, start = 0, at = from; i < ends.length; start = ends[i++]!) {
      const end = at + textBytes(word.slice(start, ends[i]))
      const tags = end - at === ends[i]! - start ? tag & STEM_TAGS : tag & ~SIGN_TAGS
      const signs = (i === 0 ? tag & DOT_TAG : 0) | (end === to ? tag & GLUE_TAG : 0)
      const code = this.of(bytes, at, end, end === to ? signsTo : end, tags | signs)
      if (code > COMPOUND) codes.push(code)
      else codes.push(...this.partsOf(code))
      at = end
    }
    return this.#entryOf(codes)
  }

  #normalize(bytes: Uint8Array, from: number, to: number, tag: number): number {
    const { separatorUnitsMax, stopWords } = this.#analyzer
    if (to - from > separatorUnitsMax && stopWords.size === 0 && isPrintable(bytes, from, to)) {
      // Neither a separator nor a stop word.
      if (to - from > TERM_BYTES_MAX) return UNINDEXED
      writeLowered(bytes, from, to, this.#lemma)
      return this.#terms.intern(this.#lemma, 0, to - from)
    }
    const raw = readText(bytes, from, to)
    const normalizer = raw.length === to - from ? this.#latin : normalizerById(tag)
    const kind = this.#analyzer.kindOf(raw, normalizer)
    if (kind === 'softSeparator') return SOFT_SEPARATOR
    if (kind === 'hardSeparator') return HARD_SEPARATOR
    const lemma = normalizer.lemma(raw)
    if (lemma === '') return EMPTY
    const word = trimWhitespace(lemma)
    if (word === '' || (kind === 'stopWord' && this.#analyzer.patterns.isSeparator(raw))) {
      return UNINDEXED
    }
    const term = kind === 'stopWord' ? stopTerm(word) : word
    if (textBytes(term) > TERM_BYTES_MAX) return UNINDEXED
    const id = this.#intern(term)
    if (kind === 'stopWord') this.#leaveOut(id)
    return id
  }

  /** Returns the term with this text of at most TERM_BYTES_MAX bytes. */
  #intern(text: string): number {
    return this.#terms.intern(this.#lemma, 0, writeText(text, this.#lemma, 0))
  }

  #leaveOut(term: number): void {
    if (this.uncounted === null) this.uncounted = new Uint8Array(1024)
    if (term >= this.uncounted.length) this.uncounted = lengthened(this.uncounted, 2 * term)
    this.uncounted[term] = 1
  }
}
