// Segments Chinese, which is written without spaces. Of all segmentations of a stretch into known
// words, the one whose words are most frequent together is chosen. Words of three and more
// characters are then split again into words of two, so that 图书馆 is found under 图书. Unknown
// characters are separate tokens. The words, their origin and licence: ./WORD-LISTS.md
import { readWords } from './word-list.ts'
import { NO_NODE, WordTrie } from './word-trie.ts'

/** Longest stretch that is segmented as a whole: bounds the memory for its segmentations. */
const STRETCH_UNITS_MAX = 4096

export class ChineseWords {
  readonly #words: WordTrie
  /** The cost of an unknown character: as if it had been seen once. */
  readonly #unknown: number
  /** For the current stretch: the least cost from each position to its end, and the next cut. */
  readonly #least = new Float64Array(STRETCH_UNITS_MAX + 1)
  readonly #next = new Uint32Array(STRETCH_UNITS_MAX + 1)

  constructor(words: WordTrie) {
    let total = 0
    for (const count of words.counts) total += count
    this.#words = words
    this.#unknown = Math.log(total)
  }

  /** Appends the ends of the words in text[from, to), as a `Segmenter` does. */
  cut(text: string, from: number, to: number, ends: number[]): void {
    for (let i = from; i < to; ) {
      let end = i
      const limit = Math.min(to, i + STRETCH_UNITS_MAX)
      while (end < limit && joinsWords(text.charCodeAt(end))) end++
      if (end > i) {
        this.#cutStretch(text, i, end, ends)
        i = end
      } else {
        i += isPair(text, i, to) ? 2 : 1
        ends.push(i)
      }
    }
  }

  #cutStretch(text: string, from: number, to: number, ends: number[]): void {
    if (to === from + 1) {
      ends.push(to)
      return
    }
    this.#findWay(text, from, to)
    const next = this.#next
    for (let i = from, number = -1; i < to; ) {
      const end = from + next[i - from]!
      // Letters and digits that do not form a word stay together.
      if (end === i + 1 && isAlphanumeric(text.charCodeAt(i))) {
        if (number === i) ends[ends.length - 1] = end
        else ends.push(end)
        number = end
      } else if (end - i > 2 && !isAllAlphanumeric(text, i, end)) this.#cutWord(text, i, end, ends)
      else ends.push(end)
      i = end
    }
  }

  /** Fills `#next` with the cheapest segmentation from each position; ties prefer longer words. */
  #findWay(text: string, from: number, to: number): void {
    const words = this.#words
    const counts = words.counts
    const least = this.#least
    const next = this.#next
    least[to - from] = 0
    for (let i = to - 1; i >= from; i--) {
      let best = this.#unknown + least[i + 1 - from]!
      let cut = i + 1 - from
      let node = 0
      for (let k = i; k < to; k++) {
        node = words.step(node, text.charCodeAt(k))
        if (node === NO_NODE) break
        const count = counts[node]!
        if (count === 0) continue
        // Minus the logarithm of the word's share. A table by node would be copied into every
        // thread.
        const cost = this.#unknown - Math.log(count) + least[k + 1 - from]!
        if (cost <= best) {
          best = cost
          cut = k + 1 - from
        }
      }
      least[i - from] = best
      next[i - from] = cut
    }
  }

  /** Splits a long word from the left: two characters that form a word, else three, else one. */
  #cutWord(text: string, from: number, to: number, ends: number[]): void {
    for (let i = from; i < to; ) {
      let end = i + 1
      if (i + 2 <= to && this.#words.count(text, i, i + 2) > 0) end = i + 2
      else if (i + 3 <= to && this.#words.count(text, i, i + 3) > 0) end = i + 3
      ends.push(end)
      i = end
    }
  }
}

let known: ChineseWords | null = null

/**
 * Returns the segmenter with the word list of the package, which is read on first use. The folder
 * `data` is in the same place relative to this folder and to each folder of programs in `dist`.
 * @throws StorageError
 */
export function chineseWords(): ChineseWords {
  const file = new URL('../data/chinese-words.bin', import.meta.url)
  known ??= new ChineseWords(new WordTrie(readWords(file)))
  return known
}

/** Returns true for units of listed words: Chinese characters, ASCII letters, digits, `+#&._%-`. */
function joinsWords(unit: number): boolean {
  if (unit >= 0x3400) return unit < 0xa000 ? unit < 0x4dc0 || unit >= 0x4e00 : isCompatible(unit)
  return unit < 0x80 && (isAlphanumeric(unit) || '+#&._%-'.includes(String.fromCharCode(unit)))
}

const isCompatible = (unit: number): boolean => unit >= 0xf900 && unit < 0xfb00

const isAlphanumeric = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)

function isAllAlphanumeric(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isAlphanumeric(text.charCodeAt(i))) return false
  return true
}

function isPair(text: string, at: number, to: number): boolean {
  return at + 1 < to && (text.charCodeAt(at) & 0xfc00) === 0xd800
}
