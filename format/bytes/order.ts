// The order of keys: UTF-8 bytes, compared unsigned. JavaScript compares strings by UTF-16 units,
// which differs above U+FFFF, so data on disk never uses that order.

/**
 * Returns a negative number, zero or a positive one if `a` sorts before, with or after `b`; a
 * prefix sorts first.
 */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Returns true if two byte strings are equal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Returns true if `prefix` stands at `at` in `bytes`, by default at the beginning. */
export function startsWithBytes(bytes: Uint8Array, prefix: Uint8Array, at = 0): boolean {
  if (at + prefix.length > bytes.length) return false
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefix[i]) return false
  return true
}

/**
 * Compares two JavaScript strings in UTF-8 byte order without encoding them. UTF-8 keeps the order
 * of code points; only surrogates need care, since U+D800–DFFF sorts below U+E000–FFFF in UTF-16. A
 * lone surrogate, which encoders replace by U+FFFD, sorts like one of a pair: above all others.
 */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Moves surrogates above all other code units, the position of their code points. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
