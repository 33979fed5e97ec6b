// UTF-8 lengths and short encodings, for strings of a few characters: below about forty characters
// a plain loop is faster than TextEncoder, whose call costs more than a word.

import { exactDecoder } from '../../../format/bytes/index.ts'
/** Returns the bytes of one code point in UTF-8. */
export const pointBytes = (point: number): number =>
  point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4

/** Returns the bytes of a well-formed string in UTF-8. */
export function textBytes(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Each half of a pair counts two.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3
  }
  return bytes
}

/** Returns the code points of a well-formed string. */
export function textPoints(text: string): number {
  let points = text.length
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) points--
  return points
}

/** Replaces lone surrogates by U+FFFD, as UTF-8 encoding does. The length in units stays. */
export const wellFormed = (text: string): string =>
  /\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text

/**
 * Writes a well-formed string at `at`; returns the end. The caller provides the space: three bytes
 * per unit are always enough.
 */
export function writeText(text: string, out: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) out[at++] = unit
    else if (unit < 0x800) {
      out[at++] = 0xc0 | (unit >> 6)
      out[at++] = 0x80 | (unit & 63)
    } else if (unit < 0xd800 || unit >= 0xe000) {
      out[at++] = 0xe0 | (unit >> 12)
      out[at++] = 0x80 | ((unit >> 6) & 63)
      out[at++] = 0x80 | (unit & 63)
    } else {
      const point = text.codePointAt(i)!
      i++
      out[at++] = 0xf0 | (point >> 18)
      out[at++] = 0x80 | ((point >> 12) & 63)
      out[at++] = 0x80 | ((point >> 6) & 63)
      out[at++] = 0x80 | (point & 63)
    }
  }
  return at
}

/** Decodes bytes[from, to), which must be valid UTF-8. */
export function readText(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > 64) return exactDecoder.decode(bytes.subarray(from, to))
  let text = ''
  for (let at = from; at < to; at += leadBytes(bytes[at]!)) {
    const point = pointAt(bytes, at)
    text += point < 0x10000 ? String.fromCharCode(point) : String.fromCodePoint(point)
  }
  return text
}

/** Returns the bytes of the character that starts with `lead`, in valid UTF-8. */
export const leadBytes = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4

/** Returns the code point at `at`, in valid UTF-8. */
export function pointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return lead
  const second = bytes[at + 1]! & 63
  if (lead < 0xe0) return ((lead & 31) << 6) | second
  const third = bytes[at + 2]! & 63
  if (lead < 0xf0) return ((lead & 15) << 12) | (second << 6) | third
  return ((lead & 7) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 63)
}
