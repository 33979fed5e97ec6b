// Finds the end of a value in bytes that passed the scanner. If they were damaged since, the loops
// stop at the end of the bytes and throw CorruptionError.
import { BACKSLASH, QUOTE } from '../bytes/index.ts'
import { refuse } from '../errors.ts'

const SECTION = 'json'

/** 1 for the bytes that occur in numbers, `true`, `false` and `null`. */
const PLAIN = new Uint8Array(256)
for (const c of '0123456789+-.eEtrufalsn') PLAIN[c.charCodeAt(0)] = 1

/**
 * Returns the offset of the first byte at or after `at` that is not white space, or bytes.length.
 */
export function skipSpace(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && bytes[at]! <= 32) at++
  return at
}

/** Returns the offset after the string whose opening quote is at `at`. @throws CorruptionError */
export function skipString(bytes: Uint8Array, at: number): number {
  const end = bytes.length
  for (at++; at < end; at++) {
    const c = bytes[at]!
    if (c === QUOTE) return at + 1
    if (c === BACKSLASH) at++
  }
  return refuse(SECTION, end, 'bad_length', 'the end of a string', 'the end of the bytes')
}

/** Returns the offset after the value that begins at `at`. @throws CorruptionError */
export function skipValue(bytes: Uint8Array, at: number): number {
  const c = bytes[at]
  if (c === QUOTE) return skipString(bytes, at)
  if (c === 0x7b || c === 0x5b) return skipNested(bytes, at)
  const start = at
  while (at < bytes.length && PLAIN[bytes[at]!] === 1) at++
  if (at === start) refuse(SECTION, at, 'bad_value', 'a value', c ?? 'the end')
  return at
}

function skipNested(bytes: Uint8Array, at: number): number {
  const end = bytes.length
  let depth = 0
  while (at < end) {
    const c = bytes[at++]!
    if (c === QUOTE) {
      at = skipString(bytes, at - 1)
    } else if (c === 0x7b || c === 0x5b) {
      depth++
    } else if (c === 0x7d || c === 0x5d) {
      if (--depth === 0) return at
    }
  }
  return refuse(SECTION, end, 'bad_length', 'a closing bracket', 'the end of the bytes')
}

/**
 * Returns the offset after the byte `wanted`, which must be the first after white space. @throws
 * CorruptionError
 */
export function expectByte(bytes: Uint8Array, at: number, wanted: number): number {
  at = skipSpace(bytes, at)
  if (bytes[at] !== wanted) {
    refuse(SECTION, at, 'bad_value', String.fromCharCode(wanted), bytes[at] ?? 'the end')
  }
  return at + 1
}
