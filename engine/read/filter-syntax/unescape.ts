// Escapes inside quotes: \b \f \n \r \t \' \" \\ \/ · \uXXXX · \u{…} · \xHH · octal \0 to \377.

export type Unescaped =
  | { readonly kind: 'text'; readonly text: string }
  /** The text ends inside a numbered escape. */
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'badNumber' }
  | { readonly kind: 'malformed' }

const SIMPLE: { readonly [letter: string]: string } = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  "'": "'",
  '"': '"',
  '\\': '\\',
  '/': '/',
}
const OCTAL = /[0-3][0-7]{0,2}|[4-7][0-7]?/y
const BRACED = /\{([^}]*)\}/y
const HEX = /^[0-9a-fA-F]+$/

/** Returns `raw` with its escapes resolved. Every backslash in it is followed by a character. */
export function resolveEscapes(raw: string): Unescaped {
  let text = ''
  let at = 0
  for (;;) {
    const backslash = raw.indexOf('\\', at)
    if (backslash < 0) return { kind: 'text', text: text + raw.slice(at) }
    text += raw.slice(at, backslash)
    const found = escapeAt(raw, backslash + 1)
    if (typeof found === 'string') return { kind: found }
    text += found.text
    at = found.end
  }
}

type Escape = { readonly text: string; readonly end: number }
type Problem = 'unfinished' | 'badNumber' | 'malformed'

function escapeAt(raw: string, at: number): Escape | Problem {
  const letter = raw[at]!
  const simple = SIMPLE[letter]
  if (simple !== undefined) return { text: simple, end: at + 1 }
  if (letter === 'x') return numbered(raw, at + 1, 2)
  if (letter === 'u') return raw[at + 1] === '{' ? braced(raw, at + 1) : numbered(raw, at + 1, 4)
  OCTAL.lastIndex = at
  const octal = OCTAL.exec(raw)
  if (octal === null) return 'malformed'
  return codePoint(Number.parseInt(octal[0], 8), at + octal[0].length)
}

function numbered(raw: string, from: number, digitCount: number): Escape | Problem {
  const digits = raw.slice(from, from + digitCount)
  if (digits.length < digitCount) return 'unfinished'
  if (!HEX.test(digits)) return 'badNumber'
  return codePoint(Number.parseInt(digits, 16), from + digitCount)
}

function braced(raw: string, from: number): Escape | Problem {
  BRACED.lastIndex = from
  const found = BRACED.exec(raw)
  if (found === null) return 'unfinished'
  const digits = found[1]!
  if (!HEX.test(digits)) return 'badNumber'
  return codePoint(Number.parseInt(digits, 16), from + found[0].length)
}

function codePoint(code: number, end: number): Escape | Problem {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 'malformed'
  return { text: String.fromCodePoint(code), end }
}
