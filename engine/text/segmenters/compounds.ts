// Splits compounds into their words, so that Hauptbahnhof is found under Bahnhof. A word is split if
// the forms of a list cover it completely; other words stay whole, because a wrong split hides a
// word. Joining letters stay with the part before them.
//
// Searches run while a word is typed. A word that begins with parts and continues like the
// beginning of one is therefore split as well (Haupt|bahn|ho), so that its beginnings are found
// like the whole.
import { wordList } from './word-list.ts'
import { NO_NODE, WordTrie } from './word-trie.ts'

/** The roles of a form, stored as the count of its node: bits. */
export const BEFORE_OTHERS = 1
export const LAST = 2

const WORD_UNITS_MIN = 6
const WORD_UNITS_MAX = 80
/** The cost of a part and of a beginning of a part: few parts are better than many. */
const PART = 2
const BEGINNING = 3
const NONE = 255

/** A form in lower case, and its roles. */
export type Forms = Map<string, number>

export class CompoundParts {
  readonly #forms: WordTrie
  /** For the current word: the least cost from each position to its end, and the next cut. */
  readonly #least = new Uint8Array(WORD_UNITS_MAX + 1)
  readonly #next = new Uint8Array(WORD_UNITS_MAX + 1)

  /** Matches text that mostly is an ending where it could be the beginning of a part. */
  readonly #ending: RegExp

  constructor(forms: Forms, ending: RegExp) {
    this.#forms = new WordTrie(wordList(forms))
    this.#ending = ending
  }

  /** Appends the ends of the parts of text[from, to), as a `Segmenter` does. */
  cut(text: string, from: number, to: number, ends: number[]): void {
    const units = to - from
    if (units < WORD_UNITS_MIN || units > WORD_UNITS_MAX || !this.#findWay(text, from, to)) {
      ends.push(to)
      return
    }
    for (let i = 0; i < units; ) {
      i = this.#next[i]!
      ends.push(from + i)
    }
  }

  /** Fills `#next`; among equally many parts the longer first part wins. */
  #findWay(text: string, from: number, to: number): boolean {
    const forms = this.#forms
    const least = this.#least
    const units = to - from
    const typed = this.#reach(text, from, to) < to
    for (let i = units - 1; i >= 0; i--) {
      let best = NONE
      let node = 0
      for (let end = i; end < units; ) {
        node = forms.step(node, lower(text.charCodeAt(from + end)))
        if (node === NO_NODE) break
        end++
        const form = forms.counts[node]!
        let price = NONE
        if (end === units) {
          if ((form & LAST) !== 0) price = PART
          else if (form === 0 && i > 0 && typed && !this.#isEnding(text, from + i, to))
            price = BEGINNING
        } else if ((form & BEFORE_OTHERS) !== 0 && least[end] !== NONE) price = PART + least[end]!
        if (price === NONE || price > best) continue
        best = price
        this.#next[i] = end
      }
      least[i] = best
    }
    return least[0] !== NONE
  }

  /** Returns how far a form, or the beginning of one, reaches from the beginning of a word. */
  #reach(text: string, from: number, to: number): number {
    let node = 0
    for (let i = from; i < to; i++) {
      node = this.#forms.step(node, lower(text.charCodeAt(i)))
      if (node === NO_NODE) return i
    }
    return to
  }

  #isEnding(text: string, from: number, to: number): boolean {
    return to - from < 10 && this.#ending.test(text.slice(from, to).toLowerCase())
  }
}

export const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '')

export function addForm(forms: Forms, form: string, roles: number): void {
  forms.set(form, (forms.get(form) ?? 0) | roles)
}

/**
 * Lower case of the letters of Latin-1; it is wrong for the signs between Ö and Ø, which never
 * occur.
 */
const lower = (unit: number): number =>
  (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && unit <= 0xde) ? unit | 0x20 : unit
