// Characters in valid UTF-8: where they end and what they are.

/** Bytes of the character that begins with `lead`. */
export const leadBytes = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4

/** The code point at `at`. */
export function pointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return lead
  const second = bytes[at + 1]! & 63
  if (lead < 0xe0) return ((lead & 31) << 6) | second
  const third = bytes[at + 2]! & 63
  if (lead < 0xf0) return ((lead & 15) << 12) | (second << 6) | third
  return ((lead & 7) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 63)
}

export function countPoints(bytes: Uint8Array): number {
  let points = 0
  for (let i = 0; i < bytes.length; i++) if ((bytes[i]! & 0xc0) !== 0x80) points++
  return points
}

/** Bytes of the first `points` characters of bytes[0, length), or of all. */
export function bytesOfPoints(bytes: Uint8Array, length: number, points: number): number {
  let at = 0
  while (points > 0 && at < length) {
    at += leadBytes(bytes[at]!)
    points--
  }
  return at
}
