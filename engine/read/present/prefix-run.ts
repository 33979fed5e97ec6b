// Words of which a token may have one as a prefix, for a query word that is a prefix. They are
// ascending, and words with another one as a prefix are left out as redundant, so that one binary
// search finds the prefix of a token.
import { startsWithBytes } from '../../../format/bytes/index.ts'

export class PrefixRun {
  readonly #words: readonly Uint8Array[]

  /** `words`: in ascending byte order. */
  constructor(words: readonly Uint8Array[]) {
    const minimal: Uint8Array[] = []
    for (const word of words) {
      const last = minimal.at(-1)
      if (last === undefined || !startsWithBytes(word, last)) minimal.push(word)
    }
    this.#words = minimal
  }

  get words(): readonly Uint8Array[] {
    return this.#words
  }

  /** Returns the word that is a prefix of bytes[0, length), or null. */
  find(bytes: Uint8Array, length: number): Uint8Array | null {
    const words = this.#words
    let low = 0
    let high = words.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isAfter(words[middle]!, bytes, length)) high = middle
      else low = middle + 1
    }
    // Only the last word that is not after the token can be its prefix.
    const word = low === 0 ? undefined : words[low - 1]!
    if (word === undefined || word.length > length) return null
    for (let i = 0; i < word.length; i++) if (word[i] !== bytes[i]) return null
    return word
  }
}

/** Returns true if `word` sorts after bytes[0, length). */
function isAfter(word: Uint8Array, bytes: Uint8Array, length: number): boolean {
  const shared = Math.min(word.length, length)
  for (let i = 0; i < shared; i++) {
    const difference = word[i]! - bytes[i]!
    if (difference !== 0) return difference > 0
  }
  return word.length > length
}
