// Splits a piece of text between two separators into tokens, by script and language. Most scripts
// separate their words: there a piece is a token. `Segmenter` is the interface for dictionary
// segmenters.
import { CJ, SCRIPTS, type Script } from '../characters/index.ts'
import { type ChineseWords, chineseWords } from './chinese.ts'
import type { CompoundParts } from './compounds.ts'
import { dutchParts } from './dutch.ts'
import { germanParts } from './german.ts'
import { danishParts, norwegianParts, swedishParts } from './scandinavian.ts'

export interface Segmenter {
  /**
   * Appends to `ends` where the tokens of text[from, to) end, ascending, in units of the whole
   * text; the last one is `to`. Tokens are not empty and do not cut a surrogate pair.
   */
  cut(text: string, from: number, to: number, ends: number[]): void
  /**
   * A call is expensive: it gets a whole run in one call, and its cuts at separators are not used.
   */
  readonly takesRuns?: true
}

/** Leaves a piece whole. */
export const WHOLE: Segmenter = {
  cut: (_text, _from, to, ends) => {
    ends.push(to)
  },
}

/** Splits the article (an alef and a lam) off a longer word. */
const arabic: Segmenter = {
  cut: (text, from, to, ends) => {
    if (to - from > 2 && text[from + 1] === '\u0644' && ALEFS.includes(text[from]!)) {
      ends.push(from + 2)
    }
    ends.push(to)
  },
}
const ALEFS = '\u0627\u0623\u0625\u0622\u0671'

/**
 * Korean is written with spaces; only the letters for laughter or tears (ㅋㅋ, ㅠㅠ) behind a word are
 * split off. The platform's library has no Korean dictionary either and splits little else.
 */
const korean: Segmenter = {
  cut: (text, from, to, ends) => {
    let before = isLoneJamo(text.charCodeAt(from))
    for (let i = from + 1; i < to; i++) {
      const unit = text.charCodeAt(i)
      const now = isLoneJamo(unit)
      if (now !== before && (now || isSyllable(unit))) ends.push(i)
      if (now || isSyllable(unit)) before = now
    }
    ends.push(to)
  },
}
const isLoneJamo = (unit: number): boolean => unit >= 0x3130 && unit <= 0x318f
const isSyllable = (unit: number): boolean => unit >= 0xac00 && unit <= 0xd7a3

/**
 * Length of the text that the platform segments in one call, in UTF-16 units, and how much before
 * its end is passed again with the next piece. Its time is linear up to 16,384 units, quadratic
 * from 32,768 on.
 */
const WINDOW_UNITS = 8192
const OVERLAP_UNITS = 64

/**
 * Segments with the Unicode library of the platform. Created on first use: a few milliseconds each.
 */
function platformWords(locale: string): Segmenter {
  let words: Intl.Segmenter | null = null
  return {
    takesRuns: true,
    cut: (text, from, to, ends) => {
      words ??= new Intl.Segmenter(locale, { granularity: 'word' })
      while (from < to) from = cutWindow(words, text, from, to, ends)
    },
  }
}

/** Splits the beginning of text[from, to); returns up to where. */
function cutWindow(
  words: Intl.Segmenter,
  text: string,
  from: number,
  to: number,
  ends: number[],
): number {
  let end = Math.min(from + WINDOW_UNITS, to)
  if (end < to && isHighSurrogate(text.charCodeAt(end - 1))) end--
  const sure = end < to ? end - OVERLAP_UNITS : end
  const parts = words.segment(text.slice(from, end))
  // Segmenting position by position is faster than iterating, which makes an object for each word.
  let at = from
  while (at < sure) {
    const part = parts.containing(at - from)!
    at = from + part.index + part.segment.length
    ends.push(at)
  }
  return at
}

/**
 * Segments text without spaces between its words with the platform, and digits apart: beside a
 * digit the platform leaves all letters whole (ราคา100บาท).
 */
function wordsWithDigits(locale: string): Segmenter {
  const words = platformWords(locale)
  return {
    takesRuns: true,
    cut: (text, from, to, ends) => {
      let start = from
      for (const digits of text.slice(from, to).matchAll(DIGITS)) {
        const at = from + digits.index
        if (at > start) words.cut(text, start, at, ends)
        start = at + digits[0].length
        ends.push(start)
      }
      if (to > start) words.cut(text, start, to, ends)
    },
  }
}

const DIGITS = /\p{Nd}+/gu

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

let words: ChineseWords | null = null

const chinese: Segmenter = {
  cut: (text, from, to, ends) => {
    words ??= chineseWords()
    words.cut(text, from, to, ends)
  },
}

const japaneseWords = platformWords('ja')

/** Half-width kana, and kana whose mark is a character of its own. */
const OTHER_KANA = /[\u3099\u309a\uff61-\uff9f]/
const KANA = /.[\u3099\u309a\uff9e\uff9f]*/gs

/** Appends the cuts of the platform in the composed, full-width form of the text. */
function cutKana(text: string, from: number, to: number, ends: number[]): void {
  const raw = text.slice(from, to)
  if (!OTHER_KANA.test(raw)) {
    japaneseWords.cut(text, from, to, ends)
    return
  }
  let composed = ''
  /** By unit of the composed text: where the character ends in the raw one, or nothing within it. */
  const rawEnds = [0]
  let at = from
  for (const [kana] of raw.matchAll(KANA)) {
    composed += kana.normalize('NFKC')
    at += kana.length
    rawEnds[composed.length] = at
  }
  const bounds: number[] = []
  japaneseWords.cut(composed, 0, composed.length, bounds)
  for (const bound of bounds) {
    const end = rawEnds[bound]
    if (end !== undefined) ends.push(end)
  }
}

/**
 * Segments with the platform, but cuts a stretch of words that are all Chinese characters as
 * Chinese. A query of Chinese characters alone cannot be recognized as Japanese and is cut as
 * Chinese, too: 日本共産党 must be found in either. Of 957 stretches of three to six characters (JSQuAD)
 * 951 found their text this way, 937 with the platform's cuts.
 */
const japanese: Segmenter = {
  takesRuns: true,
  cut: (text, from, to, ends) => {
    const bounds: number[] = []
    cutKana(text, from, to, bounds)
    let start = from
    let stretch = -1
    for (const end of bounds) {
      if (isHan(text, start, end)) {
        if (stretch < 0) stretch = start
      } else {
        if (stretch >= 0) chinese.cut(text, stretch, start, ends)
        stretch = -1
        ends.push(end)
      }
      start = end
    }
    if (stretch >= 0) chinese.cut(text, stretch, start, ends)
  },
}

function isHan(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    if (!(unit >= 0x3400 && unit < 0xa000) && unit !== 0x3005 && unit !== 0x3007) return false
  }
  return true
}

/** Splits compounds; the parts are created on first use. */
function compounds(create: () => CompoundParts): Segmenter {
  let parts: CompoundParts | null = null
  return {
    cut: (text, from, to, ends) => {
      parts ??= create()
      parts.cut(text, from, to, ends)
    },
  }
}

/** The languages of Latin script that write compounds as one word. */
const BY_LANGUAGE: ReadonlyMap<string | null, Segmenter> = new Map([
  ['deu', compounds(germanParts)],
  ['nld', compounds(dutchParts)],
  ['dan', compounds(danishParts)],
  ['swe', compounds(swedishParts)],
  ['nob', compounds(norwegianParts)],
])

const BY_SCRIPT: { readonly [script in Script]?: Segmenter } = {
  Hangul: korean,
  Thai: wordsWithDigits('th'),
  Khmer: wordsWithDigits('km'),
  Lao: wordsWithDigits('lo'),
}

/**
 * Returns the segmenter of a run. Chinese-Japanese text in any other language is left whole. Arabic
 * script without a known language is cut as Arabic.
 */
export function segmenterFor(script: number, language: string | null): Segmenter {
  if (script === CJ) {
    if (language === 'jpn') return japanese
    return language === 'cmn' || language === 'zho' ? chinese : WHOLE
  }
  const name = SCRIPTS[script]!
  if (name === 'Latin') return BY_LANGUAGE.get(language) ?? WHOLE
  if (name === 'Arabic') {
    return language === null || language === 'ara' || language === 'pes' ? arabic : WHOLE
  }
  return BY_SCRIPT[name] ?? WHOLE
}

/** Numbers and ASCII punctuation: no segmenter splits such a piece. */
const NUMBER = /^[\p{N}!-/:-@[-`{-~]+$/u

export const isNumberPiece = (text: string, from: number, to: number): boolean =>
  NUMBER.test(text.slice(from, to))
