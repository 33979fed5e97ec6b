// Edit distances computed from the full matrix: the reference of the automata's tests, and the
// distance of single pairs of words.
//
// One edit inserts, removes or replaces a code point, or swaps two adjacent ones. No part of a word
// is edited twice (optimal string alignment): "ca" and "abc" are 3 apart, since nothing may be
// inserted between two swapped letters.

/** Returns the least number of edits between two words, in code points. O(|a| × |b|). */
export function editDistance(a: string, b: string): number {
  return distances(a, b).at(-1)!
}

/**
 * Returns the least distance between `query` and any prefix of `word`, the empty prefix included.
 */
export function prefixDistance(query: string, word: string): number {
  return Math.min(...distances(query, word))
}

/**
 * Returns the distances between `a` and each prefix of `b`, from the empty prefix to the whole of
 * `b`.
 */
function distances(a: string, b: string): number[] {
  const x = Array.from(a)
  const y = Array.from(b)
  // rows[i][j] is the distance between the first i code points of x and the first j of y.
  const rows: number[][] = [y.map((_, j) => j).concat(y.length)]
  for (let i = 1; i <= x.length; i++) {
    const row = [i]
    for (let j = 1; j <= y.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (x[i - 1] === y[j - 1] ? 0 : 1)
      let least = Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && x[i - 1] === y[j - 2] && x[i - 2] === y[j - 1]) {
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      }
      row.push(least)
    }
    rows.push(row)
  }
  return rows[x.length]!
}
