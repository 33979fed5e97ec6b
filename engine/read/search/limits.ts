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

/**
 * Milliseconds after which a running search counts as heavy: ordinary ones take a few, the slowest
 * of large indexes some tens.
 */
export const SLICE_MS = 100

/** Milliseconds for which the caller of a heavy search is expected to send another one. */
export const HEAVY_MS = 5000

/** Milliseconds within which a caller that asked may ask again: a thread is left free for it. */
export const RECENT_MS = 10_000

/**
 * Milliseconds that a heavy search may go on while light ones of others wait and no thread is free
 * for them: with one thread it is the longest that they wait.
 */
export const HURRY_MS = 300

/** Milliseconds of threads that a caller may have used more than others before it waits. */
export const DEBT_MS_MAX = 2000

/** Callers that are told apart: 200 bytes each. */
export const ACCOUNTS_MAX = 10_000
