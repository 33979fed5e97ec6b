// Normalises tokens: removes differences of case, accents, ligatures and variants of characters, so
// that all spellings of a word have one form. The rules depend on the script and the language of
// the token. For one set of rules every character has one normal form, which is computed once and
// cached. Two rules depend on neighbours: the Greek final sigma, and Swedish letters written as
// base and mark.
//
// Order of the rules: decompose (NFKD, character by character), drop controls and invisible ones |
// classify | Persian letters | lower case, apostrophes, letters without decomposition (æ ß ø …),
// Chinese variants, katakana, final sigma, Arabic letters, marks.
import {
  CJ,
  character,
  isIgnorable,
  isWhitespace,
  LATIN,
  MARK,
  pointBytes,
  SEPARATOR,
  scriptId,
  textBytes,
} from './characters/index.ts'
import { VARIANT_PAIRS } from './variants.table.ts'

const LOWER = 1
const LATIN_LETTERS = 2
const FINAL_SIGMA = 4
const ARABIC_LETTERS = 8
const MARKS = 16
const PERSIAN = 32
const VARIANTS = 64
const HIRAGANA = 128
const SWEDISH = 256
const CYRILLIC_MARKS = 512

const CYRILLIC = scriptId('Cyrillic')
const GREEK = scriptId('Greek')
const HEBREW = scriptId('Hebrew')
const THAI = scriptId('Thai')
const ARABIC = scriptId('Arabic')

function rulesOf(script: number, language: string | null, isDeclared = false): number {
  switch (script) {
    case LATIN:
      return LOWER | LATIN_LETTERS | MARKS | (language === 'swe' ? SWEDISH : 0)
    case CYRILLIC:
      return LOWER | CYRILLIC_MARKS
    case GREEK:
      return LOWER | FINAL_SIGMA | MARKS
    case HEBREW:
    case THAI:
      return LOWER | MARKS
    case ARABIC:
      return LOWER | ARABIC_LETTERS | MARKS | (language === 'pes' ? PERSIAN : 0)
    case CJ:
      // The same for both languages, where the language of a text is a guess from its characters.
      if (language === 'jpn' && isDeclared) return LOWER | HIRAGANA
      return language === null || ['cmn', 'jpn', 'zho'].includes(language)
        ? LOWER | VARIANTS | HIRAGANA
        : LOWER
    default:
      // Compatibility forms become letters with case in text of any script.
      return LOWER
  }
}

const known = new Map<number, Normalizer>()

/**
 * Returns the normaliser of a script and language. There are about a dozen; each is created once
 * per thread. `isDeclared`: settings or a request say that the text may be Japanese.
 */
export function normalizerFor(
  script: number,
  language: string | null,
  isDeclared = false,
): Normalizer {
  const rules = rulesOf(script, language, isDeclared)
  let normalizer = known.get(rules)
  if (normalizer === undefined) {
    normalizer = new Normalizer(rules)
    known.set(rules, normalizer)
  }
  return normalizer
}

/** Returns the normaliser with this `id`, which an earlier call of `normalizerFor` returned. */
export const normalizerById = (id: number): Normalizer => known.get(id)!

export class Normalizer {
  /** Identifies the rules: equal ids normalise alike. Below 1,024. */
  readonly id: number
  /** By code point: 256 pages of 256 forms for the first plane, filled as characters occur. */
  readonly #pages: (string | undefined)[][] = []

  constructor(rules: number) {
    this.id = rules
  }

  /** Whether one of its tokens may equal a stop word after Persian letters replace Arabic ones. */
  get arabic(): boolean {
    return (this.id & ARABIC_LETTERS) !== 0
  }

  /** Returns the normal form of a well-formed token. */
  lemma(token: string): string {
    if ((this.id & SWEDISH) !== 0) return swedishForms(token).map(finishSwedish).join('')
    let lemma = ''
    let kept = 0 // Units unchanged so far; while it grows, `lemma` is empty.
    for (let i = 0; i < token.length; i++) {
      const unit = token.charCodeAt(i)
      const wide = (unit & 0xfc00) === 0xd800
      const form = this.form(wide ? token.codePointAt(i)! : unit)
      if (kept === i && !wide && form.length === 1 && form.charCodeAt(0) === unit) {
        kept++
        continue
      }
      if (kept >= 0) {
        lemma = token.slice(0, kept)
        kept = -1
      }
      lemma += form
      if (wide) i++
    }
    if (kept >= 0) lemma = token
    return (this.id & FINAL_SIGMA) !== 0 ? withFinalSigma(lemma, token) : lemma
  }

  /**
   * Returns the form that decides the kind of a token: decomposed, without control and invisible
   * characters, case and marks unchanged.
   */
  plain(token: string): string {
    if ((this.id & SWEDISH) !== 0) return swedishForms(token).join('')
    return decomposed(token)
  }

  /** Returns the normal form of one character. */
  form(point: number): string {
    if (point > 0xffff) return finish(decompose(point), this.id)
    const page = (this.#pages[point >> 8] ??= [])
    return (page[point & 255] ??= finish(decompose(point), this.id))
  }

  /**
   * Returns for each character of `token` its length in the text and in the lemma, in bytes; null
   * when all pairs are equal, so that a prefix of the lemma is the same prefix of the token.
   */
  charMap(token: string): Uint8Array | null {
    const swedish = (this.id & SWEDISH) !== 0 ? swedishForms(token).map(finishSwedish) : null
    const pairs: number[] = []
    let same = true
    let index = 0
    for (const char of token) {
      const point = char.codePointAt(0)!
      const bytes = pointBytes(point)
      const normal = textBytes(swedish === null ? this.form(point) : swedish[index]!)
      if (bytes !== normal) same = false
      pairs.push(bytes, normal)
      index++
    }
    return same ? null : Uint8Array.from(pairs)
  }
}

const plainNormalizer = new Normalizer(0)
known.set(0, plainNormalizer)

/**
 * Applies NFKD character by character (without reordering marks) and removes control characters.
 */
export function decomposed(token: string): string {
  return plainNormalizer.lemma(token)
}

function decompose(point: number): string {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) {
    return isWhitespace(point) ? String.fromCharCode(point) : ''
  }
  return isIgnorable(point) ? '' : String.fromCodePoint(point).normalize('NFKD')
}

function finish(decomposed: string, rules: number): string {
  if (rules === 0) return decomposed
  // ⒈ ⑴ ℅ ㏂ ㈱ ŀ: the signs in them are no part of a word.
  const signs = decomposed.length > 1 && LETTER.test(decomposed)
  let form = ''
  for (const char of decomposed) {
    const isSign = signs && char !== FRACTION && (character(char.codePointAt(0)!) & SEPARATOR) !== 0
    if (!isSign) form += finishChar(char, rules)
  }
  return form
}

/** Stays in ½, which is no 12. */
const FRACTION = '\u2044'
const LETTER = /[\p{L}\p{N}]/u

const finishSwedish = (form: string): string => finish(form, rulesOf(LATIN, null))

function finishChar(char: string, rules: number): string {
  if ((rules & PERSIAN) !== 0) char = PERSIAN_LETTERS.get(char) ?? char
  if ((rules & LOWER) !== 0) char = char.toLowerCase()
  if ((rules & LATIN_LETTERS) !== 0) char = LATIN_FORMS.get(char) ?? char
  if ((rules & VARIANTS) !== 0) char = variants().get(char) ?? char
  if ((rules & HIRAGANA) !== 0) char = hiragana(char)
  if ((rules & ARABIC_LETTERS) !== 0) char = ARABIC_FORMS.get(char) ?? char
  if ((rules & MARKS) !== 0 && char !== '' && (character(char.codePointAt(0)!) & MARK) !== 0)
    return ''
  if ((rules & CYRILLIC_MARKS) !== 0 && DROPPED_CYRILLIC_MARKS.includes(char)) return ''
  return char
}

/** Stress, and the dots of ё and ї. The breve of й and ў makes a letter of its own. */
const DROPPED_CYRILLIC_MARKS = '\u0300\u0301\u0308'

/** Letters with hooks and bars of African and other alphabets, each with its plain letter. */
const HOOKED_LETTERS =
  'ⱥa ƀb ɓb ȼc ɖd ɗd əe ǝe ɛe ɇe ɠg ɡg ǥg ɣg ɨi ɩi ɉj ȷj ƙk ƚl ɫl ɲn ɔo ɵo ƥp ĸq ɋq ɍr ɽr ƭt ' +
  'ʈt ⱦt ʉu ʊu ʋv ɏy ƴy ƶz ʒz'

/** Applied after lower case: capital forms need no entry. */
const LATIN_FORMS = new Map([
  ['\u2019', "'"],
  ['\u2018', "'"],
  ['\u201b', "'"],
  ['\u02bb', "'"],
  ['\u02bc', "'"],
  ['œ', 'oe'],
  ['æ', 'ae'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ı', 'i'],
  ['ß', 'ss'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['þ', 'th'],
  ['ŧ', 't'],
  ['ŋ', 'n'],
  ['ƒ', 'f'],
  ...HOOKED_LETTERS.split(' ').map(([letter, plain]) => [letter!, plain!] as const),
])

const PERSIAN_LETTERS = new Map([
  ['\u064a', '\u06cc'],
  ['\u0649', '\u06cc'],
  ['\u06c0', '\u06cc'],
  ['\u0643', '\u06a9'],
  ['\u060c', ','],
  ['\u061f', '?'],
  ['\u200c', ''],
  ...Array.from({ length: 10 }, (_, i) => [String.fromCharCode(0x6f0 + i), String(i)] as const),
])

/**
 * Hamza forms of alef already lose their hamza, a mark, in decomposition; only plain ones remain.
 */
const ARABIC_FORMS = new Map([
  ['\u0640', ''],
  ['\u0623', '\u0627'],
  ['\u0625', '\u0627'],
  ['\u0622', '\u0627'],
  ['\u0671', '\u0627'],
  ['\u0649', '\u064a'],
  ['\u0629', '\u0647'],
])

/** Replaces Arabic letters by their Persian counterparts, as in stored stop words. */
export function persian(text: string): string {
  let form = ''
  for (const char of text) form += PERSIAN_LETTERS.get(char) ?? char
  return form
}

function hiragana(char: string): string {
  const point = char.charCodeAt(0)
  const katakana = (point >= 0x30a1 && point <= 0x30f6) || point === 0x30fd || point === 0x30fe
  return katakana ? String.fromCharCode(point - 0x60) : char
}

let variantMap: Map<string, string> | null = null

function variants(): Map<string, string> {
  if (variantMap !== null) return variantMap
  variantMap = new Map()
  const chars = VARIANT_PAIRS.replaceAll('\n', '')
  for (let i = 0; i < chars.length; i += 2) variantMap.set(chars[i]!, chars[i + 1]!)
  return variantMap
}

/** Replaces a final sigma at the end of the token by a plain one, unless marks follow it. */
function withFinalSigma(lemma: string, token: string): string {
  if (!lemma.endsWith('ς')) return lemma
  return decomposed(token).endsWith('ς') ? `${lemma.slice(0, -1)}σ` : lemma
}

/**
 * Returns the decomposed form of each character, with å ä ö and their capitals composed again. A
 * separate mark moves into the letter before it; its own form becomes empty.
 */
function swedishForms(token: string): string[] {
  const forms: string[] = []
  let last = -1
  for (const char of token) {
    let form = recomposed(decompose(char.codePointAt(0)!))
    if (last >= 0 && form !== '') {
      const joined = recomposed(forms[last]!.slice(-1) + form[0]!)
      if (joined.length === 1) {
        forms[last] = forms[last]!.slice(0, -1) + joined
        form = form.slice(1)
      }
    }
    forms.push(form)
    if (form !== '') last = forms.length - 1
  }
  return forms
}

/** Composes the Swedish letters in a decomposed text. */
export const recomposed = (text: string): string =>
  text.replace(/[aA]\u030a|[aAoO]\u0308/g, (letter) => letter.normalize('NFC'))

/** Returns true if a token holds control characters, which decomposition drops. */
export function hasControls(token: string): boolean {
  for (let i = 0; i < token.length; i++) {
    const unit = token.charCodeAt(i)
    if (unit < 0x20 ? unit < 0x09 || unit > 0x0d : unit >= 0x7f && unit < 0xa0 && unit !== 0x85) {
      return true
    }
  }
  return false
}
