// Words as they are spelled: `résumé`, `C++`, `.NET`. A word whose spelling differs from its normal form has
// a second term at the same position, so that of documents that are equal otherwise those with the
// spelling of the query come first. Three marks stand before it, as before stop words
// (./stop-term.ts).

import { LATIN } from './characters/index.ts'
import { normalizerFor } from './normalize.ts'

const MARKS = '\u0002\u0002\u0002'
const END_OF_LEMMA = '\u0001'

/** Separators that belong to the spelling of a word if they follow it and no word follows them. */
export const isGlue = (byte: number): boolean => byte === 0x2b || byte === 0x23

/** Returns the beginning of the terms of all other spellings of a lemma. */
export const spellingsOf = (lemma: string): string => MARKS + lemma + END_OF_LEMMA

/** Returns the term of one spelling. */
export const spellingTerm = (lemma: string, spelling: string): string =>
  spellingsOf(lemma) + spelling

/** Returns the spelling of a Latin word: in lower case, with its marks. */
export const spellingOf = (word: string): string =>
  normalizerFor(LATIN, null).plain(word).normalize('NFC').toLowerCase()
