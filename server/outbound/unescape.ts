// Decodes one level of the escapes of JSON (and of the languages that print strings like it), URLs
// and HTML, with the place of each character in the original text. Bytes of URLs become characters
// of Latin-1. Written by hand: a regular expression makes a text for each escape.

import {
  AMPERSAND,
  BACKSLASH,
  HASH,
  LETTER_X,
  PERCENT,
  SEMICOLON,
  TAB,
} from '../../format/bytes/index.ts'
/** `at`: where each character, and the end, is in the original text; null: at its own place. */
export type Decoded = { readonly text: string; readonly at: Uint32Array | null }

const UNIT_MAX = 0xffff
const DIGITS_MAX = 8
const NAMES: readonly (readonly [name: string, code: number])[] = [
  ['&amp;', AMPERSAND],
  ['&lt;', 0x3c],
  ['&gt;', 0x3e],
  ['&quot;', 0x22],
  ['&apos;', 0x27],
  ['&sol;', 0x2f],
]

/** An escape: the code unit, and its own length. */
type Escape = { code: number; length: number }

/** `text` must be in lower case; so is the result. Returns null if nothing is escaped. */
export function unescaped({ text, at }: Decoded): Decoded | null {
  if (!/[\\%&]/.test(text)) return null
  const units = new Uint16Array(text.length)
  const places = new Uint32Array(text.length + 1)
  const unit: Escape = { code: 0, length: 0 }
  let count = 0
  let i = 0
  while (i < text.length) {
    places[count] = at === null ? i : at[i]!
    readUnit(text, i, unit)
    const { code } = unit
    units[count++] = code >= 0x41 && code <= 0x5a ? code + 0x20 : code
    i += unit.length
  }
  if (count === text.length) return null
  places[count] = at === null ? i : at[i]!
  const decoded = Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
  return { text: decoded, at: places }
}

/** Reads an escape, or the character itself. */
function readUnit(text: string, i: number, into: Escape): void {
  const c = text.charCodeAt(i)
  into.code = c
  into.length = 1
  if (c === BACKSLASH && i + 1 < text.length) readBackslash(text, i, into)
  else if (c === PERCENT) {
    const code = hexAt(text, i + 1, 2)
    if (code >= 0) set(into, code, 3)
  } else if (c === AMPERSAND) readEntity(text, i, into)
}

function readBackslash(text: string, i: number, into: Escape): void {
  const letter = text[i + 1]!
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0
  const code = digits === 0 ? -1 : hexAt(text, i + 2, digits)
  if (code >= 0) set(into, code, 2 + digits)
  else set(into, letter === 't' ? TAB : letter.charCodeAt(0), 2)
}

function readEntity(text: string, i: number, into: Escape): void {
  if (text.charCodeAt(i + 1) !== HASH) {
    const first = text[i + 1]
    for (const [name, code] of NAMES) {
      if (name[1] === first && text.startsWith(name, i)) set(into, code, name.length)
    }
    return
  }
  const base = text.charCodeAt(i + 2) === LETTER_X ? 16 : 10
  let at = i + (base === 16 ? 3 : 2)
  const end = at + DIGITS_MAX
  let code = 0
  for (; at < end; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit < 0 || digit >= base) break
    code = code * base + digit
  }
  if (text.charCodeAt(at) === SEMICOLON && code <= UNIT_MAX) set(into, code, at + 1 - i)
}

function set(into: Escape, code: number, length: number): void {
  into.code = code
  into.length = length
}

/** Returns the number, or -1 if there are not that many digits. */
function hexAt(text: string, from: number, count: number): number {
  let code = 0
  for (let i = from; i < from + count; i++) {
    const digit = digitOf(text.charCodeAt(i))
    if (digit < 0) return -1
    code = code * 16 + digit
  }
  return code
}

/** Returns the value of a hexadecimal digit in lower case, or -1. */
function digitOf(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30
  return c >= 0x61 && c <= 0x66 ? c - 0x57 : -1
}
