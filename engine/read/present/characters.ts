// Classifies characters, as learned from the analyzer by tokenizing a letter, the character, and a
// letter: whether the character belongs to the word, is a separate token, and which normal form it
// has. A text whose characters all belong to scripts with separated words can be scanned byte by
// byte, one word at a time; all other text goes to the analyzer.
//
// A second table serves that other text: the first characters that normalized tokens beginning with
// a character can have, in any run. Text with none of a query's first characters need not be
// tokenized.
import { BACKSLASH, encoder, QUOTE, SPACE } from '../../../format/bytes/index.ts'
import { type Analyzer, isEmoji, type Script, type Token } from '../../text/index.ts'

/** ASCII that belongs to the word around it. */
export const PART = 0
/** A separate token that counts as a word. */
export const SOLO = 1
export const SOFT = 2
export const HARD = 3
/** With a following space one token, a hard separator; without one, `lone` has its class. */
export const PAIR = 4
/** An ASCII letter in a run of another script: begins a new run. */
export const LETTER = 5
/** The first byte of a character of several bytes. */
export const WIDE = 6
/** A character of several bytes that belongs to the word around it. */
export const WIDE_PART = 7
/** Needs the analyzer. */
export const OTHER = 8
/** In JSON: the end of the string. */
export const END = 9

/** No character with a script has been read yet. */
export const NO_SCRIPT = 0
export const LATIN = 1
/**
 * Scripts whose words are never split, and whose characters have a single normal form each, with a
 * letter of each script. Greek is excluded because of its final sigma.
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
/** Class and script of a character of several bytes as one number, never 0. */
export const entryOf = (script: number, meaning = WIDE_PART): number => meaning | (script << 4)
export const meaningOf = (entry: number): number => entry & 15
/** NO_SCRIPT for a character that fits any script. */
export const scriptOf = (entry: number): number => (entry >> 4) & 15
/**
 * The kind of separator that a WIDE_PART is if it is a token alone, such as a no-break space: SOFT,
 * HARD, or 0 for a word.
 */
export const loneOf = (entry: number): number => entry >> 8

/** Classes of tokens in the middle of a word, and of tokens that are alone. */
const MEANINGS = { word: SOLO, stopWord: SOLO, softSeparator: SOFT, hardSeparator: HARD } as const
const LONE = { ...MEANINGS, word: 0, stopWord: 0 } as const
/**
 * The letter placed around a character is the first of these that the index does not define as a
 * separator.
 */
const LETTERS = 'aeioubcdfghjklmnpqrstvwxyz'
/** Languages in which Latin text is split or normalized in a special way. */
const LATIN_LANGUAGES = ['deu', 'swe']
/**
 * A letter of each script in whose runs characters without a script are normalized in a special
 * way.
 */
const CONTEXTS = ['a', 'я', 'α', 'ა', 'ա', 'א', 'ا', 'ก', '中', 'あ']
/** Languages that Chinese-Japanese text may be detected as, and any. */
const LANGUAGES = [null, ['jpn'], ['cmn']]

const tables = new WeakMap<Analyzer, Characters>()

/** Returns the table of an analyzer, built once for each thread. */
export function charactersOf(analyzer: Analyzer): Characters {
  let table = tables.get(analyzer)
  if (table === undefined) {
    table = new Characters(analyzer)
    tables.set(analyzer, table)
  }
  return table
}

/** Classes by the first byte of a character. */
export type ByteTables = {
  /** While the run is Latin, or has no script yet. */
  readonly latin: Uint8Array
  /** While the run has another script. */
  readonly foreign: Uint8Array
}

export class Characters {
  readonly #analyzer: Analyzer
  readonly #letter: string | null
  readonly text: ByteTables
  /** For text in a JSON string: a quote ends it, and a backslash ends the scan. */
  readonly json: ByteTables
  /** By byte: the class of a PAIR character without a space. */
  readonly lone = new Uint8Array(128)
  /** Entries of characters of two bytes; 0 if not computed yet. */
  readonly twoBytes = new Uint16Array(0x800)
  /** Entries of all other characters, by their high bits. */
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

  /** Returns true if text in these languages may be scanned. */
  canScan(locales: readonly string[] | null): boolean {
    if (!this.#analyzer.isPlain || this.#letter === null) return false
    return locales === null || !LATIN_LANGUAGES.some((language) => locales.includes(language))
  }

  /** Returns the entry of a character of several bytes, for `meaningOf` and `scriptOf`. */
  entry(point: number): number {
    const small = point < 0x800
    const page = small ? this.twoBytes : (this.#pages[point >> 8] ??= new Uint16Array(256))
    const at = small ? point : point & 255
    if (page[at] === 0) page[at] = this.#classify(String.fromCodePoint(point))
    return page[at]!
  }

  /**
   * Returns the normal form, in UTF-8, of a WIDE_PART or SOLO in a run of a script, or of no
   * script.
   */
  form(point: number, script: number): Uint8Array {
    if (point < 0x800) return (this.#forms[script]![point] ??= this.#formOf(point, script))
    const key = point * 32 + script
    let form = this.#otherForms.get(key)
    if (form === undefined) this.#otherForms.set(key, (form = this.#formOf(point, script)))
    return form
  }

  /**
   * Returns true if a character without a script has a different normal form in runs of some script
   * than alone.
   */
  isUnsteady(point: number): boolean {
    const alone = this.form(point, NO_SCRIPT)
    for (let script = LATIN; script < SCRIPTS.length; script++) {
      if (Buffer.compare(this.form(point, script), alone) !== 0) return true
    }
    return false
  }

  /** Returns the characters with which normal forms of tokens beginning with `point` may begin. */
  firstPoints(point: number): readonly number[] {
    let points = this.#firstPoints.get(point)
    if (points === undefined) {
      points = this.#computeFirstPoints(String.fromCodePoint(point))
      this.#firstPoints.set(point, points)
    }
    return points
  }

  #meaningOfByte(byte: number): number {
    const char = String.fromCharCode(byte)
    const tokens = this.#around(`${char} `)
    if (tokens.length === 3 && tokens[1]!.end - tokens[1]!.start === 2) {
      this.lone[byte] = this.#classifyByte(byte)
      return tokens[1]!.kind === 'hardSeparator' ? PAIR : OTHER
    }
    return this.#classifyByte(byte)
  }

  #classifyByte(byte: number): number {
    const meaning = meaningOf(this.#classify(String.fromCharCode(byte)))
    if (meaning !== WIDE_PART) return meaning
    // Control characters vanish from words, while the scanner copies ASCII unchanged.
    return byte <= SPACE || byte === 0x7f ? OTHER : PART
  }

  /** Computes the entry of a character. */
  #classify(char: string): number {
    // Vanishes from words: a separator beside it would be a token alone.
    if (char >= '\u0080' && char < '\u00a0') return entryOf(NO_SCRIPT, OTHER)
    // May consist of several characters.
    if (isEmoji(char.codePointAt(0)!)) return entryOf(NO_SCRIPT, OTHER)
    const [own] = this.#tokens(char)
    const isSign = own!.script === 'Other'
    const script = isSign ? NO_SCRIPT : SCRIPTS.findIndex(([name]) => name === own!.script)
    if (script < 0) return entryOf(NO_SCRIPT, OTHER)
    const tokens = this.#around(char, isSign ? LATIN : script)
    if (tokens.length === 1) return entryOf(script) | (LONE[own!.kind] << 8)
    if (tokens.length !== 3 || tokens[1]!.end - tokens[1]!.start !== char.length) {
      return entryOf(NO_SCRIPT, OTHER)
    }
    return entryOf(script, MEANINGS[tokens[1]!.kind])
  }

  #formOf(point: number, script: number): Uint8Array {
    const char = String.fromCodePoint(point)
    if (script === NO_SCRIPT) return encoder.encode(this.#tokens(char)[0]!.lemma)
    const tokens = this.#around(char, script)
    if (tokens.length > 1) return encoder.encode(tokens[1]!.lemma)
    const letter = this.#around('', script)[0]!.lemma.length / 2
    return encoder.encode(tokens[0]!.lemma.slice(letter, -letter))
  }

  /** Returns the tokens of `text` between two letters of a script. */
  #around(text: string, script = LATIN): Token[] {
    const letter = script === LATIN ? (this.#letter ?? '') : SCRIPTS[script]![1]
    return this.#tokens(letter + text + letter)
  }

  #tokens(text: string, locales: readonly string[] | null = null): Token[] {
    return this.#analyzer.tokenize(text, locales, { ignoreStopWords: true })
  }

  #computeFirstPoints(char: string): number[] {
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
        // The normal form of a context letter is one character, the letter itself.
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
