// Limits on the cost of a body or a query string, checked before anything is allocated for it.

import { assert } from '../../../format/errors.ts'
import { DEPTH_MAX as JSON_DEPTH_MAX } from '../../../format/json/index.ts'
import { DOCUMENT_ROWS_MAX } from '../../../format/vectors/index.ts'

/** Elements of a page of a list, if the client names no number. */
export const PAGE_LIMIT_DEFAULT = 20
/**
 * Values in a body: each takes at least eight bytes after reading. Clients send up to 400,000 at a
 * time: vectors of 4,096 floats in 100 searches, or the ids of documents to delete.
 */
export const VALUES_MAX = 1_000_000
/**
 * Arrays and objects in a body: each costs far more memory than its two bytes. Settings with 50,000
 * synonyms have 50,001 of them.
 */
export const BRACKETS_MAX = 200_000
/**
 * Values and brackets of a body that can be read in a millisecond: a vector of 16,384 floats is
 * below the first limit, a multi-search of 100 searches has some hundred objects.
 */
export const QUICK_VALUES_MAX = 20_000
export const QUICK_BRACKETS_MAX = 1_000
/** Nesting of arrays and objects; JSON.md gives the same limit for the checking reader. */
export const DEPTH_MAX = 127
/**
 * Searches in a multi-search. Clients send up to some hundreds. The main thread prepares a thousand
 * in slices.
 */
export const QUERIES_MAX = 1_000
/**
 * How far similar documents can be requested: all neighbours up to the end of the page are in
 * memory, which would be 10 GB.
 */
export const SIMILAR_HITS_MAX = 100_000_000
/** Suggestions of an answer, if the client names no number: a list below a field shows as many. */
export const SUGGESTIONS_DEFAULT = 5
/** Suggestions of an answer: the spelling of each is read from a document. */
export const SUGGESTIONS_MAX = 50
/** Vectors of a document by one embedder, as another instance says them. */
export const VECTORS_MAX = 256
/**
 * Names in the lists of all searches of a request (attributes, facets, sort keys): each is copied
 * to a search thread, 50,000 in 2 ms. A hundred searches with three lists of fifty have 15,000.
 */
export const SEARCH_NAMES_MAX = 50_000
/**
 * Objects in the facets of a search: each may be counted over documents of its own, and shops show
 * some tens. The same for the attributes of disjunctive facets.
 */
export const FACET_OBJECTS_MAX = 100
/** Ranges of a facet: people read them as a list. */
export const FACET_RANGES_MAX = 100
/**
 * Elements in all lists of a query string together. A vector of 4,096 floats has fewer, and ids of
 * 36 characters fill the URL with 3,500.
 */
export const QUERY_ELEMENTS_MAX = 20_000
/** Parameters in a query string, repeated ones included: no route has more than forty. */
export const PARAMETERS_MAX = 1_000
/**
 * A filter with more values is sent to the search thread as text, because copying bytes takes next
 * to no time.
 */
export const FILTER_VALUES_MAX = 1_000
/** The same for the length of one string. */
export const FILTER_CHARACTERS_MAX = 65_536
/** Characters quoted of a value or a name. Recorded messages quote up to some hundreds. */
export const QUOTED_CHARACTERS_MAX = 10_000
/** Characters of a message about a body or a parameter, with all its quotes. */
export const MESSAGE_CHARACTERS_MAX = 4 * QUOTED_CHARACTERS_MAX

assert(
  QUICK_VALUES_MAX < VALUES_MAX && QUICK_BRACKETS_MAX < BRACKETS_MAX,
  'a quick body is a small one',
)
assert(BRACKETS_MAX <= VALUES_MAX, 'a list is a value')
assert(VECTORS_MAX <= DOCUMENT_ROWS_MAX, 'a segment stores the vectors of a document')
assert(DEPTH_MAX === JSON_DEPTH_MAX, 'all readers of bodies allow the same nesting')
