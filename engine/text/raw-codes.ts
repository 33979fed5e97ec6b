// Codes of raw tokens in the table of spellings, beside terms, which are 0 or more.
import { STEMMINGS_MAX } from './limits.ts'

/** Takes a position and is not indexed. */
export const UNINDEXED = -2
/** The lemma is empty: no position. */
export const EMPTY = -3
export const SOFT_SEPARATOR = -4
export const HARD_SEPARATOR = -5

/** COMPOUND - n, this and lower numbers: entry n of the words that consist of several terms. */
export const COMPOUND = -16
/** Before a part of an entry: it has the position of the part before it. */
export const SAME_PLACE = -6
/** In the tag of a raw token: it may be a compound. */
export const COMPOUND_TAG = 1024
/** In the tag of a raw token: signs that belong to its spelling follow the word. */
export const GLUE_TAG = 2048
/** In the tag of a raw token: a dot that belongs to its spelling stands before the word. */
export const DOT_TAG = 4096
export const SIGN_TAGS = GLUE_TAG | DOT_TAG
/** In the tag of a raw token: the number of the rule of its stems, 0 for none. */
export const STEM_SHIFT = 13
export const STEM_TAGS = STEMMINGS_MAX << STEM_SHIFT
