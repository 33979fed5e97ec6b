// "Did you mean": the nearest accepted name, if it is near enough.

/** Bytes received, fewer than this → edits allowed. A short name could mean anything. */
const EDITS: readonly (readonly [bytesBelow: number, edits: number])[] = [
  [4, 0],
  [8, 1],
  [13, 2],
  [18, 3],
  [25, 4],
  [Number.POSITIVE_INFINITY, 5],
]

/** Longer names are not compared: no accepted name is near, and the table grows with the square. */
const NAME_UNITS_MAX = 64

/** Returns ``did you mean `x`? `` with a trailing blank, or an empty string. */
export function hint(received: string, accepted: readonly string[]): string {
  const near = nearest(received, accepted)
  return near === null ? '' : `did you mean \`${near}\`? `
}

/** Returns the nearest accepted name within the allowed edits, the first of equals, or null. */
export function nearest(received: string, accepted: readonly string[]): string | null {
  const bytes = Buffer.byteLength(received)
  const allowed = EDITS.find(([below]) => bytes < below)?.[1] ?? 0
  if (allowed === 0 || received.length > NAME_UNITS_MAX) return null
  const characters = Array.from(received).length
  let best: string | null = null
  let bestDistance = allowed + 1
  for (const name of accepted) {
    if (Math.abs(name.length - characters) > allowed) continue
    const distance = editDistance(received, name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/**
 * Damerau–Levenshtein distance: insertions, deletions, substitutions and swaps of two neighbours,
 * which may be edited further. By characters. Time and memory grow with the product of the lengths.
 */
export function editDistance(a: string, b: string): number {
  const left = Array.from(a)
  const right = Array.from(b)
  const width = right.length + 2
  const far = left.length + right.length
  const table = new Uint16Array((left.length + 2) * width)
  const at = (i: number, j: number): number => (i + 1) * width + j + 1
  table[0] = far
  for (let i = 0; i <= left.length; i++) {
    table[at(i, -1)] = far
    table[at(i, 0)] = i
  }
  for (let j = 0; j <= right.length; j++) {
    table[at(-1, j)] = far
    table[at(0, j)] = j
  }
  const lastRow = new Map<string, number>()
  for (let i = 1; i <= left.length; i++) {
    let lastColumn = 0
    for (let j = 1; j <= right.length; j++) {
      const row = lastRow.get(right[j - 1]!) ?? 0
      const column = lastColumn
      const same = left[i - 1] === right[j - 1]
      if (same) lastColumn = j
      table[at(i, j)] = Math.min(
        table[at(i - 1, j - 1)]! + (same ? 0 : 1),
        table[at(i, j - 1)]! + 1,
        table[at(i - 1, j)]! + 1,
        table[at(row - 1, column - 1)]! + (i - row - 1) + 1 + (j - column - 1),
      )
    }
    lastRow.set(left[i - 1]!, i)
  }
  return table[at(left.length, right.length)]!
}
