// Rules for terms, derived from settings.

export type InfixRules = {
  /** Ascending ids of searchable fields. */
  readonly fields: readonly number[]
  /** Characters of the shortest query word that is looked for inside of words. */
  readonly lengthMin: number
}

/** Rules for terms, computed once for each view. */
export type TermRules = {
  readonly typosEnabled: boolean
  readonly oneTypoChars: number
  readonly twoTyposChars: number
  /** Words that allow no typos. */
  readonly disabledWords: ReadonlySet<string>
  /** Ascending ids of fields whose words match only exactly. */
  readonly exactFields: readonly number[]
  /** True if numbers match only exactly. */
  readonly exactNumbers: boolean
  /** Sequence of words, joined by U+0000 → phrases, each a list of words. */
  readonly synonyms: ReadonlyMap<string, readonly (readonly string[])[]>
  /** Fields in which words are also found by a text inside of them; null for none. */
  readonly infix: InfixRules | null
  /** True if the index has stop words, which have terms of their own. */
  readonly hasStopWords: boolean
  /** True if pairs need adjacent words, false if a common field suffices. */
  readonly pairsByWord: boolean
}
