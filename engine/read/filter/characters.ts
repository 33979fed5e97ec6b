// Characters as filters and their messages see them: what a word is made of, how a fragment is
// shown, and in which column it stands.

/** A word: letters, digits of any script, `_`, `-` and `.`. Sticky: set `lastIndex` first. */
const WORD = /[\p{Alphabetic}\p{N}_.-]+/uy
/** The part of a word that names an embedder or fragment: no dot. */
const NAME = /[\p{Alphabetic}\p{N}_-]+/uy
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
/** What stands where a value was expected, up to a blank or a character of the grammar. */
const EXCERPT = /[^\s()=<>!]+/uy

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Which ASCII characters a word is made of. */
const IS_ASCII_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w.-]/.test(String.fromCharCode(code))),
)

/**
 * The longest word at `at`, or ''. Words of ASCII alone are found without the pattern: a chain
 * of 58,000 short conditions parses in 71 ms instead of 105.
 */
export function wordAt(text: string, at: number): string {
  let end = at
  while (end < text.length && IS_ASCII_WORD[text.charCodeAt(end)] === 1) end++
  return end < text.length && text.charCodeAt(end) > 127
    ? matchAt(WORD, text, at)
    : text.slice(at, end)
}

/** Each is the longest run at `at`, or ''. */
export const nameAt = (text: string, at: number): string => matchAt(NAME, text, at)
export const numberAt = (text: string, at: number): string => matchAt(NUMBER, text, at)
export const excerptAt = (text: string, at: number): string => matchAt(EXCERPT, text, at)

/** The first offset at or after `at` that holds no space, tab or line end. */
export function skipBlanks(text: string, at: number): number {
  let end = at
  while (end < text.length && isBlankUnit(text.charCodeAt(end))) end++
  return end
}

const isBlankUnit = (unit: number): boolean =>
  unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d

/** Whether there is nothing but white space of any kind. */
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

/** The column of offset `at` in its line: 1 is the first, counted in code points. */
export function columnOf(text: string, at: number): number {
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  return characterCount(text, lineStart, at) + 1
}

const ESCAPED = /['"\\]|[\p{C}\p{Z}]|^\p{Grapheme_Extend}/gu
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

/** A fragment as messages show it: quotes, backslashes and what cannot be seen are escaped. */
export const shown = (fragment: string): string =>
  fragment.replace(
    ESCAPED,
    (character) => NAMED_ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
