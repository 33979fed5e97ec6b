// Limits of searches, each with its reason.

const MiB = 1024 * 1024

/**
 * Bytes of the answer to one search, a federated one, or a few of a multi-search: 1,000 hits of
 * 64 KiB. Each search thread may hold as much.
 */
export const SEARCH_BYTES_MAX = 64 * MiB

/**
 * Bytes of any answer: a page of documents, all searches of a request. Exports of 100 MB at a time
 * have room; larger ones go page by page.
 */
export const ANSWER_BYTES_MAX = 128 * MiB

/**
 * Milliseconds for writing the hits of one answer: 100,000 hits of 1 KB with highlighting are
 * written in as much.
 */
export const HITS_MS_MAX = 10_000

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
 * Milliseconds of one search that count for nothing: ordinary ones take a few, the slowest of large
 * indexes some tens, the first one of a thread or on a busy machine somewhat more.
 */
export const SLICE_MS = 100

/**
 * What a caller's searches took beyond that, in milliseconds, from which on the caller is heavy:
 * one search of 300 ms, or a few of 150 ms in a row.
 */
export const HEAVY_LOAD_MS = 200

/** Milliseconds of that load which are forgotten in a second. */
export const LOAD_DRAIN_MS_PER_SECOND = 200

/** The most that is counted: a caller is heavy for five seconds after its last heavy search. */
export const LOAD_MS_MAX = 1200

/** Milliseconds within which a caller that asked may ask again: a thread is left free for it. */
export const RECENT_MS = 10_000

/**
 * Milliseconds that a search may hold its thread while light searches of others wait and no thread
 * is free for them. It ends at its next look at the clock, so that they wait somewhat longer: by
 * the 50 ms between two looks at the threads, and by what lies between two of the search itself.
 */
export const HURRY_MS = 300

/** Milliseconds of threads that a caller may have used more than others before it waits. */
export const DEBT_MS_MAX = 2000

/** Callers that are told apart: 200 bytes each. */
export const ACCOUNTS_MAX = 10_000
