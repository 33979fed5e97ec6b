// Finds separators and dictionary words in the original text, before any language is considered:
// the longest one at the leftmost place. One byte per UTF-16 unit decides for nearly every
// character; the few patterns of several units are in a small tree.
import {
  astralSeparators,
  characters,
  parseRanges,
  SEPARATOR,
  SEPARATOR_RANGES,
  SEPARATOR_SEQUENCES,
} from './characters/index.ts'

type Node = { end: boolean; next: Map<number, Node> | null }

/** No pattern begins with the unit. */
const NONE = 0
/** The unit is a pattern, and no longer one begins with it. */
export const SINGLE = 1
/** A longer pattern begins with the unit; `Patterns.longest` finds it. */
export const LONGER = 2

export type PatternSettings = {
  readonly separatorTokens: readonly string[]
  readonly nonSeparatorTokens: readonly string[]
  readonly dictionary: readonly string[]
}

/** First and last code points of the separators, the same for all settings. */
let separators: Uint32Array | null = null

export class Patterns {
  /** By UTF-16 unit: NONE, SINGLE or LONGER. Do not write. */
  readonly starts = new Uint8Array(0x10000)
  readonly #tree = new Map<number, Node>()
  readonly #added: ReadonlySet<string>
  readonly #removed: ReadonlySet<string>

  constructor(settings: PatternSettings) {
    this.#removed = new Set(settings.nonSeparatorTokens)
    this.#added = new Set(settings.separatorTokens.filter((token) => token !== ''))
    separators ??= parseRanges(SEPARATOR_RANGES)
    for (let i = 0; i < separators.length; i += 2) {
      // Ranges above the first plane are outside of the table, and are added below.
      this.starts.fill(SINGLE, separators[i]!, separators[i + 1]! + 1)
    }
    for (const token of settings.nonSeparatorTokens) {
      if (token.length === 1) this.starts[token.charCodeAt(0)] = NONE
    }
    for (const sequence of SEPARATOR_SEQUENCES) {
      if (!this.#removed.has(sequence)) this.#add(sequence)
    }
    for (const [first, last] of astralSeparators()) {
      for (let point = first; point <= last; point++) {
        const char = String.fromCodePoint(point)
        if (!this.#removed.has(char)) this.#add(char)
      }
    }
    for (const token of this.#added) if (!this.#removed.has(token)) this.#add(token)
    for (const word of settings.dictionary) if (word !== '') this.#add(word)
  }

  #add(pattern: string): void {
    const first = pattern.charCodeAt(0)
    if (pattern.length === 1 && this.starts[first] !== LONGER) {
      this.starts[first] = SINGLE
      return
    }
    let node = this.#tree.get(first)
    if (node === undefined) {
      node = { end: this.starts[first] === SINGLE, next: null }
      this.#tree.set(first, node)
      this.starts[first] = LONGER
    }
    for (let i = 1; i < pattern.length; i++) {
      node.next ??= new Map()
      let child = node.next.get(pattern.charCodeAt(i))
      if (child === undefined) {
        child = { end: false, next: null }
        node.next.set(pattern.charCodeAt(i), child)
      }
      node = child
    }
    node.end = true
  }

  /** Returns the units of the longest pattern at `at` that ends by `to`, or 0. */
  longest(text: string, at: number, to: number): number {
    let node = this.#tree.get(text.charCodeAt(at))
    let units = 0
    for (let i = at + 1; node !== undefined; i++) {
      if (node.end) units = i - at
      if (i >= to) break
      node = node.next?.get(text.charCodeAt(i))
    }
    return units
  }

  /** Returns true if a decomposed token is a separator of the effective set. */
  isSeparator(token: string): boolean {
    if (this.#removed.has(token)) return false
    return isDefaultSeparator(token) || this.#added.has(token)
  }

  /** Longest text, in units, for which `isSeparator` can hold. */
  get separatorUnitsMax(): number {
    let units = 3
    for (const token of this.#added) units = Math.max(units, token.length)
    return units
  }
}

function isDefaultSeparator(token: string): boolean {
  if (token.length === 1) return (characters()[token.charCodeAt(0)]! & SEPARATOR) !== 0
  if (token.length > 3) return false
  for (const sequence of SEPARATOR_SEQUENCES) if (token === sequence) return true
  if (token.length !== 2) return false
  const point = token.codePointAt(0)!
  if (point <= 0xffff) return false
  for (const [first, last] of astralSeparators()) if (point >= first && point <= last) return true
  return false
}
