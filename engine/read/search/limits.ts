// Limits of searches, each with its reason.
import { KiB, MiB } from '../../../format/bytes/index.ts'

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
 * Milliseconds from which on a search counts as heavy: ordinary ones take a few, the slowest of
 * large indexes some tens.
 */
export const SLICE_MS = 100

/** What the last search of a caller counts for in what is expected of its next one. */
export const LAST_SHARE = 1 / 4

/**
 * UTF-16 units of text in a request, from which on it is expected to hold a thread for long. At the
 * rate of the slowest conditions (50,000 places in 1.7 MB: 1 s) this many take 20 ms; at that of
 * the fastest (a million listed values in 7 MB: 1 s) they take 5 ms. People do not write so much.
 */
export const LARGE_REQUEST_UNITS = 32 * KiB

/**
 * Milliseconds within which a caller of short searches that asked may ask again: a thread is left
 * free for it.
 */
export const RECENT_MS = 10_000

/** How often threads at work are looked at, in milliseconds. */
export const LOOK_MS = 50

/**
 * Milliseconds that a heavy search may go on while short ones of others wait and no thread is free
 * for them: with one thread it is the longest that they wait, apart from the way to a checkpoint.
 */
export const HURRY_MS = 250

/** Milliseconds after which a further thread is started where all that run are at work. */
export const AHEAD_MS = 100

/** An index with fewer documents is quick also in a thread that is not prepared. */
export const WARM_DOCUMENTS_MIN = 1000

/**
 * Threads that are started to be prepared: what one client needs, and one more. A thread takes
 * 25 MB; others are prepared once requests have started them.
 */
export const WARM_THREADS = 2

/** Searches of a piece of preparing: from the fastest searches on a piece is shorter than meant. */
export const SEARCHES_PER_PIECE_MAX = 16

/** Milliseconds of threads that a caller may have used more than others before it waits. */
export const DEBT_MS_MAX = 2000

/** Callers that are told apart: 200 bytes each. */
export const ACCOUNTS_MAX = 10_000

/**
 * Hits of a partial answer that is read from elsewhere: as many as one index may be made to show,
 * and each has some hundred bytes of memory beside its JSON.
 */
export const PARTIAL_HITS_MAX = 1_000_000

/**
 * Bytes from which on a part of an answer lies in memory that threads share: copying it to the
 * thread that merges would hold up the main thread, 0.3 ms a megabyte.
 */
export const SHARED_BYTES_MIN = 256 * KiB

/**
 * Bytes of an answer of another instance beside its hits, and of what all hits tell for merging:
 * both are parsed, and take ten times as much memory then. Facets of 100,000 values have room.
 */
export const INSTANCE_HEAD_BYTES_MAX = 16 * MiB

/**
 * Values of a facet that go to another instance where they are ordered by count: the most frequent
 * ones of all instances are known when none has more values. 300 KB as JSON.
 */
export const SENT_FACET_VALUES_MAX = 10_000

/**
 * A search thread is told of a new view of an index that it was asked about within this time. While
 * documents change all day, that is some hundred views for one search thread that is not asked.
 */
export const ANNOUNCED_MS = 1000
