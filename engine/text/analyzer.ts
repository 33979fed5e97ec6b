// Splits a text into tokens. An analyzer holds the settings of an index that affect words: stop
// words, separators, dictionary. It is immutable and small: one per index and thread.
import {
  character,
  characters,
  HARD,
  SCRIPTS,
  type Script,
  SEPARATOR_SEQUENCES,
  textBytes,
  textPoints,
  wellFormed,
} from './characters/index.ts'
import { cutText, type RunCuts } from './cuts.ts'
import { detectLanguage } from './language.ts'
import {
  decomposed,
  hasControls,
  type Normalizer,
  normalizerFor,
  persian,
  recomposed,
} from './normalize.ts'
import { Patterns } from './patterns.ts'
import { scriptOfWhole } from './runs.ts'

export type TokenKind = 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator'

/** A piece of a text. Tokens of a text follow each other without gaps. */
export type Token = {
  readonly kind: TokenKind
  /** The normal form. May be empty (a lone accent), may hold spaces (from a no-break space). */
  readonly lemma: string
  /** In UTF-16 units: `text.slice(start, end)` is the token as written. */
  readonly start: number
  readonly end: number
  /** In code points. */
  readonly charStart: number
  readonly charEnd: number
  /** In bytes of the text as UTF-8. */
  readonly byteStart: number
  readonly byteEnd: number
  readonly script: Script
  /** The language whose rules cut and normalised it, or null if none was requested or detected. */
  readonly language: string | null
  /**
   * For each original character the length of its bytes and of the bytes of its normal form,
   * alternately. Null when not requested, or when the two are equal for all characters.
   */
  readonly charMap: Uint8Array | null
}

/**
 * Settings as they are stored. Stop words may be in the form of `normalizeStopWord` or as typed.
 */
export type AnalyzerSettings = {
  readonly stopWords: readonly string[]
  readonly separatorTokens: readonly string[]
  readonly nonSeparatorTokens: readonly string[]
  readonly dictionary: readonly string[]
}

export const DEFAULT_ANALYZER_SETTINGS: AnalyzerSettings = {
  stopWords: [],
  separatorTokens: [],
  nonSeparatorTokens: [],
  dictionary: [],
}

export type TokenizeOptions = {
  /** Returns stop words as words, for the formatting of hits. */
  readonly ignoreStopWords?: boolean
  readonly charMaps?: boolean
  /** Unifies variants of Chinese characters in Japanese as well, even where it is declared. */
  readonly foldsAlike?: boolean
  /** Largest number of tokens, separators included. */
  readonly tokensMax?: number
}

export class Analyzer {
  readonly patterns: Patterns
  /**
   * Decomposed and in lower case, with Persian letters in place of Arabic ones; Swedish letters in
   * both spellings.
   */
  readonly stopWords: ReadonlySet<string>
  /**
   * True without a dictionary and without patterns of several units beyond the default ones: then
   * bytes can be scanned one by one.
   */
  readonly isPlain: boolean
  /** Longest separator in UTF-16 units: a longer token is not a separator. */
  readonly separatorUnitsMax: number
  /** Kinds of single ASCII characters without stop words, filled as they occur. */
  readonly #asciiKinds: (TokenKind | undefined)[] = []

  constructor(settings: AnalyzerSettings) {
    const stopWords = settings.stopWords.map((word) => normalizeStopWord(word).toLowerCase())
    this.stopWords = new Set([...stopWords, ...stopWords.map(recomposed)])
    const dictionary = settings.dictionary.map(wellFormed).filter((word) => word !== '')
    const separatorTokens = settings.separatorTokens.map(wellFormed)
    const nonSeparatorTokens = settings.nonSeparatorTokens.map(wellFormed)
    this.patterns = new Patterns({ separatorTokens, nonSeparatorTokens, dictionary })
    this.separatorUnitsMax = this.patterns.separatorUnitsMax
    const changed = [...separatorTokens, ...nonSeparatorTokens]
    this.isPlain =
      dictionary.length === 0 &&
      changed.every((token) => token.length <= 1) &&
      !SEPARATOR_SEQUENCES.some((sequence) => this.stopWords.has(sequence))
  }

  /**
   * Returns the tokens of `text`. `locales`: three-letter codes of the languages the text may be
   * in; null or empty means any. Lone surrogates count as U+FFFD.
   */
  tokenize(
    text: string,
    locales: readonly string[] | null,
    options: TokenizeOptions = {},
  ): Token[] {
    const tokensMax = options.tokensMax ?? Number.POSITIVE_INFINITY
    const ascii = /^[\0-\x7f]*$/.test(text)
    if (!ascii) text = wellFormed(text)
    const tokens: Token[] = []
    let chars = 0
    let bytes = 0
    const { foldsAlike } = options
    for (const run of cutText(text, this.patterns, locales, tokensMax, foldsAlike)) {
      let start = run.from
      for (const end of run.ends) {
        const raw = text.slice(start, end)
        const charEnd = chars + (ascii ? raw.length : textPoints(raw))
        const byteEnd = bytes + (ascii ? raw.length : textBytes(raw))
        tokens.push(this.#token(raw, run, options, start, chars, charEnd, bytes, byteEnd))
        if (tokens.length >= tokensMax) return tokens
        start = end
        chars = charEnd
        bytes = byteEnd
      }
    }
    return tokens
  }

  #token(
    raw: string,
    run: RunCuts,
    options: TokenizeOptions,
    start: number,
    charStart: number,
    charEnd: number,
    byteStart: number,
    byteEnd: number,
  ): Token {
    const { normalizer } = run
    const plainAscii = byteEnd - byteStart === raw.length && !hasControls(raw)
    return {
      kind: this.kindOf(raw, normalizer, options.ignoreStopWords === true),
      lemma: plainAscii ? raw.toLowerCase() : normalizer.lemma(raw),
      start,
      end: start + raw.length,
      charStart,
      charEnd,
      byteStart,
      byteEnd,
      script: SCRIPTS[run.script]!,
      language: run.language,
      charMap: options.charMaps !== true || plainAscii ? null : normalizer.charMap(raw),
    }
  }

  /** Returns the kind of a token, by its decomposed form with marks as written. */
  kindOf(raw: string, normalizer: Normalizer, ignoreStopWords = false): TokenKind {
    const stops = this.stopWords.size > 0 && !ignoreStopWords
    // Decomposition shortens only tokens with control characters.
    if (!stops && raw.length > this.separatorUnitsMax && !hasControls(raw)) return 'word'
    if (!stops && raw.length === 1 && raw < '\x80') {
      return (this.#asciiKinds[raw.charCodeAt(0)] ??= this.#kindOfPlain(decomposed(raw)))
    }
    const plain = normalizer.plain(raw)
    if (stops && this.#isStopWord(plain.toLowerCase(), normalizer)) return 'stopWord'
    // The decomposed form of ™ is letters, that of … three dots, that of ´ a blank with a mark.
    return this.#kindOfPlain(plain !== '' && this.patterns.isSeparator(raw) ? raw : plain)
  }

  #kindOfPlain(plain: string): TokenKind {
    if (plain.length > this.separatorUnitsMax || !this.patterns.isSeparator(plain)) return 'word'
    return isHard(plain) ? 'hardSeparator' : 'softSeparator'
  }

  #isStopWord(lowered: string, normalizer: Normalizer): boolean {
    return (
      this.stopWords.has(lowered) || (normalizer.arabic && this.stopWords.has(persian(lowered)))
    )
  }

  /** Returns the lemmas of the words in `text`, without separators and stop words, for synonyms. */
  words(text: string, locales: readonly string[] | null = null): string[] {
    const words: string[] = []
    for (const token of this.tokenize(text, locales)) {
      if (token.kind === 'word' && token.lemma !== '') words.push(token.lemma)
    }
    return words
  }
}

function isHard(separator: string): boolean {
  if (separator.length === 1) return (characters()[separator.charCodeAt(0)]! & HARD) !== 0
  if (SEPARATOR_SEQUENCES.some((sequence) => sequence === separator)) return true
  const point = separator.codePointAt(0)!
  return separator.length === 2 && point > 0xffff && (character(point) & HARD) !== 0
}

/**
 * Returns the form in which a stop word is stored and shown: decomposed, with Persian letters, case
 * and marks unchanged.
 */
export const normalizeStopWord = (word: string): string => persian(decomposed(wellFormed(word)))

/** Normalises a whole string, spaces included, as one token, as facet searches compare values. */
export function normalizeWhole(text: string, locales: readonly string[] | null): string {
  // Decomposed, as values are stored.
  text = decomposed(wellFormed(text))
  const { script, counts } = scriptOfWhole(text)
  let language: string | null = null
  if (locales !== null && locales.length === 1) language = locales[0]!
  else if (locales !== null && locales.length > 1)
    language = detectLanguage(script, counts, locales)
  return normalizerFor(script, language, locales?.includes('jpn')).lemma(text)
}

let defaults: Analyzer | null = null

/** Returns the normal form of an entry of `disableOnWords`: the lemmas of all its tokens joined. */
export function normalizeExemptWord(word: string): string {
  defaults ??= new Analyzer(DEFAULT_ANALYZER_SETTINGS)
  return defaults
    .tokenize(word, null)
    .map((token) => token.lemma)
    .join('')
}

/**
 * Returns how much of the original token the first `lemmaChars` characters of its lemma cover, for
 * the highlighting of a prefix. A character whose normal form is only partly covered counts whole;
 * marks after it do not count.
 */
export function originalPrefix(
  token: Token,
  lemmaChars: number,
): { readonly chars: number; readonly bytes: number } {
  let wanted = 0
  let left = lemmaChars
  for (const char of token.lemma) {
    if (left-- <= 0) break
    wanted += textBytes(char)
  }
  const map = token.charMap
  if (map === null) {
    const prefix = [...token.lemma].slice(0, lemmaChars).length
    return { chars: prefix, bytes: wanted }
  }
  let chars = 0
  let bytes = 0
  let normal = 0
  for (let i = 0; i < map.length && normal < wanted; i += 2) {
    bytes += map[i]!
    normal += map[i + 1]!
    chars++
  }
  return { chars, bytes }
}
