// The words of a text that occur in a query, in the order of the text. Entries of `STRIDE` numbers
// each are stored in one reused array.
import { exactDecoder, lengthened, startsWithBytes } from '../../../format/bytes/index.ts'
import { mayHaveParts, partsOf, type Stemming } from '../../text/index.ts'
import { type Matcher, pairOf } from './matcher.ts'
import { bytesOfPoints, countPoints } from './points.ts'

export const STRIDE = 12
/** Byte range of the word. */
export const START = 0
export const END = 1
/** Number of the word in the text, and of its token if tokens are collected. */
export const WORD = 2
export const TOKEN = 3
/** Its number in `Matcher.words`, or NONE. */
export const ID = 4
/**
 * The number of the prefix it begins with, of the part or of the stem that it has, for
 * `Matcher.begun`, or NONE; and
 * the number of its bytes that are marked.
 */
export const PREFIX = 5
export const PREFIX_BYTES = 6
/**
 * The set of `Matcher.tails` with which it begins, one bit each; and the number of bytes of the
 * longest one that are marked.
 */
export const TAILS = 7
export const TAIL_BYTES = 8
/**
 * The number in `Matcher.within` of the text it contains, or NONE; and the number of its bytes
 * before that text, and up to its end.
 */
export const WITHIN = 9
export const WITHIN_FROM = 10
export const WITHIN_TO = 11
/** Numbers of bytes from the beginning of a word: a character that is partly among them counts. */
export const MARKED = [PREFIX_BYTES, TAIL_BYTES, WITHIN_TO] as const

export const NONE = -1
/** Bytes of a word that are compared; indexed words are never longer. */
export const LEMMA_BYTES_MAX = 512
/** Maximum bytes of the normal form of one character. */
const FORM_BYTES_MAX = 64

export class FoundWords {
  count = 0
  /** The stems of the words of the present text; null for none. */
  stemming: Stemming | null = null
  /** Replaced by a larger array when it is full. */
  data = new Int32Array(32 * STRIDE)
  /**
   * The normal form of the current word; a longer one is truncated somewhere after LEMMA_BYTES_MAX.
   */
  readonly lemma = new Uint8Array(LEMMA_BYTES_MAX + FORM_BYTES_MAX)
  readonly #matcher: Matcher
  /** Where the text begins that `#withinOf` has found. */
  #withinAt = 0

  constructor(matcher: Matcher) {
    this.#matcher = matcher
  }

  /**
   * Looks up the first `length` bytes of `lemma`; returns true if the word was added. Numbers of
   * bytes are then counted in the lemma, which is correct for a word that equals its normal form.
   */
  add(start: number, end: number, word: number, token: number, length: number): boolean {
    const { lemma } = this
    const { firstPairs, words, whole } = this.#matcher
    if (length === 0 || firstPairs[pairOf(lemma[0]!, length > 1 ? lemma[1]! : 0)] === 0)
      return false
    const id = length > LEMMA_BYTES_MAX ? NONE : words.find(lemma, length)
    const tails = this.#tailsOf(length)
    let prefix = NONE
    let prefixBytes = 0
    let within = NONE
    if (id === NONE || whole[id] === undefined) {
      prefix = this.#prefixOf(length)
      if (prefix !== NONE) prefixBytes = this.#prefixBytes(prefix, length)
      else {
        within = this.#withinOf(length)
        if (id === NONE && tails === 0 && within === NONE) return false
      }
    }
    const at = this.#put(start, end, word, token)
    const { data } = this
    data[at + ID] = id
    data[at + PREFIX] = prefix
    data[at + PREFIX_BYTES] = prefixBytes
    data[at + TAILS] = tails
    data[at + TAIL_BYTES] = tails === 0 ? 0 : this.#tailBytes(tails)
    data[at + WITHIN] = within
    data[at + WITHIN_FROM] = within === NONE ? 0 : this.#withinAt
    data[at + WITHIN_TO] =
      within === NONE ? 0 : this.#withinAt + this.#matcher.within[within]!.bytes.length
    return true
  }

  /** True if every word has to be read: a part or a stem may match. */
  get readsAll(): boolean {
    return this.#matcher.parts.length > 0 || this.#marksStems
  }

  get #marksStems(): boolean {
    return this.stemming !== null && this.#matcher.stems.length > 0
  }

  /** Adds a word that nothing else matches if its stem does, or the parts that match. */
  addFurther(
    bytes: Uint8Array,
    start: number,
    end: number,
    word: number,
    token: number,
    isLatin: boolean,
  ): void {
    if (this.#marksStems && this.#addStem(bytes, start, end, word, token)) return
    if (isLatin) this.#addParts(bytes, start, end, word, token)
  }

  #addStem(bytes: Uint8Array, start: number, end: number, word: number, token: number): boolean {
    const { parts, prefixes, stems } = this.#matcher
    const text = exactDecoder.decode(bytes.subarray(start, end))
    const stem = stems.findIndex(({ keys }) => this.stemming!.hasKey(text, keys))
    if (stem < 0) return false
    const at = this.#put(start, end, word, token)
    this.#putBegun(at, prefixes.length + parts.length + stem, end - start)
    return true
  }

  /** Adds the parts of a Latin word that match. */
  #addParts(bytes: Uint8Array, start: number, end: number, word: number, token: number): void {
    const { parts, prefixes } = this.#matcher
    if (parts.length === 0 || !mayHaveParts(bytes, start, end)) return
    const text = exactDecoder.decode(bytes.subarray(start, end))
    let after = 0
    for (const { from, to, lemma } of partsOf(text)) {
      if (from < after) continue
      const part = text.slice(from, to)
      const needle = parts.findIndex((one) => one.unitsOf(part, lemma) > 0)
      if (needle < 0) continue
      const first = start + Buffer.byteLength(text.slice(0, from))
      const at = this.#put(first, first + Buffer.byteLength(part), word, token)
      const marked = part.slice(0, parts[needle]!.unitsOf(part, lemma))
      this.#putBegun(at, prefixes.length + needle, Buffer.byteLength(marked))
      after = to
    }
  }

  #putBegun(at: number, number: number, bytes: number): void {
    const { data } = this
    data[at + ID] = NONE
    data[at + PREFIX] = number
    data[at + PREFIX_BYTES] = bytes
    data[at + TAILS] = 0
    data[at + WITHIN] = NONE
  }

  /** Begins an entry; returns its offset. */
  #put(start: number, end: number, word: number, token: number): number {
    if ((this.count + 1) * STRIDE > this.data.length) this.#grow()
    const { data } = this
    const at = this.count++ * STRIDE
    data[at + START] = start
    data[at + END] = end
    data[at + WORD] = word
    data[at + TOKEN] = token
    return at
  }

  /** Returns a number of bytes of the last entry; 0 if nothing of it is marked. */
  lastMarked(member: number): number {
    return this.data[(this.count - 1) * STRIDE + member]!
  }

  setLastMarked(member: number, bytes: number): void {
    this.data[(this.count - 1) * STRIDE + member] = bytes
  }

  /** Returns the number of the first text of the query that the lemma contains, or NONE. */
  #withinOf(length: number): number {
    const { within } = this.#matcher
    for (let w = 0; w < within.length; w++) {
      this.#withinAt = indexOfBytes(this.lemma, length, within[w]!.bytes)
      if (this.#withinAt >= 0) return w
    }
    return NONE
  }

  #tailsOf(length: number): number {
    const { tails } = this.#matcher
    let found = 0
    for (let t = 0; t < tails.length; t++) {
      const tail = tails[t]!
      if (tail.length <= length && startsWithBytes(this.lemma, tail)) found |= 1 << t
    }
    return found
  }

  #tailBytes(found: number): number {
    const { tails } = this.#matcher
    let most = 0
    for (let t = 0; t < tails.length; t++) {
      if ((found & (1 << t)) !== 0) most = Math.max(most, tails[t]!.length)
    }
    return most
  }

  #prefixOf(length: number): number {
    const { prefixes } = this.#matcher
    for (let p = 0; p < prefixes.length; p++) {
      if (prefixes[p]!.find(this.lemma, length) !== null) return p
    }
    return NONE
  }

  /**
   * Returns the bytes of as many characters as the query word has, or the matched word if that is
   * shorter.
   */
  #prefixBytes(prefix: number, length: number): number {
    const needle = this.#matcher.prefixes[prefix]!
    const begun = needle.find(this.lemma, length)!
    return bytesOfPoints(this.lemma, length, Math.min(needle.chars, countPoints(begun)))
  }

  #grow(): void {
    this.data = lengthened(this.data, this.data.length * 2)
  }
}

/** Returns where `wanted` first occurs in bytes[0, length), or -1. */
function indexOfBytes(bytes: Uint8Array, length: number, wanted: Uint8Array): number {
  const first = wanted[0]!
  for (let at = 0; at + wanted.length <= length; at++) {
    if (bytes[at] !== first) continue
    let i = 1
    while (i < wanted.length && bytes[at + i] === wanted[i]) i++
    if (i === wanted.length) return at
  }
  return -1
}
