// The words of a text that a query has, in the order of the text. Entries lie in one array,
// `STRIDE` numbers each, used over and over.
import { lengthened } from '../../../format/bytes/index.ts'
import { type Matcher, pairOf } from './matcher.ts'
import { bytesOfPoints, countPoints } from './points.ts'

export const STRIDE = 7
/** The bytes of the word. */
export const START = 0
export const END = 1
/** Which word of the text it is, and which token, where tokens are kept. */
export const WORD = 2
export const TOKEN = 3
/** Its number in `Matcher.words`, or NONE. */
export const ID = 4
/**
 * The number in `Matcher.prefixes` of the prefix it begins with, or NONE; how many bytes of it are
 * marked.
 */
export const PREFIX = 5
export const PREFIX_BYTES = 6

export const NONE = -1
/** Bytes of a word that are compared; no indexed word is longer. */
export const LEMMA_BYTES_MAX = 512
/** The normal form of one character is never longer. */
const FORM_BYTES_MAX = 64

export class FoundWords {
  count = 0
  /** Replaced when it grows. */
  data = new Int32Array(32 * STRIDE)
  /** The normal form of the word at hand; a longer one is cut somewhere behind LEMMA_BYTES_MAX. */
  readonly lemma = new Uint8Array(LEMMA_BYTES_MAX + FORM_BYTES_MAX)
  readonly #matcher: Matcher

  constructor(matcher: Matcher) {
    this.#matcher = matcher
  }

  /**
   * Looks up the first `length` bytes of `lemma`; true: the word is entered, with PREFIX_BYTES
   * counted in the lemma, as it is right for a word that is its own normal form.
   */
  add(start: number, end: number, word: number, token: number, length: number): boolean {
    const { lemma } = this
    const { firstPairs, words, whole } = this.#matcher
    if (length === 0 || firstPairs[pairOf(lemma[0]!, length > 1 ? lemma[1]! : 0)] === 0)
      return false
    const id = length > LEMMA_BYTES_MAX ? NONE : words.find(lemma, length)
    let prefix = NONE
    let prefixBytes = 0
    if (id === NONE || whole[id] === undefined) {
      prefix = this.#prefixOf(length)
      if (prefix !== NONE) prefixBytes = this.#prefixBytes(prefix, length)
      else if (id === NONE) return false
    }
    if ((this.count + 1) * STRIDE > this.data.length) this.#grow()
    const { data } = this
    const at = this.count++ * STRIDE
    data[at + START] = start
    data[at + END] = end
    data[at + WORD] = word
    data[at + TOKEN] = token
    data[at + ID] = id
    data[at + PREFIX] = prefix
    data[at + PREFIX_BYTES] = prefixBytes
    return true
  }

  /** The PREFIX_BYTES of the entry just made; 0 when it begins with no prefix. */
  get lastPrefixBytes(): number {
    return this.data[(this.count - 1) * STRIDE + PREFIX_BYTES]!
  }

  set lastPrefixBytes(bytes: number) {
    this.data[(this.count - 1) * STRIDE + PREFIX_BYTES] = bytes
  }

  #prefixOf(length: number): number {
    const { prefixes } = this.#matcher
    for (let p = 0; p < prefixes.length; p++) {
      if (prefixes[p]!.find(this.lemma, length) !== null) return p
    }
    return NONE
  }

  /** As many characters as the query word has, or the word it was taken for if that is shorter. */
  #prefixBytes(prefix: number, length: number): number {
    const needle = this.#matcher.prefixes[prefix]!
    const begun = needle.find(this.lemma, length)!
    return bytesOfPoints(this.lemma, length, Math.min(needle.chars, countPoints(begun)))
  }

  #grow(): void {
    this.data = lengthened(this.data, this.data.length * 2)
  }
}
