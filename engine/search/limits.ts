// Limits of searches over foreign keys, each with its reason.

/** Documents of other indexes in one answer: ids beyond it stay ids, so that lists have an end. */
export const FOREIGN_HITS_MAX = 10_000

/**
 * Milliseconds for what a search cannot leave half done, in indexes with a shorter cutoff: cutoffs
 * were chosen for ranking, and a filter of honest size takes a tenth of it.
 */
export const WHOLE_MS_MIN = 500

/**
 * Milliseconds for all searches that one thread runs for one request: a thousand searches of 1.5 s
 * each would hold it for half an hour.
 */
export const SEARCHES_MS_MAX = 10_000
