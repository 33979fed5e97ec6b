// Removes the white space between tokens and nothing else: numbers, escapes and repeated keys stay
// as sent.
import { BRACE, BRACKET, QUOTE } from '../bytes/index.ts'
import type { JsonBuffer } from './buffer.ts'
import { skipString } from './skip.ts'

/**
 * Appends the valid value bytes[from, to) to `out` without white space outside strings. Cost: one
 * pass; a value that is neither object nor array is copied. @throws CorruptionError
 */
export function compact(bytes: Uint8Array, from: number, to: number, out: JsonBuffer): void {
  const c = bytes[from]
  if (c !== BRACE && c !== BRACKET) {
    out.append(bytes, from, to)
    return
  }
  let run = from
  let at = from
  while (at < to) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      at = skipString(bytes, at)
    } else if (byte <= 32) {
      out.append(bytes, run, at)
      while (at < to && bytes[at]! <= 32) at++
      run = at
    } else {
      at++
    }
  }
  out.append(bytes, run, to)
}
