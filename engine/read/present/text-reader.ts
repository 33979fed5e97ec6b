// Finds the query words in a text, and all of its tokens if it is to be cropped. Most text is
// scanned as stored in the record; other text is tokenized by the analyzer, unless none of its
// words can match.

import { BACKSLASH, encoder, exactDecoder, SPACE } from '../../../format/bytes/index.ts'
import { JsonBuffer, skipString, unescapeInto } from '../../../format/json/index.ts'
import { type Analyzer, leadBytes, originalPrefix, pointAt, type Token } from '../../text/index.ts'
import { type ByteTables, type Characters, charactersOf } from './characters.ts'
import { FoundWords, MARKED, WITHIN_FROM } from './found-words.ts'
import { type Matcher, pairOf } from './matcher.ts'
import { countPoints } from './points.ts'
import { LOWER, TextScanner } from './text-scanner.ts'
import { HARD_TOKEN, SOFT_TOKEN, TokenList, WORD_TOKEN } from './token-list.ts'

export class TextReader {
  /** The text read last: UTF-8 in source[from, to). */
  source: Uint8Array = new Uint8Array(0)
  from = 0
  to = 0
  /** True if it has escapes in the record. */
  escaped = false

  readonly tokens = new TokenList()
  readonly found: FoundWords
  /**
   * Number of words in the text, found or not; without anything to find, counting stops when the
   * text is too long to be shown whole.
   */
  words = 0

  readonly #analyzer: Analyzer
  readonly #characters: Characters
  readonly #matcher: Matcher
  readonly #scanner: TextScanner
  readonly #plain = new JsonBuffer(256)
  #cropWords = 0

  constructor(analyzer: Analyzer, matcher: Matcher) {
    this.#analyzer = analyzer
    this.#characters = charactersOf(analyzer)
    this.#matcher = matcher
    this.found = new FoundWords(matcher)
    this.#scanner = new TextScanner(this.#characters, matcher, this.found, this.tokens)
  }

  /**
   * Reads the JSON string whose opening quote is at `at`; returns the offset after it. `locales`:
   * possible languages; null for any. `cropWords`: number of words to crop to; with 0, tokens are
   * not collected.
   */
  readString(
    bytes: Uint8Array,
    at: number,
    locales: readonly string[] | null,
    cropWords: number,
  ): number {
    this.#cropWords = cropWords
    this.source = bytes
    this.from = at + 1
    this.escaped = false
    if (this.#characters.canScan(locales)) {
      if (this.#scan(bytes, at + 1, bytes.length, this.#characters.json)) {
        const seen = this.#scanner.end
        this.to = bytes[seen] === 0x22 && seen < bytes.length ? seen : skipString(bytes, at) - 1
        return this.to + 1
      }
    }
    const end = skipString(bytes, at)
    this.to = end - 1
    this.#unescape()
    this.#read(locales)
    return end
  }

  /** Reads bytes[from, to), plain UTF-8. */
  readText(
    bytes: Uint8Array,
    from: number,
    to: number,
    locales: readonly string[] | null,
    cropWords: number,
  ): void {
    this.#cropWords = cropWords
    this.source = bytes
    this.from = from
    this.to = to
    this.escaped = false
    this.#read(locales)
  }

  #unescape(): void {
    const { source, from, to } = this
    const backslash = source.subarray(from, to).indexOf(BACKSLASH)
    if (backslash < 0) return
    this.#plain.clear()
    unescapeInto(source, from, to, this.#plain)
    this.source = this.#plain.bytes
    this.from = 0
    this.to = this.#plain.length
    this.escaped = true
  }

  #read(locales: readonly string[] | null): void {
    const { source, from, to } = this
    const scannable = this.#characters.canScan(locales)
    if (scannable && this.#scan(source, from, to, this.#characters.text)) return
    this.found.count = 0
    this.tokens.count = 0
    this.words = 0
    const mayMatch = this.#mayMatch(locales)
    if (mayMatch) this.#tokenize(locales, Number.POSITIVE_INFINITY)
    else if (this.#cropWords > 0 && !this.#isShort()) this.#tokenizeBeginning(locales)
  }

  #scan(bytes: Uint8Array, from: number, to: number, tables: ByteTables): boolean {
    const crop = this.#cropWords
    // If nothing can match, only the beginning is shown, so only the existence of further words
    // matters.
    const wordsMax = this.#matcher.isEmpty ? crop : Number.POSITIVE_INFINITY
    const done = this.#scanner.scan(bytes, from, to, tables, crop > 0, wordsMax)
    this.words = this.#scanner.words
    return done
  }

  /** Returns false only if no token can match. */
  #mayMatch(locales: readonly string[] | null): boolean {
    if (this.#matcher.isEmpty) return false
    if (locales !== null || this.found.readsAll) return true
    const { source, from, to } = this
    const { firstBytes, firstPairs } = this.#matcher
    for (let i = from; i < to; i += leadBytes(source[i]!)) {
      const byte = LOWER[source[i]!]!
      if (byte >= 0x80) {
        for (const point of this.#characters.firstPoints(pointAt(source, i))) {
          if (this.#matcher.isFirst(point)) return true
        }
      } else if (firstBytes[byte] === 1) {
        const second = i + 1 < to ? LOWER[source[i + 1]!]! : 0
        // A control character between the two may vanish in normalization.
        if (second < SPACE || second >= 0x80 || firstPairs[pairOf(byte, second)] === 1) return true
        if (firstPairs[pairOf(byte, 0)] === 1) return true
      }
    }
    return false
  }

  /**
   * Returns true if the text has fewer characters than the crop length has words: it is then shown
   * whole.
   */
  #isShort(): boolean {
    const { source, from, to } = this
    return countPoints(source.subarray(from, to)) < this.#cropWords
  }

  /** Tokenizes only as much as is shown when nothing matches. */
  #tokenizeBeginning(locales: readonly string[] | null): void {
    const tokensMax = this.#cropWords * 4 + 16
    this.#tokenize(locales, tokensMax)
    if (this.tokens.count < tokensMax || this.words > this.#cropWords) return
    this.tokens.count = 0
    this.words = 0
    this.#tokenize(locales, Number.POSITIVE_INFINITY)
  }

  /** Tokenizes the text with the analyzer, which handles all text. */
  #tokenize(locales: readonly string[] | null, tokensMax: number): void {
    const { source, from, to, found, tokens } = this
    const keep = this.#cropWords > 0
    const text = exactDecoder.decode(source.subarray(from, to))
    const options = { charMaps: true, ignoreStopWords: true, tokensMax }
    for (const token of this.#analyzer.tokenize(text, locales, options)) {
      const start = from + token.byteStart
      const end = from + token.byteEnd
      if (token.kind !== 'word') {
        if (keep) tokens.add(start, end, token.kind === 'softSeparator' ? SOFT_TOKEN : HARD_TOKEN)
        continue
      }
      const word = this.words++
      if (keep) tokens.add(start, end, WORD_TOKEN)
      const { read, written } = encoder.encodeInto(token.lemma, found.lemma)
      const length = read < token.lemma.length ? found.lemma.length : written
      if (!found.add(start, end, word, tokens.count - 1, length)) {
        const isLatin = token.script === 'Latin' || token.script === 'Other'
        found.addFurther(source, start, end, word, tokens.count - 1, isLatin)
        continue
      }
      for (const member of MARKED) {
        const marked = found.lastMarked(member)
        if (marked === 0) continue
        const chars = countPoints(found.lemma.subarray(0, marked))
        found.setLastMarked(member, tokenBytes(source, start, end, token, chars))
      }
      const before = found.lastMarked(WITHIN_FROM)
      if (before === 0) continue
      const chars = countPoints(found.lemma.subarray(0, before))
      found.setLastMarked(WITHIN_FROM, bytesBefore(source, start, token, chars))
    }
  }
}

/** Returns the bytes of the original before the character of the given one of its normal form. */
function bytesBefore(bytes: Uint8Array, start: number, token: Token, chars: number): number {
  let at = start + originalPrefix(token, chars + 1).bytes - 1
  while (at > start && (bytes[at]! & 0xc0) === 0x80) at--
  return at - start
}

/** Returns the bytes of the original for the first `chars` characters of a token's normal form. */
function tokenBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  token: Token,
  chars: number,
): number {
  let at = start + originalPrefix(token, chars).bytes
  // A character whose normal form has the same bytes but more characters is marked as a whole.
  while (at < end && (bytes[at]! & 0xc0) === 0x80) at++
  return at - start
}
