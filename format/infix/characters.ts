// Where the characters of a text begin: grams are counted in characters.

/**
 * Writes the offsets of the characters of bytes[0, length) to `starts`, and `length` behind them;
 * returns their number. Bytes that are not UTF-8 give some offsets all the same.
 */
export function characterStarts(bytes: Uint8Array, length: number, starts: Uint16Array): number {
  let count = 0
  for (let i = 0; i < length; i++) {
    if (i === 0 || (bytes[i]! & 0xc0) !== 0x80) starts[count++] = i
  }
  starts[count] = length
  return count
}
