// A query word that may go on: what it stands for are words that a token may begin with. Kept
// ascending and none a prefix of another, since of those the shortest says it all: whether a token
// begins with one is one binary search.
import { startsWithBytes } from '../../../format/bytes/index.ts'

export class PrefixRun {
  readonly #words: readonly Uint8Array[]

  /** `words`: in ascending byte order. */
  constructor(words: readonly Uint8Array[]) {
    const kept: Uint8Array[] = []
    for (const word of words) {
      const last = kept.at(-1)
      if (last === undefined || !startsWithBytes(word, last)) kept.push(word)
    }
    this.#words = kept
  }

  get words(): readonly Uint8Array[] {
    return this.#words
  }

  /** The word that bytes[0, length) begins with, or null. */
  find(bytes: Uint8Array, length: number): Uint8Array | null {
    const words = this.#words
    let low = 0
    let high = words.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isAfter(words[middle]!, bytes, length)) high = middle
      else low = middle + 1
    }
    // The last word that is not after the token is the only one it can begin with.
    const word = low === 0 ? undefined : words[low - 1]!
    if (word === undefined || word.length > length) return null
    for (let i = 0; i < word.length; i++) if (word[i] !== bytes[i]) return null
    return word
  }
}

/** Whether `word` sorts after bytes[0, length). */
function isAfter(word: Uint8Array, bytes: Uint8Array, length: number): boolean {
  const shared = Math.min(word.length, length)
  for (let i = 0; i < shared; i++) {
    const difference = word[i]! - bytes[i]!
    if (difference !== 0) return difference > 0
  }
  return word.length > length
}
