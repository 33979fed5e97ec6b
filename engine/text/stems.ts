// The stems of words under one rule of `localizedAttributes`. A word has a key for each language of
// the rule: the language and the stem, in normal form. Stemmers need the marks that normal forms
// lack, and queries may be typed without them: so both the word as written and its normal form have
// keys, which mostly are equal.
//
// Keys are terms of the index, at the position of the word. Three marks stand before them, so that
// no query word reaches them by a prefix or a typo (./stop-term.ts). A key whose stem is the word
// itself is not stored: the word is its own term.
import { normalizeExemptWord } from './analyzer.ts'
import { STEMMER_NAMES, type Stemmer, stemmerNamed } from './stemming/index.ts'

const MARKS = '\u0006\u0006\u0006'
const LANGUAGE_CHARS = 3
/** Words whose keys are cached, about 200 bytes each. When there are more, all are dropped. */
const CACHED_MAX = 1 << 16

export type StemOptions = {
  /** Words that have no stem besides themselves. */
  readonly exceptions?: readonly string[]
  /** Word → the word whose stem it has. */
  readonly dictionary?: { readonly [word: string]: string }
}

/** Returns the term of a key. */
export const stemTerm = (key: string): string => MARKS + key

/** Returns the stem of a key. */
export const stemOf = (key: string): string => key.slice(LANGUAGE_CHARS)

export class Stemming {
  readonly #languages: readonly string[]
  readonly #options: StemOptions
  #stemmers: readonly Stemmer[] | null = null
  #exceptions: ReadonlySet<string> = new Set()
  #dictionary: ReadonlyMap<string, string> = new Map()
  readonly #cached = new Map<string, readonly string[]>()

  /** `languages`: three-letter codes; those without a stemmer are passed over. */
  constructor(languages: readonly string[], options: StemOptions) {
    this.#languages = languages.filter((code) => STEMMER_NAMES.has(code))
    this.#options = options
  }

  /**
   * Returns the keys of a word as written, in languages of `locales`; null for all. Stemmers are
   * loaded with the first word.
   */
  keysOf(written: string, locales: readonly string[] | null = null): readonly string[] {
    const word = isAscii(written) ? written.toLowerCase() : written
    let keys = this.#cached.get(word)
    if (keys === undefined) {
      keys = this.#makeKeys(word)
      if (this.#cached.size >= CACHED_MAX) this.#cached.clear()
      this.#cached.set(word, keys)
    }
    if (locales === null) return keys
    return keys.filter((key) => locales.includes(key.slice(0, LANGUAGE_CHARS)))
  }

  /** Returns the keys that the index stores for a word whose normal form is `lemma`. */
  storedKeysOf(written: string, lemma: string): readonly string[] {
    return this.keysOf(written).filter((key) => stemOf(key) !== lemma || !this.isOwnStem(key))
  }

  /** Returns true if the stem of a key, read as a word, has this key. */
  isOwnStem(key: string): boolean {
    return this.keysOf(stemOf(key)).includes(key)
  }

  /** Returns true if a word has one of the keys. */
  hasKey(written: string, keys: ReadonlySet<string>): boolean {
    return this.keysOf(written).some((key) => keys.has(key))
  }

  #makeKeys(written: string): readonly string[] {
    if ((isAscii(written) ? /\d|^.?$/s : /\p{N}|^.?$/su).test(written)) return []
    this.#stemmers ??= this.#load()
    const lemma = normalOf(written)
    if (this.#exceptions.has(lemma)) return this.#languages.map((code) => code + lemma)
    const base = this.#dictionary.get(lemma)
    const form = lowered(base ?? written)
    const keys: string[] = []
    for (let i = 0; i < this.#languages.length; i++) {
      this.#addKey(i, form, keys)
      if (base === undefined && form !== lemma) this.#addKey(i, lemma, keys)
    }
    return keys
  }

  #addKey(language: number, form: string, keys: string[]): void {
    const stem = normalOf(this.#stemmers![language]!(form))
    const key = this.#languages[language]! + stem
    if (stem !== '' && !keys.includes(key)) keys.push(key)
  }

  #load(): readonly Stemmer[] {
    const { dictionary = {}, exceptions = [] } = this.#options
    this.#exceptions = new Set(exceptions.map(normalOf))
    const entries = Object.entries(dictionary)
    this.#dictionary = new Map(entries.map(([word, base]) => [normalOf(word), base]))
    return this.#languages.map((code) => stemmerNamed(STEMMER_NAMES.get(code)!))
  }
}

const isAscii = (word: string): boolean => /^[\0-\x7f]*$/.test(word)

const lowered = (word: string): string =>
  (isAscii(word) ? word : word.normalize('NFC')).toLowerCase()

/** Returns the normal form; that of ASCII, which most words are, without cutting it into tokens. */
const normalOf = (word: string): string =>
  isAscii(word) ? word.toLowerCase() : normalizeExemptWord(word)
