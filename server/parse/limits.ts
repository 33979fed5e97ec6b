// What a body or a query string may cost, found before anything is allocated for it.

/**
 * Values of a body: 1,000,000 small numbers take 8 MB once they are read, and reading them takes
 * 50 ms of a thread. Clients send up to 400,000 at a time: vectors of 4,096 floats in 100 searches,
 * or the ids of documents to delete.
 */
export const VALUES_MAX = 1_000_000
/**
 * Arrays and objects of a body: each costs 50 to 200 bytes and some 100 ns. Settings with 50,000
 * synonyms have 50,001 of them.
 */
export const BRACKETS_MAX = 200_000
/**
 * Of a body that is read in a millisecond: a vector of 16,384 floats has as many values, a
 * multi-search of 100 searches some hundred objects.
 */
export const QUICK_VALUES_MAX = 20_000
export const QUICK_BRACKETS_MAX = 1_000
/** Arrays and objects inside each other; JSON.md says that the checking reader allows as many. */
export const DEPTH_MAX = 127
/**
 * Searches of a multi-search. Clients send up to some hundreds. A thousand take 3 ms of the main
 * thread beside the searches themselves, in slices.
 */
export const QUERIES_MAX = 1_000
/**
 * Names in the lists of all searches of a request (attributes, facets, sort keys): each is copied
 * to a search thread, 50,000 in 2 ms. A hundred searches with three lists of fifty have 15,000.
 */
export const SEARCH_NAMES_MAX = 50_000
/**
 * Elements in the lists of a query string, all together: 20,000 take 5 ms. A vector of 4,096 floats
 * has as many, and ids of 36 characters fill the address with 3,500.
 */
export const QUERY_ELEMENTS_MAX = 20_000
/** Parameters of a query string: no route knows more than forty, repeated ones included. */
export const PARAMETERS_MAX = 1_000
/** A filter with more values goes to the search thread as text, which is copied in no time. */
export const FILTER_VALUES_MAX = 1_000
/** The same for one text. */
export const FILTER_CHARACTERS_MAX = 65_536
/** Of a value or a name that a fault quotes. Recorded messages quote up to some hundreds. */
export const QUOTED_CHARACTERS_MAX = 10_000
/** Of a message about a body or a parameter, whatever it quotes. */
export const MESSAGE_CHARACTERS_MAX = 4 * QUOTED_CHARACTERS_MAX
