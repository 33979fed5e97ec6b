// Reads the range texts of the `*.table.ts` files: `0041-005A 0061 …`, hex, inclusive, separated by
// blanks.

/** Pairs of first and last code point, flat, in the order of the text. */
export function parseRanges(text: string): Uint32Array {
  const pairs: number[] = []
  for (const part of text.trim().split(/\s+/)) {
    const dash = part.indexOf('-')
    const first = Number.parseInt(dash < 0 ? part : part.slice(0, dash), 16)
    pairs.push(first, dash < 0 ? first : Number.parseInt(part.slice(dash + 1), 16))
  }
  return Uint32Array.from(pairs)
}
