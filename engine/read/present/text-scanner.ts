// Finds the words of a query in a text byte by byte: a word is examined only if its first two bytes
// are those of a possible match. For text in scripts with separated words, in UTF-8 or inside a
// JSON string; other characters end the scan.
import { SPACE } from '../../../format/bytes/index.ts'
import { leadBytes, pointAt } from '../../text/index.ts'
import {
  type ByteTables,
  type Characters,
  END,
  entryOf,
  HARD,
  LATIN,
  LETTER,
  loneOf,
  meaningOf,
  NO_SCRIPT,
  OTHER,
  PAIR,
  PART,
  SOFT,
  SOLO,
  scriptOf,
  WIDE,
  WIDE_PART,
} from './characters.ts'
import { type FoundWords, LEMMA_BYTES_MAX, MARKED, WITHIN_FROM } from './found-words.ts'
import { type Matcher, pairOf } from './matcher.ts'
import { HARD_TOKEN, SOFT_TOKEN, type TokenList, WORD_TOKEN } from './token-list.ts'

/** By class: the token kinds of words, SOLO, SOFT and HARD. */
const KINDS: readonly number[] = [WORD_TOKEN, WORD_TOKEN, SOFT_TOKEN, HARD_TOKEN]
/** Not the entry of any character. */
const NO_ENTRY = -1

/** ASCII letters in lower case, all other bytes unchanged. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, c) =>
  c >= 0x41 && c <= 0x5a ? c | 0x20 : c,
)

export class TextScanner {
  /** Number of words in the text, found or not. */
  words = 0
  /** Where the scan ended: at `to`, at the closing quote, or after `wordsMax` words. */
  end = 0
  readonly #characters: Characters
  readonly #matcher: Matcher
  readonly #found: FoundWords
  readonly #tokens: TokenList
  /** Script of the current run. */
  #script = NO_SCRIPT
  /** While the script is NO_SCRIPT: bytes before this one contain no ASCII letter. */
  #unlettered = 0
  /** Number of bytes of the character last passed to `#classify`. */
  #size = 1

  constructor(characters: Characters, matcher: Matcher, found: FoundWords, tokens: TokenList) {
    this.#characters = characters
    this.#matcher = matcher
    this.#found = found
    this.#tokens = tokens
  }

  /**
   * Scans bytes[from, to), or up to the closing quote if `tables` are those of JSON, and adds the
   * words it finds. Stops after more than `wordsMax` words. Returns false if the text cannot be
   * scanned; the results are then invalid.
   */
  scan(
    bytes: Uint8Array,
    from: number,
    to: number,
    tables: ByteTables,
    wantsTokens: boolean,
    wordsMax: number,
  ): boolean {
    this.#begin(from)
    const { firstPairs } = this.#matcher
    const { readsAll } = this.#found
    const { twoBytes } = this.#characters
    const tokens = this.#tokens
    let table = tables.latin
    let letter = NO_ENTRY
    let words = 0
    for (let i = from; ; ) {
      const start = i
      let meaning = END
      let size = 1
      let wide = false
      for (;;) {
        while (i < to && (meaning = table[bytes[i]!]!) === PART) i++
        if (i === to) meaning = END
        if (meaning < PAIR || meaning === END) break
        if (meaning === WIDE && bytes[i]! < 0xe0 && twoBytes[pointAt(bytes, i)] === letter) {
          size = 2
        } else {
          meaning = this.#classify(bytes, i, to, meaning)
          size = this.#size
          letter = this.#script === NO_SCRIPT ? NO_ENTRY : entryOf(this.#script)
          if (this.#script > LATIN) table = tables.foreign
          if (meaning !== PART && meaning !== WIDE_PART) break
        }
        if (meaning !== PART) wide = true
        i += size
        size = 1
      }
      if (i > start) {
        const lone = wide ? this.#loneSeparator(bytes, start, i) : 0
        if (wantsTokens) tokens.add(start, i, KINDS[lone]!)
        const second = i - start > 1 ? LOWER[bytes[start + 1]!]! : 0
        if (wide && lone === 0) this.#wideWord(bytes, start, i, words)
        else if (!wide && (readsAll || firstPairs[pairOf(LOWER[bytes[start]!]!, second)] === 1)) {
          this.#word(bytes, start, i, words)
        }
        if (lone === 0) words++
      }
      if (meaning >= LETTER || words > wordsMax) {
        if (meaning !== LETTER || words > wordsMax) {
          this.words = words
          this.end = i
          return meaning !== OTHER || words > wordsMax
        }
        letter = entryOf(this.#enter(bytes, i))
        table = this.#script > LATIN ? tables.foreign : tables.latin
      } else {
        if (wantsTokens) tokens.add(i, i + size, KINDS[meaning]!)
        if (meaning === SOLO) this.#wideWord(bytes, i, i + size, words++)
        i += size
      }
    }
  }

  #begin(from: number): void {
    this.#found.count = 0
    this.#tokens.count = 0
    this.#script = NO_SCRIPT
    this.#unlettered = from
  }

  /**
   * Returns the class of the character at `at`: PART, WIDE_PART, SOLO, SOFT, HARD, END, OTHER, or
   * LETTER if it begins another run. Sets `#size`.
   */
  #classify(bytes: Uint8Array, at: number, to: number, meaning: number): number {
    this.#size = 1
    if (meaning === PAIR) {
      if (at + 1 === to || bytes[at + 1] !== SPACE) return this.#characters.lone[bytes[at]!]!
      this.#size = 2
      return HARD
    }
    if (meaning !== WIDE) return meaning
    this.#size = leadBytes(bytes[at]!)
    const point = pointAt(bytes, at)
    const entry = this.#characters.entry(point)
    const wide = meaningOf(entry)
    if (wide === OTHER) return OTHER
    this.#settleScript(bytes, at)
    const script = scriptOf(entry)
    if (script === NO_SCRIPT) {
      return wide === SOFT || wide === HARD || this.#isFormKnown(point) ? wide : OTHER
    }
    if (this.#script === NO_SCRIPT) this.#script = script
    return script === this.#script ? wide : LETTER
  }

  /**
   * Returns true if the normal form of a character without a script is known: before the first
   * letter it may depend on the script.
   */
  #isFormKnown(point: number): boolean {
    return this.#script !== NO_SCRIPT || !this.#characters.isUnsteady(point)
  }

  /** Sets the script of the run to Latin if there is an ASCII letter before `at`. */
  #settleScript(bytes: Uint8Array, at: number): void {
    if (this.#script !== NO_SCRIPT) return
    for (let i = this.#unlettered; i < at; i++) {
      const letter = bytes[i]! | 0x20
      if (letter >= 0x61 && letter <= 0x7a) this.#script = LATIN
    }
    this.#unlettered = at
  }

  /** Begins a run with the character at `at`; returns its script. */
  #enter(bytes: Uint8Array, at: number): number {
    const wide = bytes[at]! >= 0x80
    this.#script = wide ? scriptOf(this.#characters.entry(pointAt(bytes, at))) : LATIN
    return this.#script
  }

  /** Returns SOFT or HARD if the token is a single character that is a separator alone, else 0. */
  #loneSeparator(bytes: Uint8Array, start: number, end: number): number {
    if (end - start !== leadBytes(bytes[start]!)) return 0
    return loneOf(this.#characters.entry(pointAt(bytes, start)))
  }

  /** Adds a word of one-byte characters; `word` is its number in the text. */
  #word(bytes: Uint8Array, start: number, end: number, word: number): void {
    const { lemma } = this.#found
    const length = Math.min(end - start, lemma.length)
    for (let i = 0; i < length; i++) lemma[i] = LOWER[bytes[start + i]!]!
    const token = this.#tokens.count - 1
    if (this.#found.add(start, end, word, token, length)) return
    this.#found.addFurther(bytes, start, end, word, token, true)
  }

  /** Adds a word with characters of several bytes. */
  #wideWord(bytes: Uint8Array, start: number, end: number, word: number): void {
    const found = this.#found
    const token = this.#tokens.count - 1
    const isFound =
      this.#mayBegin(bytes, start) &&
      found.add(start, end, word, token, this.#normalize(bytes, start, end))
    if (!isFound) {
      found.addFurther(bytes, start, end, word, token, this.#script <= LATIN)
      return
    }
    for (const member of MARKED) {
      const marked = found.lastMarked(member)
      if (marked > 0) found.setLastMarked(member, this.#wideBytes(bytes, start, marked))
    }
    const before = found.lastMarked(WITHIN_FROM)
    if (before > 0) found.setLastMarked(WITHIN_FROM, this.#bytesBefore(bytes, start, before))
  }

  /** Returns true if a match may begin with the normal form of the character at `at`. */
  #mayBegin(bytes: Uint8Array, at: number): boolean {
    const { firstBytes, firstPairs } = this.#matcher
    const byte = bytes[at]!
    if (byte < 0x80) return firstBytes[LOWER[byte]!] === 1
    const form = this.#characters.form(pointAt(bytes, at), this.#script)
    if (form.length === 0) return true
    if (form.length === 1) return firstBytes[form[0]!] === 1
    return firstPairs[pairOf(form[0]!, form[1]!)] === 1
  }

  /** Writes the normal form of a word to the lemma; returns its length. */
  #normalize(bytes: Uint8Array, start: number, end: number): number {
    const { lemma } = this.#found
    let length = 0
    for (let i = start; i < end && length <= LEMMA_BYTES_MAX; ) {
      const byte = bytes[i]!
      if (byte < 0x80) {
        lemma[length++] = LOWER[byte]!
        i++
        continue
      }
      const form = this.#characters.form(pointAt(bytes, i), this.#script)
      for (let j = 0; j < form.length; j++) lemma[length++] = form[j]!
      i += leadBytes(byte)
    }
    return length
  }

  /** Returns the bytes of a word before the character of byte `wanted` of its normal form. */
  #bytesBefore(bytes: Uint8Array, start: number, wanted: number): number {
    const upTo = this.#wideBytes(bytes, start, wanted + 1)
    let at = start + upTo - 1
    while ((bytes[at]! & 0xc0) === 0x80) at--
    return at - start
  }

  /** Returns the bytes of a word for the first `wanted` bytes of its normal form. */
  #wideBytes(bytes: Uint8Array, start: number, wanted: number): number {
    let at = start
    for (let normal = 0; normal < wanted; at += leadBytes(bytes[at]!)) {
      const byte = bytes[at]!
      normal += byte < 0x80 ? 1 : this.#characters.form(pointAt(bytes, at), this.#script).length
    }
    return at - start
  }
}
