// Limits of a parsed query, each with its reason.
import { assert } from '../../../format/errors.ts'
import {
  STORED_PREFIX_BYTES_MAX,
  STORED_PREFIX_TERMS_MIN,
  TERM_BYTES_MAX,
} from '../../../format/postings/index.ts'

/** Tokens parsed, including separators; the remainder of a longer query is ignored. */
export const QUERY_TOKENS_MAX = 1000
/** Maximum number of terms; a phrase is one term. */
export const QUERY_TERMS_MAX = 10
/** A word of a query, or a join of its words, with more bytes matches nothing. */
export const QUERY_WORD_BYTES_MAX = 250
/**
 * A prefix of at most this many bytes that begins at least this many words is matched as a whole,
 * without listing its words.
 */
export const WHOLE_PREFIX_BYTES_MAX = 4
export const WHOLE_PREFIX_WORDS_MIN = 100

assert(QUERY_TERMS_MAX < QUERY_TOKENS_MAX, 'a query of all its terms is parsed')
assert(QUERY_WORD_BYTES_MAX >= TERM_BYTES_MAX, 'a query may hold any indexed word')
assert(WHOLE_PREFIX_BYTES_MAX <= STORED_PREFIX_BYTES_MAX, 'a whole prefix may be stored')
assert(WHOLE_PREFIX_WORDS_MIN >= STORED_PREFIX_TERMS_MIN, 'a whole prefix is stored')
