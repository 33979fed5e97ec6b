// Counts characters in valid UTF-8.

import { leadBytes } from '../../text/index.ts'

export function countPoints(bytes: Uint8Array): number {
  let points = 0
  for (let i = 0; i < bytes.length; i++) if ((bytes[i]! & 0xc0) !== 0x80) points++
  return points
}

/** Returns the bytes of the first `points` characters of bytes[0, length), or of all. */
export function bytesOfPoints(bytes: Uint8Array, length: number, points: number): number {
  let at = 0
  while (points > 0 && at < length) {
    at += leadBytes(bytes[at]!)
    points--
  }
  return at
}
