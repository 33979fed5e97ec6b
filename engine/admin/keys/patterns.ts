// Which indexes a list of patterns names: a uid, the beginning of uids before a star, or a star
// for all.

export type Patterns = {
  /** Whether one of them is the star alone. */
  readonly areAll: boolean
  readonly match: (uid: string) => boolean
}

/** Cost of a match: one look for the names, one comparison for each beginning. */
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
