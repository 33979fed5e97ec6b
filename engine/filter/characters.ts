// Characters as filters and their messages see them: what a word is made of, how a fragment is shown, and
// in which column it stands.

/** A word: letters, digits of any script, `_`, `-` and `.`. Sticky: set `lastIndex` first. */
const WORD = /[\p{Alphabetic}\p{N}_.-]+/uy
/** The part of a word that names an embedder or fragment: no dot. */
const NAME = /[\p{Alphabetic}\p{N}_-]+/uy
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const BLANKS = /[ \t\r\n]*/y
/** What stands where a value was expected, up to a blank or a character of the grammar. */
const EXCERPT = /[^\s()=<>!]+/uy

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Each is the longest run at `at`, or ''. */
export const wordAt = (text: string, at: number): string => matchAt(WORD, text, at)
export const nameAt = (text: string, at: number): string => matchAt(NAME, text, at)
export const numberAt = (text: string, at: number): string => matchAt(NUMBER, text, at)
export const excerptAt = (text: string, at: number): string => matchAt(EXCERPT, text, at)

/** The first offset at or after `at` that is not blank. */
export const skipBlanks = (text: string, at: number): number =>
  at + matchAt(BLANKS, text, at).length

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
