// Limits of a parsed query, each with its reason.
import { assert } from '../../../format/errors.ts'
import { GRAM_CHARS } from '../../../format/infix/index.ts'
import {
  STORED_PREFIX_BYTES_MAX,
  STORED_PREFIX_TERMS_MIN,
  TERM_BYTES_MAX,
} from '../../../format/postings/index.ts'
import { SYNONYM_WORDS_MAX } from '../../settings/schema/index.ts'
import { INFIX_LENGTH_MIN } from '../../settings/values/index.ts'

/** Tokens parsed, including separators; the remainder of a longer query is ignored. */
export const QUERY_TOKENS_MAX = 1000
/** Maximum number of terms; a phrase is one term. */
export const QUERY_TERMS_MAX = 10
/**
 * The same with the matching strategy `any`, which does not combine words, so that its cost is in
 * proportion to them: a long paragraph has a hundred words that are no stop words.
 */
export const ANY_TERMS_MAX = 100
/** A word of a query, or a join of its words, with more bytes matches nothing. */
export const QUERY_WORD_BYTES_MAX = 250
/**
 * A prefix of at most this many bytes that begins at least this many words is matched as a whole,
 * without listing its words.
 */
export const WHOLE_PREFIX_BYTES_MAX = 4
export const WHOLE_PREFIX_WORDS_MIN = 100
/** Words of the query that are read as one, if there is a space between some of them. */
export const JOINED_WORDS_MAX = 3
/** The same without a space between any: the parts of a number like `qx-12-700-b-4`. */
export const TIGHT_WORDS_MAX = 5
/** Parts of a word: `rio de janeiro`, `qx 12 700`. More are hardly ever written as one. */
export const SPLIT_WORD_PARTS_MAX = 5
/** Parts of a run of a script without spaces, in which a word may be one character. */
export const SPLIT_RUN_PARTS_MAX = 12
/** UTF-16 units of a text that is split: 64 have 2,080 possible parts, a millisecond to look up. */
export const SPLIT_CHARS_MAX = 64
/** A word that more documents have is not misspelled, and is not split further. */
export const SPLIT_RARE_DOCUMENTS_MAX = 3
/** Documents whose positions are read for splits in one number of parts: a millisecond. */
export const SPLIT_DOCUMENTS_MAX = 256
/** Splits of one word. Each is a phrase that is searched. */
export const SPLIT_LIST_MAX = 8

assert(SYNONYM_WORDS_MAX <= QUERY_TERMS_MAX, 'a query may be the key of any synonym')
assert(ANY_TERMS_MAX < QUERY_TOKENS_MAX, 'a query of all its terms is parsed')
assert(QUERY_WORD_BYTES_MAX >= TERM_BYTES_MAX, 'a query may hold any indexed word')
assert(INFIX_LENGTH_MIN >= GRAM_CHARS, 'a word that is looked for inside of words has a gram')
assert(WHOLE_PREFIX_BYTES_MAX <= STORED_PREFIX_BYTES_MAX, 'a whole prefix may be stored')
assert(WHOLE_PREFIX_WORDS_MIN >= STORED_PREFIX_TERMS_MIN, 'a whole prefix is stored')
