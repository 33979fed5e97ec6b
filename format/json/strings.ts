// Strings: from JSON to text and back, in bytes. All input has passed the scanner.
import { BACKSLASH, decoder, encoder, LETTER_U, QUOTE, ZERO } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { JsonBuffer } from './buffer.ts'

const SIMPLE_ESCAPES: readonly (readonly [string, number])[] = [
  ['"', QUOTE],
  ['\\', BACKSLASH],
  ['/', 0x2f],
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
]
const HEX = '0123456789abcdef'

/** By byte after a backslash: the byte it stands for; 0 for `u` and for invalid escapes. */
export const ESCAPE_MEANS: Uint8Array = new Uint8Array(256)
for (const [letter, byte] of SIMPLE_ESCAPES) ESCAPE_MEANS[letter.charCodeAt(0)] = byte

/** The value of a hexadecimal digit, 255 for any other byte. */
export const HEX_VALUE: Uint8Array = new Uint8Array(256).fill(255)
for (let digit = 0; digit < 16; digit++) {
  HEX_VALUE[HEX.charCodeAt(digit)] = digit
  HEX_VALUE[HEX.toUpperCase().charCodeAt(digit)] = digit
}

/**
 * By byte of text: 0 if it is written unchanged, 1 for `\u00xx`, else the letter after a backslash.
 */
const WRITTEN_AS = new Uint8Array(256)
WRITTEN_AS.fill(1, 0, 0x20)
for (const [letter, byte] of SIMPLE_ESCAPES) {
  if (letter !== '/') WRITTEN_AS[byte] = letter.charCodeAt(0)
}

/**
 * Returns true if the inside of a string, bytes[from, to), has an escape. Without one the bytes are
 * the text.
 */
export function hasEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true
  return false
}

/**
 * Appends the UTF-8 text of the inside of a string, bytes[from, to) without its quotes, to `out`.
 * The text is never longer than the string.
 */
export function unescapeInto(bytes: Uint8Array, from: number, to: number, out: JsonBuffer): void {
  out.reserve(to - from)
  const target = out.bytes
  let n = out.length
  for (let at = from; at < to; ) {
    const c = bytes[at++]!
    if (c !== BACKSLASH) {
      target[n++] = c
      continue
    }
    const letter = bytes[at++]!
    if (letter !== LETTER_U) {
      target[n++] = ESCAPE_MEANS[letter]!
      continue
    }
    let code = hex4(bytes, at)
    at += 4
    if (code >= 0xd800 && code < 0xdc00) {
      code = 0x10000 + ((code & 0x3ff) << 10) + (hex4(bytes, at + 2) & 0x3ff)
      at += 6
    }
    n = writeUtf8(target, n, code)
  }
  out.length = n
}

/** Returns the text of the inside of a string as a JavaScript string. */
export function unescapeText(bytes: Uint8Array, from: number, to: number): string {
  const out = new JsonBuffer(to - from)
  unescapeInto(bytes, from, to, out)
  return decoder.decode(out.view())
}

function hex4(bytes: Uint8Array, at: number): number {
  return (
    (HEX_VALUE[bytes[at]!]! << 12) |
    (HEX_VALUE[bytes[at + 1]!]! << 8) |
    (HEX_VALUE[bytes[at + 2]!]! << 4) |
    HEX_VALUE[bytes[at + 3]!]!
  )
}

function writeUtf8(target: Uint8Array, n: number, code: number): number {
  if (code < 0x80) {
    target[n++] = code
    return n
  }
  if (code < 0x800) {
    target[n++] = 0xc0 | (code >>> 6)
  } else if (code < 0x10000) {
    target[n++] = 0xe0 | (code >>> 12)
    target[n++] = 0x80 | ((code >>> 6) & 63)
  } else {
    target[n++] = 0xf0 | (code >>> 18)
    target[n++] = 0x80 | ((code >>> 12) & 63)
    target[n++] = 0x80 | ((code >>> 6) & 63)
  }
  target[n++] = 0x80 | (code & 63)
  return n
}

/** Number of bytes for which room is made at a time, since each may take six. */
const WRITE_BYTES = 4096

/** Appends the UTF-8 text[from, to) as a canonical JSON string, quotes included. */
export function writeJsonString(out: JsonBuffer, text: Uint8Array, from: number, to: number): void {
  assert(from <= to && to <= text.length, 'a string is inside its text')
  out.byte(QUOTE)
  while (from < to) {
    const end = Math.min(to, from + WRITE_BYTES)
    writeInside(out, text, from, end)
    from = end
  }
  out.byte(QUOTE)
}

function writeInside(out: JsonBuffer, text: Uint8Array, from: number, to: number): void {
  out.reserve((to - from) * 6)
  const target = out.bytes
  let n = out.length
  for (let at = from; at < to; at++) {
    const c = text[at]!
    const written = WRITTEN_AS[c]!
    if (written === 0) {
      target[n++] = c
      continue
    }
    target[n++] = BACKSLASH
    if (written !== 1) {
      target[n++] = written
      continue
    }
    target[n++] = LETTER_U
    target[n++] = ZERO
    target[n++] = ZERO
    target[n++] = HEX.charCodeAt(c >>> 4)
    target[n++] = HEX.charCodeAt(c & 15)
  }
  out.length = n
}

/** Returns a name as a canonical JSON string in bytes, for the key of a member. */
export function jsonKey(name: string): Uint8Array {
  const text = encoder.encode(name)
  const out = new JsonBuffer(text.length + 2)
  writeJsonString(out, text, 0, text.length)
  return out.finish()
}
