// Character classes of filters and their messages: words, numbers, blanks, escaped fragments,
// columns. Patterns are functions: V8 reads their classes of Unicode at the first use, not at the
// start.

/** A word: letters, digits of any script, `_`, `-` and `.`. Sticky: set `lastIndex` first. */
const word = (): RegExp => /[\p{Alphabetic}\p{N}_.-]+/uy
/** The part of a word that names an embedder or fragment: no dot. */
const name = (): RegExp => /[\p{Alphabetic}\p{N}_-]+/uy
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
/** The text found instead of a value, up to a blank or a character of the grammar. */
const EXCERPT = /[^\s()=<>!]+/uy

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** The ASCII characters of words. */
const IS_ASCII_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w.-]/.test(String.fromCharCode(code))),
)

/**
 * Returns the longest word at `at`, or ''. Words of only ASCII are found without the pattern: a
 * chain of 58,000 short conditions parses in 71 ms instead of 105.
 */
export function wordAt(text: string, at: number): string {
  let end = at
  while (end < text.length && IS_ASCII_WORD[text.charCodeAt(end)] === 1) end++
  return end < text.length && text.charCodeAt(end) > 127
    ? matchAt(word(), text, at)
    : text.slice(at, end)
}

/** Each returns the longest match at `at`, or ''. */
export const nameAt = (text: string, at: number): string => matchAt(name(), text, at)
export const numberAt = (text: string, at: number): string => matchAt(NUMBER, text, at)
export const excerptAt = (text: string, at: number): string => matchAt(EXCERPT, text, at)

/** Returns the first offset at or after `at` without white space or an invisible mark. */
export function skipBlanks(text: string, at: number): number {
  let end = at
  while (end < text.length && isBlankUnit(text.charCodeAt(end))) end++
  return end
}

/** Text copied from pages and chats has blanks of other widths, byte order marks and the like. */
const isBlankUnit = (unit: number): boolean =>
  unit === 0x20 ||
  unit === 0x09 ||
  unit === 0x0a ||
  unit === 0x0d ||
  (unit > 0x7f &&
    /^[\p{White_Space}\u200b\u200e\u200f\u2060\ufeff]$/u.test(String.fromCharCode(unit)))

/** Returns true if the text has only white space of any kind. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}]*$/u.test(text)

/** Code points in text[from, to). */
export function characterCount(text: string, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    const pairs = unit >= 0xd800 && unit < 0xdc00 && i + 1 < to
    if (pairs && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
    count++
  }
  return count
}

/** Returns the column of offset `at` in its line, from 1, in code points. */
export function columnOf(text: string, at: number): number {
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  return characterCount(text, lineStart, at) + 1
}

const escaped = (): RegExp => /['"\\]|[\p{C}\p{Z}]|^\p{Grapheme_Extend}/gu
const NAMED_ESCAPES: { readonly [character: string]: string } = {
  "'": "\\'",
  '"': '\\"',
  '\\': '\\\\',
  '\0': '\\0',
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
  ' ': ' ',
}

/**
 * Returns a fragment as messages show it, with escaped quotes, backslashes and invisible
 * characters.
 */
export const shown = (fragment: string): string =>
  fragment.replace(
    escaped(),
    (character) => NAMED_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
