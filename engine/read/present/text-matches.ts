// The matches of a query in a text: whole words, parts of words, phrases, without overlaps
// (docs/search-semantics.md#matches-in-a-text). Entries of `STRIDE` numbers each are stored in one
// reused array.
import { withRoom } from '../../../format/bytes/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import {
  END as FOUND_END,
  START as FOUND_START,
  STRIDE as FOUND_STRIDE,
  type FoundWords,
  ID,
  NONE,
  PREFIX,
  PREFIX_BYTES,
  TAIL_BYTES,
  TAILS,
  TOKEN,
  WITHIN,
  WITHIN_FROM,
  WITHIN_TO,
  WORD,
} from './found-words.ts'
import { graphemeEnd, graphemeStart } from './graphemes.ts'
import { type Matcher, NO_TAIL, type PhraseNeedle } from './matcher.ts'

const STRIDE = 8
/** Byte range that is marked: for a part of a word only this part. */
export const START = 0
export const END = 1
/** Positions in the query, inclusive. */
export const POSITION_FIRST = 2
export const POSITION_LAST = 3
/** Words of the text, inclusive: several for a phrase. */
export const WORD_FIRST = 4
export const WORD_LAST = 5
/** Tokens of the text, inclusive, if tokens are collected. */
export const TOKEN_FIRST = 6
export const TOKEN_LAST = 7

export class TextMatches {
  count = 0
  /** Replaced by a larger array when it is full. */
  data = new Int32Array(32 * STRIDE)

  /** Returns number `field` of match `i`. */
  get(i: number, field: FieldId): number {
    return this.data[i * STRIDE + field]!
  }

  /** Computes the matches from the words found in a text. */
  find(found: FoundWords, matcher: Matcher): void {
    this.count = 0
    const { data } = found
    for (let i = 0; i < found.count; ) {
      const at = i * FOUND_STRIDE
      const id = data[at + ID]!
      const phrase = id === NONE ? null : phraseAt(found, i, matcher.phrases[id])
      if (phrase !== null) {
        const { positionFirst, positionLast, tail, words } = phrase
        i += words.length + (tail === NO_TAIL ? 0 : 1)
        const last = (i - 1) * FOUND_STRIDE
        const end =
          tail === NO_TAIL
            ? data[last + FOUND_END]!
            : data[last + FOUND_START]! + data[last + TAIL_BYTES]!
        this.#add(data, at, last, data[at + FOUND_START]!, end, positionFirst, positionLast)
        continue
      }
      const start = data[at + FOUND_START]!
      const within = data[at + WITHIN]!
      const prefix = data[at + PREFIX]!
      if (prefix !== NONE) {
        const { positionFirst, positionLast } = matcher.begun(prefix)
        const end = start + data[at + PREFIX_BYTES]!
        this.#add(data, at, at, start, end, positionFirst, positionLast)
      } else if (id !== NONE && matcher.whole[id] !== undefined) {
        const { positionFirst, positionLast } = matcher.whole[id]
        this.#add(data, at, at, start, data[at + FOUND_END]!, positionFirst, positionLast)
      } else if (within !== NONE) {
        const { positionFirst, positionLast } = matcher.within[within]!
        const from = start + data[at + WITHIN_FROM]!
        const end = start + data[at + WITHIN_TO]!
        this.#add(data, at, at, from, end, positionFirst, positionLast)
      }
      i++
    }
  }

  /**
   * Moves the borders of matches in the text bytes[from, to) out of characters that consist of
   * several.
   */
  align(bytes: Uint8Array, from: number, to: number): void {
    const { data } = this
    let kept = 0
    let last = from
    for (let i = 0; i < this.count; i++) {
      const at = i * STRIDE
      const start = Math.max(last, graphemeStart(bytes, from, to, data[at + START]!))
      const end = graphemeEnd(bytes, from, to, data[at + END]!)
      if (end <= start) continue
      data[at + START] = start
      data[at + END] = last = end
      if (kept < i) data.copyWithin(kept * STRIDE, at, at + STRIDE)
      kept++
    }
    this.count = kept
  }

  /** `first` and `last`: offsets of the entries of the found words. */
  #add(
    found: Int32Array,
    first: number,
    last: number,
    start: number,
    end: number,
    positionFirst: number,
    positionLast: number,
  ): void {
    this.data = withRoom(this.data, (this.count + 1) * STRIDE)
    const { data } = this
    const at = this.count++ * STRIDE
    data[at + START] = start
    data[at + END] = end
    data[at + POSITION_FIRST] = positionFirst
    data[at + POSITION_LAST] = positionLast
    data[at + WORD_FIRST] = found[first + WORD]!
    data[at + WORD_LAST] = found[last + WORD]!
    data[at + TOKEN_FIRST] = found[first + TOKEN]!
    data[at + TOKEN_LAST] = found[last + TOKEN]!
  }
}

/** Returns the first of the phrases that begins with found word `at` and occurs completely. */
function phraseAt(
  found: FoundWords,
  at: number,
  phrases: readonly PhraseNeedle[] | undefined,
): PhraseNeedle | null {
  if (phrases === undefined) return null
  for (const phrase of phrases) if (hasPhrase(found, at, phrase)) return phrase
  return null
}

function hasPhrase(found: FoundWords, at: number, { tail, words }: PhraseNeedle): boolean {
  const length = words.length + (tail === NO_TAIL ? 0 : 1)
  if (at + length > found.count) return false
  const { data } = found
  const first = data[at * FOUND_STRIDE + WORD]!
  for (let i = 1; i < length; i++) {
    const entry = (at + i) * FOUND_STRIDE
    if (data[entry + WORD] !== first + i) return false
    if (
      i === words.length
        ? (data[entry + TAILS]! & (1 << tail)) === 0
        : data[entry + ID] !== words[i]
    )
      return false
  }
  return true
}
