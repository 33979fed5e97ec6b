// Reads the multi-byte characters of a text value: may the value be scanned byte by byte?
import {
  character,
  isEmoji,
  LATIN,
  leadBytes,
  OTHER,
  pointAt,
  SCRIPT_MASK,
  SCRIPTS,
} from './characters/index.ts'
import { scriptIsPlain } from './cuts.ts'

let plainScripts: Uint8Array | null = null

/** By script id: 1 where words are never split. */
function plain(): Uint8Array {
  plainScripts ??= Uint8Array.from(SCRIPTS, (_, script) => (scriptIsPlain(script) ? 1 : 0))
  return plainScripts
}

/**
 * Returns the script of the first character with a script in bytes[from, to), OTHER without one,
 * and -1 when the value needs more than a scan: a script with a segmenter, Armenian, an emoji,
 * invalid UTF-8. `at` is the first byte of 0x80 or more.
 */
export function survey(bytes: Uint8Array, from: number, at: number, to: number): number {
  const scripts = plain()
  let script = OTHER
  for (let i = from; i < at && script === OTHER; i++) if (isLetter(bytes[i]!)) script = LATIN
  for (let i = at; i < to; ) {
    const lead = bytes[i]!
    if (lead < 0x80) {
      if (script === OTHER && isLetter(lead)) script = LATIN
      i++
      continue
    }
    if (!isValid(bytes, i, to)) return -1
    const point = pointAt(bytes, i)
    const own = character(point) & SCRIPT_MASK
    if (scripts[own] === 0 || isEmoji(point)) return -1
    if (script === OTHER) script = own
    i += leadBytes(lead)
  }
  return script
}

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a

/** Returns true if a well-formed character of several bytes begins at `at`. */
function isValid(bytes: Uint8Array, at: number, to: number): boolean {
  const lead = bytes[at]!
  if (lead < 0xc2 || lead > 0xf4) return false
  const length = leadBytes(lead)
  if (at + length > to) return false
  for (let i = 1; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return false
  const second = bytes[at + 1]!
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  return lead !== 0xf4 || second < 0x90
}
