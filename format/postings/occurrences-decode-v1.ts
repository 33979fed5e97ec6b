// Reads the occurrences of one document · layout: ./POSTINGS.md, "A posting"
//
// These loops are safe on damaged bytes because reading past the end of a typed array gives
// `undefined`, which ends the varint being read and the loop over the occurrences.
import type { Occurrences } from './occurrences.ts'

/**
 * Appends one document's occurrences to `out`, whose `docs` already holds the document's id.
 * Returns the offset after them. `single`: the document has one occurrence and no count is stored.
 */
export function decodeOccurrences(
  bytes: Uint8Array,
  at: number,
  single: boolean,
  out: Occurrences,
): number {
  let count = 1
  let byte = 0
  if (!single) {
    byte = bytes[at++]!
    count = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++]!
      count |= (byte & 127) << shift
    }
  }
  let n = out.starts[out.count]!
  out.reservePacked(n + Math.min(count, bytes.length - at + 1))
  const packed = out.packed
  byte = bytes[at++]!
  let field = byte & 127
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[at++]!
    field |= (byte & 127) << shift
  }
  byte = bytes[at++]!
  let position = byte & 127
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[at++]!
    position |= (byte & 127) << shift
  }
  packed[n++] = ((field << 16) | position) >>> 0
  for (let i = 1; i < count && at < bytes.length; i++) {
    byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    if ((value & 1) === 0) position += (value >>> 1) + 1
    else {
      position = value >>> 1
      byte = bytes[at++]!
      value = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!
        value |= (byte & 127) << shift
      }
      field += value + 1
    }
    packed[n++] = ((field << 16) | position) >>> 0
  }
  out.starts[++out.count] = n
  return at
}

/**
 * Skips one document's occurrences and returns the offset after them. `single` as for
 * `decodeOccurrences`.
 */
export function skipOccurrences(bytes: Uint8Array, at: number, single: boolean): number {
  let count = 1
  if (!single) {
    let byte = bytes[at++]!
    count = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++]!
      count |= (byte & 127) << shift
    }
  }
  while (bytes[at]! > 127) at++
  at++
  while (bytes[at]! > 127) at++
  at++
  for (let i = 1; i < count && at < bytes.length; i++) {
    const newField = bytes[at]! & 1
    while (bytes[at]! > 127) at++
    at++
    if (newField === 1) {
      while (bytes[at]! > 127) at++
      at++
    }
  }
  return at
}
