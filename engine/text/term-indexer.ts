// Turns the bytes of a text value into (term, position) pairs: the hottest loop of bulk indexing.
//
// Most text needs no strings. Words of scripts that separate them are found by scanning bytes. A
// word is hashed during the scan and looked up as written, so each spelling is normalised once,
// when it occurs first. Text of other scripts, and settings with dictionaries or long separators,
// are cut by `cutText` and use the same table of spellings. Both ways give the same pairs.
//
// Positions: the first word gets the start position; the next word adds 1, after a hard separator
// 8. Stop words have terms of their own (`stopTerm`). Words too long for the index take a position,
// empty lemmas do not.

import { isUtf8 } from 'node:buffer'
import { encoder, exactDecoder, withRoom } from '../../format/bytes/index.ts'
import type { Analyzer } from './analyzer.ts'
import {
  ByteClasses,
  COMMA,
  CONTROL,
  DOT,
  END,
  GLUE,
  HARD,
  HARD_PAIR,
  LETTER,
  SOFT,
  SOLO,
  SPELLED_DOT,
  WORD,
} from './byte-classes.ts'
import {
  character,
  LATIN,
  leadBytes,
  OTHER,
  pointAt,
  readText,
  SCRIPT_MASK,
  SEPARATOR,
} from './characters/index.ts'
import { cutText, latinIsCompound, latinIsPlain, type RunCuts } from './cuts.ts'
import { POSITIONS_MAX, WIDE_STEP } from './limits.ts'
import { normalizerFor } from './normalize.ts'
import {
  COMPOUND,
  COMPOUND_TAG,
  DOT_TAG,
  GLUE_TAG,
  HARD_SEPARATOR,
  SAME_PLACE,
  SIGN_TAGS,
  STEM_TAGS,
  UNINDEXED,
} from './raw-codes.ts'
import { RawTokens } from './raw-tokens.ts'
import type { Stemming } from './stems.ts'
import { survey } from './survey.ts'
import { NO_RAW, TermTable } from './term-table.ts'

/** The position of all words that have none of their own. */
const POSITION_LAST = POSITIONS_MAX - 1

/** Result of `#scan` for a value that cannot be scanned. */
const NEEDS_CUT = -1

export class TermIndexer {
  /** The terms so far; ids are dense, in order of first occurrence. */
  readonly terms = new TermTable()
  /**
   * Term of each pair; the first `count` are valid. Replaced as it grows: read it again after each
   * call.
   */
  termIds = new Uint32Array(1024)
  /** Position of each pair, ascending within one value. */
  positions = new Uint16Array(1024)
  count = 0

  readonly #analyzer: Analyzer
  readonly #classes: ByteClasses
  readonly #raws: RawTokens
  #text = new Uint8Array(256)
  /** The tag of words of ASCII letters: that of their stems, and COMPOUND_TAG where they may be compounds. */
  #asciiTag = 0
  /**
   * The current run: its script (-1: only ASCII so far), the tag of its tokens, the active classes.
   */
  #script = -1
  #tag = 0
  #table: Uint8Array

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
    this.#classes = new ByteClasses(analyzer)
    this.#table = this.#classes.latin
    this.#raws = new RawTokens(analyzer, this.terms)
  }

  /** Drops the pairs, keeps the terms. */
  clear(): void {
    this.count = 0
  }

  /** Returns how many pairs from `first` on are words, without stop words, spellings and parts. */
  wordsFrom(first: number): number {
    const { uncounted } = this.#raws
    let words = this.count - first
    if (uncounted === null) return words
    const { termIds, count } = this
    for (let i = first; i < count; i++) if (uncounted[termIds[i]!] === 1) words--
    return words
  }

  /** Drops the terms as well; keeps the memory for reuse. */
  reset(): void {
    this.count = 0
    this.#raws.reset()
    this.terms.reset()
  }

  /**
   * Appends the pairs of one text value, the UTF-8 of bytes[from, to). Returns the last position
   * used, or `start` if the value has no words: the next value of the field starts WIDE_STEP
   * further. Words behind the last position share it. Invalid UTF-8 reads as U+FFFD.
   */
  index(
    bytes: Uint8Array,
    from: number,
    to: number,
    start: number,
    locales: readonly string[] | null,
    stemming: Stemming | null = null,
  ): number {
    if (start > POSITION_LAST) start = POSITION_LAST
    this.#reserve(to - from)
    const stemTag = stemming === null ? 0 : this.#raws.stemTag(stemming)
    const compounds = locales !== null && latinIsCompound(locales)
    if (this.#analyzer.isPlain && (locales === null || compounds || latinIsPlain(locales))) {
      this.#asciiTag = stemTag | (compounds ? COMPOUND_TAG : 0)
      const { count } = this
      const last = this.#scan(bytes, from, to, start)
      if (last !== NEEDS_CUT) return last
      // Drops the compounds that the scan has already counted.
      this.count = count
    }
    return this.#cut(bytes, from, to, start, locales, stemTag)
  }

  /** Appends the end of a list element whose last word is at `last`, if a position is left for it. */
  endElement(last: number): void {
    if (last >= POSITION_LAST) return
    this.#reserve(1)
    this.termIds[this.count] = this.#raws.elementEnd()
    this.positions[this.count++] = last + 1
  }

  /** Like `index`, for a text that is a string: numbers, booleans. */
  indexText(text: string, start: number, locales: readonly string[] | null): number {
    if (text.length * 3 > this.#text.length) this.#text = new Uint8Array(text.length * 3)
    const { written } = encoder.encodeInto(text, this.#text)
    return this.index(this.#text, 0, written, start, locales)
  }

  #reserve(pairs: number): void {
    const needed = this.count + pairs
    this.termIds = withRoom(this.termIds, needed)
    this.positions = withRoom(this.positions, needed)
  }

  /**
   * Scans the bytes of a value. Returns NEEDS_CUT when it cannot be scanned. That shows at the
   * first byte beyond printable ASCII, before which both ways give the same tokens.
   */
  #scan(bytes: Uint8Array, from: number, to: number, start: number): number {
    const { terms, termIds, positions } = this
    const limit = Math.min(bytes.length, to)
    let count = this.count
    let table: Uint8Array = this.#classes.latin
    this.#table = table
    let last = start
    let next = start
    this.#script = -1
    const asciiTag = this.#asciiTag
    for (let i = from, token = from, high = 0, low = 0, tag = asciiTag; ; ) {
      let kind = END
      while (i < limit) {
        const byte = bytes[i]!
        kind = table[byte]!
        if (kind !== WORD) break
        high = (high << 8) | (low >>> 24)
        low = (low << 8) | byte
        i++
      }
      if (i === limit) kind = END
      if (kind > END) {
        if (kind >= CONTROL && this.#script < 0 && !this.#enter(survey(bytes, from, i, limit))) {
          return NEEDS_CUT
        }
        if (kind === GLUE) {
          kind = i > token && this.#isGlued(bytes, i, limit) ? WORD : SOFT
          if (kind === WORD) tag |= GLUE_TAG
        } else kind = this.#classAt(bytes, from, i, limit, kind, tag)
        table = this.#table
      }
      if (kind === WORD || (kind === SOLO && i === token)) {
        const end = i + leadBytes(bytes[i]!)
        if (end > i + 1) tag = this.#tag | (tag & SIGN_TAGS)
        for (; i < end; i++) {
          high = (high << 8) | (low >>> 24)
          low = (low << 8) | bytes[i]!
        }
        if (kind === WORD) continue
      }
      if (i > token) {
        if (next > POSITION_LAST) next = POSITION_LAST
        let code = terms.findRaw(bytes, token, i, high, low, tag)
        if (code === NO_RAW) code = this.#raws.learn(bytes, token, i, high, low, tag)
        if (code >= UNINDEXED) {
          if (code !== UNINDEXED) {
            termIds[count] = code
            positions[count++] = next
          }
          last = next++
        } else if (code === HARD_SEPARATOR && next > last) next = last + WIDE_STEP
        else if (code <= COMPOUND) {
          this.count = count
          last = this.#addParts(this.#raws.partsOf(code), next)
          next = last + 1
          count = this.count
        }
        token = i
        high = 0
        low = 0
        tag = asciiTag
      }
      if (kind === SOFT) i++
      else if (kind === SPELLED_DOT) {
        i++
        tag |= DOT_TAG
      } else if (kind === HARD || kind === HARD_PAIR) {
        if (next > last) next = last + WIDE_STEP
        i += kind - HARD + 1
      } else if (kind === END) break
      if (kind < SOLO) token = i
    }
    this.count = count
    return last
  }

  /** Appends the parts of a compound that begins at a position; returns the last position. */
  #addParts(parts: readonly number[], at: number): number {
    let next = at
    for (const part of parts) {
      if (part === SAME_PLACE) {
        next--
        continue
      }
      if (next > POSITION_LAST) next = POSITION_LAST
      if (part !== UNINDEXED) {
        this.termIds[this.count] = part
        this.positions[this.count++] = next
      }
      next++
    }
    return next - 1
  }

  /** Returns true if signs of a spelling at `at` end a word: no word follows them. */
  #isGlued(bytes: Uint8Array, at: number, to: number): boolean {
    const { latin } = this.#classes
    const end = Math.min(to, this.#glueEnd(bytes, at))
    if (end === at) return false
    const kind = end === to ? END : latin[bytes[end]!]!
    return kind !== WORD && kind < LETTER
  }

  /** Returns true if the dot at `at` belongs to the spelling of the word behind it: none is before it. */
  #isSpelledDot(bytes: Uint8Array, from: number, at: number, to: number): boolean {
    const { dot, latin } = this.#classes
    if (dot !== SOFT || at + 1 >= to || latin[bytes[at + 1]!] !== WORD) return false
    if (at === from) return true
    let before = at - 1
    while (before > from && (bytes[before]! & 0xc0) === 0x80) before--
    const char = readText(bytes, before, at)
    return char !== '.' && this.#analyzer.patterns.isSeparator(char)
  }

  /** Returns the tags of the signs around a token that may belong to its spelling. */
  #signsOf(bytes: Uint8Array, from: number, to: number): number {
    const isDot = from > 0 && bytes[from - 1] === 0x2e
    return (
      (this.#isGlued(bytes, to, bytes.length) ? GLUE_TAG : 0) |
      (isDot && this.#isSpelledDot(bytes, 0, from - 1, bytes.length) ? DOT_TAG : 0)
    )
  }

  #isWord(bytes: Uint8Array, from: number, to: number, { normalizer }: RunCuts): boolean {
    return this.#analyzer.kindOf(readText(bytes, from, to), normalizer) === 'word'
  }

  #glueEnd(bytes: Uint8Array, at: number): number {
    while (this.#classes.latin[bytes[at]!] === GLUE) at++
    return at
  }

  /** Begins a run of `script`; returns false for a script that cannot be scanned. */
  #enter(script: number): boolean {
    if (script < 0) return false
    this.#script = script
    this.#tag =
      normalizerFor(script, null).id | (this.#asciiTag & (script === LATIN ? -1 : STEM_TAGS))
    this.#table = script === LATIN || script === OTHER ? this.#classes.latin : this.#classes.foreign
    return true
  }

  /**
   * Returns the class of the character at `at` of a value that begins at `from`: WORD, SOFT,
   * SPELLED_DOT, HARD, HARD_PAIR, SOLO, or LETTER where a token with `tag` ends before it: at the
   * end of a run, and between the signs of a spelling and a dot or comma that is part of a word.
   */
  #classAt(
    bytes: Uint8Array,
    from: number,
    at: number,
    to: number,
    kind: number,
    tag: number,
  ): number {
    switch (kind) {
      case CONTROL:
        return WORD
      case DOT:
      case COMMA: {
        if (at + 1 < to && bytes[at + 1] === 0x20) return HARD_PAIR
        if (kind === DOT && this.#isSpelledDot(bytes, from, at, to)) return SPELLED_DOT
        const lone = kind === COMMA ? this.#classes.comma : this.#classes.dot
        return lone === WORD && (tag & GLUE_TAG) !== 0 ? LETTER : lone
      }
      case LETTER:
        this.#enter(LATIN)
        return LETTER
    }
    const point = pointAt(bytes, at)
    const own = character(point) & SCRIPT_MASK
    if (own !== OTHER && own !== this.#script) {
      this.#enter(own)
      return LETTER
    }
    if (point > 0xffff) return (character(point) & SEPARATOR) !== 0 ? SOLO : WORD
    return this.#analyzer.patterns.starts[point] === 0 ? WORD : SOLO
  }

  /**
   * The general way: cuts the value as a string, then looks tokens up by bytes. Returns the last
   * position.
   */
  #cut(
    bytes: Uint8Array,
    from: number,
    to: number,
    start: number,
    locales: readonly string[] | null,
    stemTag: number,
  ): number {
    const value = bytes.subarray(from, to)
    const text = exactDecoder.decode(value)
    const valid = isUtf8(value) ? value : encoder.encode(text)
    let last = start
    let next = start
    let at = 0
    let unit = 0
    for (const run of cutText(text, this.#analyzer.patterns, locales, Number.POSITIVE_INFINITY)) {
      for (const end of run.ends) {
        const token = at
        let tag = stemTag
        while (unit < end) {
          const length = leadBytes(valid[at]!)
          if (length > 1) tag = stemTag | run.normalizer.id
          unit += length === 4 ? 2 : 1
          at += length
        }
        if (next > POSITION_LAST) next = POSITION_LAST
        const signs = this.#signsOf(valid, token, at)
        const hasSigns = signs !== 0 && this.#isWord(valid, token, at, run)
        const to = hasSigns && (signs & GLUE_TAG) !== 0 ? this.#glueEnd(valid, at) : at
        const code = this.#raws.of(valid, token, at, to, hasSigns ? tag | signs : tag)
        if (code >= UNINDEXED) {
          if (code !== UNINDEXED) {
            this.termIds[this.count] = code
            this.positions[this.count++] = next
          }
          last = next++
        } else if (code <= COMPOUND) {
          last = this.#addParts(this.#raws.partsOf(code), next)
          next = last + 1
        } else if (code === HARD_SEPARATOR && next > last) next = last + WIDE_STEP
      }
    }
    return last
  }
}
