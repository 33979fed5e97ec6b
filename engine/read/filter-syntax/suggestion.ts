// "Did you mean": suggests the known name nearest to a misspelled one.
import { SUGGESTION_EDITS_MAX } from './limits.ts'

/**
 * Returns ` Did you mean …?` with the nearest of `known`, the first one in a tie, or '' if none is
 * near.
 */
export function suggestion(text: string, known: readonly string[]): string {
  let best: string | null = null
  let bestEdits = SUGGESTION_EDITS_MAX + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - text.length) >= bestEdits) continue
    const edits = editDistance(text, candidate)
    if (edits >= bestEdits) continue
    best = candidate
    bestEdits = edits
  }
  return best === null ? '' : ` Did you mean \`${best}\`?`
}

/** Number of insertions, deletions and replacements of UTF-16 units that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1))
    }
    above = row
  }
  return above[b.length]!
}
