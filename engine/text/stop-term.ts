// Stop words are indexed under terms of their own, so that phrases and queries of stop words alone
// find them. Three marks stand before the word: more edits than a typo has, so no query word reaches
// them by a prefix or a typo. No other term begins with a control character.
const MARKS = '\u0001\u0001\u0001'

/** Returns the term of a stop word with this lemma. */
export const stopTerm = (lemma: string): string => MARKS + lemma
