// What settings and the request say about terms.

/** What the settings and the request say about terms; made once a search. */
export type TermRules = {
  readonly typosEnabled: boolean
  readonly oneTypoChars: number
  readonly twoTyposChars: number
  /** Words that are never misspelled. */
  readonly disabledWords: ReadonlySet<string>
  /** Ascending ids of fields whose words only match exactly. */
  readonly exactFields: readonly number[]
  /** Numbers only match exactly. */
  readonly exactNumbers: boolean
  /** Sequence of words, joined by U+0000 → phrases, each a list of words. */
  readonly synonyms: ReadonlyMap<string, readonly (readonly string[])[]>
  /** Pairs by word position, or only by common field. */
  readonly pairsByWord: boolean
}
