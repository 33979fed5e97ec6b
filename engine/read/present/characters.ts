// What a character means in a text, learnt from the analyzer by asking it about a letter, the
// character, a letter: does it belong to the word, is it a token of its own, what is its normal
// form? Where all characters are of scripts that write words apart, a text can be scanned byte by
// byte, a word at a time; all other text is the analyzer's.
//
// A second table serves that other text: what tokens that begin with a character begin with once
// they are normalised, in whatever run they stand. Text that has none of a query's first characters
// need not be cut.
import type { Analyzer, Script, Token } from '../../text/index.ts'

/** ASCII that belongs to the word around it. */
export const PART = 0
/** A token of its own that counts as a word. */
export const SOLO = 1
export const SOFT = 2
export const HARD = 3
/** With a space behind it one token, a hard separator; without one what `lone` says. */
export const PAIR = 4
/** An ASCII letter in a run of another script: a new run begins. */
export const LETTER = 5
/** Begins a character of several bytes. */
export const WIDE = 6
/** A character of several bytes that belongs to the word around it. */
export const WIDE_PART = 7
/** Only the analyzer knows. */
export const OTHER = 8
/** In JSON: the string is over. */
export const END = 9

/** No scripted character was met yet. */
export const NO_SCRIPT = 0
export const LATIN = 1
/**
 * Scripts whose words are never cut inside, and whose characters have one normal form each, with a
 * letter of each. Greek is not among them because of its final sigma.
 */
const SCRIPTS: readonly (readonly [Script | null, string])[] = [
  [null, ''],
  ['Latin', 'a'],
  ['Cyrillic', 'я'],
  ['Hebrew', 'א'],
  ['Georgian', 'ა'],
  ['Devanagari', 'क'],
  ['Bengali', 'ক'],
  ['Gujarati', 'ક'],
  ['Gurmukhi', 'ਕ'],
  ['Tamil', 'க'],
  ['Telugu', 'క'],
  ['Kannada', 'ಕ'],
  ['Malayalam', 'ക'],
]
/** Meaning and script of a character of several bytes as one number, never 0. */
export const entryOf = (script: number, meaning = WIDE_PART): number => meaning | (script << 4)
export const meaningOf = (entry: number): number => entry & 15
/** NO_SCRIPT for a character that goes with any. */
export const scriptOf = (entry: number): number => entry >> 4

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
/**
 * The letter around a character that is asked about: the first that is none of the index's
 * separators.
 */
const LETTERS = 'aeioubcdfghjklmnpqrstvwxyz'
/** Languages in which Latin text is cut or normalised in a way of its own. */
const LATIN_LANGUAGES = ['deu', 'swe']
/**
 * A letter of each script in whose runs characters of no script are normalised in a way of their
 * own.
 */
const CONTEXTS = ['a', 'я', 'α', 'ა', 'ա', 'א', 'ا', 'ก', '中', 'あ']
/** Languages that Chinese-Japanese text is taken for, and any. */
const LANGUAGES = [null, ['jpn'], ['cmn']]

const encoder = new TextEncoder()
const tables = new WeakMap<Analyzer, Characters>()

/** The table of an analyzer, made once a thread. */
export function charactersOf(analyzer: Analyzer): Characters {
  let table = tables.get(analyzer)
  if (table === undefined) {
    table = new Characters(analyzer)
    tables.set(analyzer, table)
  }
  return table
}

/** Meanings by byte, at the place where a character begins. */
export type ByteTables = {
  /** While the run is Latin, or of no script yet. */
  readonly latin: Uint8Array
  /** While it is of another script. */
  readonly foreign: Uint8Array
}

export class Characters {
  readonly #analyzer: Analyzer
  readonly #letter: string | null
  readonly text: ByteTables
  /** For text that stands in a JSON string: a quote ends it, a backslash is not for scanning. */
  readonly json: ByteTables
  /** By byte: what a PAIR is without a space. */
  readonly lone = new Uint8Array(128)
  /** Entries of characters of two bytes, 0 where none was asked for yet. */
  readonly twoBytes = new Uint16Array(0x800)
  /** Of all others, by their high bits. */
  readonly #pages: (Uint16Array | undefined)[] = []
  /** By script: normal forms of characters of two bytes, and of all others. */
  readonly #forms: readonly (Uint8Array | undefined)[][] = SCRIPTS.map(() => [])
  readonly #otherForms = new Map<number, Uint8Array>()
  readonly #firstPoints = new Map<number, readonly number[]>()

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
    const isPart = (letter: string): boolean => this.#tokens(letter + letter).length === 1
    this.#letter = [...LETTERS].find(isPart) ?? null
    const latin = new Uint8Array(256).fill(WIDE, 128)
    for (let byte = 0; byte < 128; byte++) latin[byte] = this.#meaningOfByte(byte)
    const foreign = latin.slice()
    for (let upper = 0x41; upper <= 0x5a; upper++) {
      foreign[upper] = LETTER
      foreign[upper | 0x20] = LETTER
    }
    this.text = { latin, foreign }
    this.json = { latin: jsonTable(latin), foreign: jsonTable(foreign) }
  }

  /** Whether text in one of these languages may be scanned. */
  canScan(locales: readonly string[] | null): boolean {
    if (!this.#analyzer.isPlain || this.#letter === null) return false
    return locales === null || !LATIN_LANGUAGES.some((language) => locales.includes(language))
  }

  /** What a character of several bytes is: `meaningOf` and `scriptOf` take it apart. */
  entry(point: number): number {
    const small = point < 0x800
    const page = small ? this.twoBytes : (this.#pages[point >> 8] ??= new Uint16Array(256))
    const at = small ? point : point & 255
    if (page[at] === 0) page[at] = this.#ask(String.fromCodePoint(point))
    return page[at]!
  }

  /** The normal form, in UTF-8, of a WIDE_PART or SOLO in a run of a script, or of none. */
  form(point: number, script: number): Uint8Array {
    if (point < 0x800) return (this.#forms[script]![point] ??= this.#formOf(point, script))
    const key = point * 32 + script
    let form = this.#otherForms.get(key)
    if (form === undefined) this.#otherForms.set(key, (form = this.#formOf(point, script)))
    return form
  }

  /**
   * Whether a character of no script has another normal form in runs of some script than by itself.
   */
  isUnsteady(point: number): boolean {
    const alone = this.form(point, NO_SCRIPT)
    for (let script = LATIN; script < SCRIPTS.length; script++) {
      if (Buffer.compare(this.form(point, script), alone) !== 0) return true
    }
    return false
  }

  /** The characters with which the normal forms of tokens that begin with `point` may begin. */
  firstPoints(point: number): readonly number[] {
    let points = this.#firstPoints.get(point)
    if (points === undefined) {
      points = this.#askFirstPoints(String.fromCodePoint(point))
      this.#firstPoints.set(point, points)
    }
    return points
  }

  #meaningOfByte(byte: number): number {
    const char = String.fromCharCode(byte)
    const tokens = this.#around(`${char} `)
    if (tokens.length === 3 && tokens[1]!.end - tokens[1]!.start === 2) {
      this.lone[byte] = this.#askByte(byte)
      return tokens[1]!.kind === 'hardSeparator' ? PAIR : OTHER
    }
    return this.#askByte(byte)
  }

  #askByte(byte: number): number {
    const meaning = meaningOf(this.#ask(String.fromCharCode(byte)))
    if (meaning !== WIDE_PART) return meaning
    // Control characters vanish from words; the scanner reads ASCII as it is.
    return byte <= SPACE || byte === 0x7f ? OTHER : PART
  }

  /** The entry of a character. */
  #ask(char: string): number {
    const [own] = this.#tokens(char)
    const isSign = own!.script === 'Other'
    const script = isSign ? NO_SCRIPT : SCRIPTS.findIndex(([name]) => name === own!.script)
    if (script < 0) return entryOf(NO_SCRIPT, OTHER)
    const tokens = this.#around(char, isSign ? LATIN : script)
    if (tokens.length === 1) return entryOf(script)
    if (tokens.length !== 3 || tokens[1]!.end - tokens[1]!.start !== char.length) {
      return entryOf(NO_SCRIPT, OTHER)
    }
    const meanings = { word: SOLO, stopWord: SOLO, softSeparator: SOFT, hardSeparator: HARD }
    return entryOf(script, meanings[tokens[1]!.kind])
  }

  #formOf(point: number, script: number): Uint8Array {
    const char = String.fromCodePoint(point)
    if (script === NO_SCRIPT) return encoder.encode(this.#tokens(char)[0]!.lemma)
    const tokens = this.#around(char, script)
    if (tokens.length > 1) return encoder.encode(tokens[1]!.lemma)
    const letter = this.#around('', script)[0]!.lemma.length / 2
    return encoder.encode(tokens[0]!.lemma.slice(letter, -letter))
  }

  /** The tokens of `text` between two letters of a script. */
  #around(text: string, script = LATIN): Token[] {
    const letter = script === LATIN ? (this.#letter ?? '') : SCRIPTS[script]![1]
    return this.#tokens(letter + text + letter)
  }

  #tokens(text: string, locales: readonly string[] | null = null): Token[] {
    return this.#analyzer.tokenize(text, locales, { ignoreStopWords: true })
  }

  #askFirstPoints(char: string): number[] {
    const points = new Set<number>()
    let unscripted = false
    for (const locales of LANGUAGES) {
      const [token] = this.#tokens(char, locales)
      addFirst(token!.lemma, points)
      unscripted ||= token!.script === 'Other'
    }
    for (const context of unscripted ? CONTEXTS : []) {
      for (const token of this.#tokens(context + char)) {
        if (token.end === context.length) continue
        // The form of a context is one letter, itself.
        addFirst(token.start === 0 ? token.lemma.slice(1) : token.lemma, points)
      }
    }
    return [...points]
  }
}

function jsonTable(table: Uint8Array): Uint8Array {
  const json = table.slice()
  json[QUOTE] = END
  json[BACKSLASH] = OTHER
  return json
}

function addFirst(text: string, points: Set<number>): void {
  const first = text.codePointAt(0)
  if (first !== undefined) points.add(first)
}
