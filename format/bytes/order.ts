// The one order of keys: UTF-8 bytes, compared unsigned. JavaScript's own string order is UTF-16
// and differs above U+FFFF, so it is never used for anything that goes to disk.

/** Negative, zero or positive as `a` sorts before, with or after `b`; a prefix sorts first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Whether `bytes` begins with `prefix`. */
export function startsWithBytes(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (prefix.length > bytes.length) return false
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false
  return true
}

/**
 * Compares two JavaScript strings in UTF-8 byte order without encoding them. Code points order as
 * their UTF-8 does; only surrogates need care, since U+D800–DFFF sorts below U+E000–FFFF in UTF-16.
 * A surrogate without its partner, which encoders replace by U+FFFD, sorts as one of a pair does:
 * above all others.
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

/** Moves surrogates above all other code units, where their code points belong. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
