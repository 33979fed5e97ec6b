// The indexes that a list of patterns names. A pattern is a uid, the beginning of uids before a
// star, or a star for all.

export type Patterns = {
  /** Whether one of them is a single star. */
  readonly areAll: boolean
  readonly match: (uid: string) => boolean
}

/** A match costs one lookup for the names, and one comparison for each beginning. */
export function patternsOf(texts: Iterable<string>): Patterns {
  const names = new Set<string>()
  const beginnings: string[] = []
  for (const text of texts) {
    if (text.endsWith('*')) beginnings.push(text.slice(0, -1))
    else names.add(text)
  }
  const areAll = beginnings.includes('')
  const match = (uid: string): boolean =>
    areAll || names.has(uid) || beginnings.some((beginning) => uid.startsWith(beginning))
  return { areAll, match }
}
