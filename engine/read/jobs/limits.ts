// Limits of searches, each with its reason.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/**
 * Bytes of the answer to one search, a federated search, or one part of a multi-search: 1,000 hits
 * of 64 KiB. Each search thread may hold this much.
 */
export const SEARCH_BYTES_MAX = 64 * MiB

/**
 * Bytes of any answer: a page of documents, or all searches of a request. Exports of 100 MB at a
 * time fit; larger ones are read page by page.
 */
export const ANSWER_BYTES_MAX = 128 * MiB

/**
 * Milliseconds for writing the hits of one answer: enough for 100,000 hits of 1 KB with
 * highlighting.
 */
export const HITS_MS_MAX = 10_000

/**
 * Documents of other indexes in one answer. Further ids are not replaced, so that long lists stay
 * bounded.
 */
export const FOREIGN_HITS_MAX = 10_000

/**
 * Milliseconds for a step that cannot stop halfway, in indexes with a shorter cutoff: cutoffs were
 * chosen for ranking, and a filter of usual size takes a tenth of this.
 */
export const WHOLE_MS_MIN = 500

/**
 * Milliseconds for all searches that one thread runs for one request: a thousand searches of 1.5 s
 * each would hold it for half an hour.
 */
export const SEARCHES_MS_MAX = 10_000

/**
 * Milliseconds after which a search counts as heavy: well above usual ones and the slowest of large
 * indexes.
 */
export const SLICE_MS = 100

/** Weight of a caller's last search in the expected time of its next one. */
export const LAST_SHARE = 1 / 4

/**
 * UTF-16 units of text in a request from which it is expected to hold a thread for long. Such texts
 * are lists of points or of values, whose number decides the time. People do not type this much.
 */
export const LARGE_REQUEST_UNITS = 32 * KiB

/**
 * Milliseconds after the last request of a caller of short searches during which it may send
 * another one: a thread is left free for it.
 */
export const RECENT_MS = 10_000

/** Interval in milliseconds at which working threads are checked. */
export const CHECK_INTERVAL_MS = 20

/** Milliseconds after which a waiting search gets the thread in reserve, see `reserve.ts`. */
export const RESERVE_WAIT_MS = 50

/** The same before code is compiled: many searches wait longer then, for a few seconds only. */
export const COLD_WAIT_MS = 100

/** Milliseconds for which the thread in reserve works after a search has needed it. */
export const RESERVE_OPEN_MS = 1000

/** The same after searches were long on average. */
export const RESERVE_LONG_MS = 10_000

/**
 * The thread in reserve pays if the main thread is busy for at most this share of the time while
 * all other search threads are. On two processors, searches of 25,000 films (a share of 0.32 to
 * 0.45) are answered at the same rate without it, those of 300,000 documents (0.16) faster with it.
 */
export const RESERVE_MAIN_SHARE = 0.22

/**
 * Milliseconds for which the thread in reserve warms up. More makes the process larger; with none,
 * the searches beside a heavy one run code that is not compiled yet.
 */
export const RESERVE_WARM_MS = 250

/** Milliseconds of work after which a search thread has compiled what it runs most. */
export const COLD_MS = 4000

/**
 * Milliseconds for which a heavy search may continue while short searches of others wait and no
 * thread is free. With one thread this is the longest wait, apart from the time to the next
 * checkpoint.
 */
export const PREEMPT_AFTER_MS = 250

/** Milliseconds after which a further thread is started if all running threads are busy. */
export const AHEAD_MS = 100

/** An index with fewer documents is searched quickly even on a thread that is not warmed up. */
export const WARM_DOCUMENTS_MIN = 1000

/**
 * Threads that are started to be warmed up: what one client needs, and one more. A thread has a
 * heap of its own; further threads are warmed up after requests have started them.
 */
export const WARM_THREADS = 2

/**
 * Searches in one piece of warm-up work; with very fast searches a piece is then shorter than
 * planned.
 */
export const SEARCHES_PER_PIECE_MAX = 16

/**
 * Milliseconds of thread time that a caller may have used more than others before it has to wait.
 */
export const DEBT_MS_MAX = 2000

/** Callers that are distinguished: 200 bytes each. */
export const ACCOUNTS_MAX = 10_000

/**
 * Hits of a partial answer received from another instance: as many as one index can be configured
 * to show. Each takes some hundred bytes of memory beside its JSON.
 */
export const PARTIAL_HITS_MAX = 1_000_000

/**
 * Bytes from which a part of an answer is placed in shared memory: copying it to the thread that
 * merges would block the main thread for 0.3 ms a megabyte.
 */
export const SHARED_BYTES_MIN = 256 * KiB

/**
 * Bytes of another instance's answer beside its hits, and of the merge keys of all hits: both are
 * parsed, and parsed values need several times the memory. Facets of 100,000 values fit.
 */
export const INSTANCE_HEAD_BYTES_MAX = 16 * MiB

/**
 * Values of a facet that are sent to another instance if values are ordered by count: the most
 * frequent values of all instances are exact if no instance has more values. 300 KB as JSON.
 */
export const SENT_FACET_VALUES_MAX = 10_000

/**
 * Buckets of a histogram or a calendar that have documents: five years of days. More are no list that
 * people read, and each costs some look-ups in a time zone.
 */
export const FACET_BUCKETS_MAX = 2000

/**
 * Documents among which, in a network, the first one of each distinct value in the order of all
 * instances is the one that counts, because all of them are ordered for it. Of more the lowest id
 * counts.
 */
export const DISTINCT_ORDERED_MAX = 100_000

/**
 * Documents, one of each distinct value, whose values are sent to the instance that merges, so that
 * totals and facets of pages are exact: 1 MB as JSON with three facets. With more they are
 * estimates.
 */
export const DISTINCT_SENT_MAX = 10_000

/**
 * A search thread is notified of a new view of an index that it has searched within this many
 * milliseconds. While documents change all day, an idle search thread receives some hundred views.
 */
export const ANNOUNCED_MS = 1000

/**
 * Documents of one vector search that may be read to find all that tie with the last one of a page:
 * many copies of one vector must not cost a sort of the whole index.
 */
export const TIES_READ_MAX = 65_536

/** Maximum number of requests of a thread, including the one it works on. */
export const JOBS_PER_THREAD = 2

/**
 * Indexes and embedders whose searches without a vector are reported only once; a name takes about
 * 100 bytes. With more, some are reported again.
 */
export const LACKED_VECTORS_MAX = 1000

assert(SEARCH_BYTES_MAX <= ANSWER_BYTES_MAX, 'an answer holds a search')
assert(INSTANCE_HEAD_BYTES_MAX < SEARCH_BYTES_MAX, 'a partial answer has room for hits')
assert(SHARED_BYTES_MIN < SEARCH_BYTES_MAX, 'large answers are shared')
assert(CHECK_INTERVAL_MS < RESERVE_WAIT_MS, 'waiting is noticed in time')
assert(RESERVE_WAIT_MS < COLD_WAIT_MS, 'the reserve is opened later while code is cold')
assert(RESERVE_OPEN_MS < RESERVE_LONG_MS, 'long searches keep the reserve open longer')
assert(RESERVE_WARM_MS < COLD_MS, 'the reserve is warmed up less than other threads')
assert(SLICE_MS < PREEMPT_AFTER_MS, 'a search is heavy before it is interrupted')
assert(PREEMPT_AFTER_MS < SEARCHES_MS_MAX, 'a search is interrupted before it is given up')
assert(WHOLE_MS_MIN < SEARCHES_MS_MAX, 'a step ends before all searches')
assert(DISTINCT_SENT_MAX <= DISTINCT_ORDERED_MAX, 'sent documents are ordered ones')
