// Limits of templates, each with its reason: texts and documents come from clients.

/** Characters of a text; honest ones have a few hundred. */
export const TEMPLATE_LENGTH_MAX = 100_000
/** Characters of all texts of a request. Parsing so many takes up to 0.3 s. */
export const TEXTS_LENGTH_MAX = 400_000
/** Values in the JSON around the texts of a fragment. */
export const SOURCE_VALUES_MAX = 10_000
/** Nesting of JSON from clients: documents are read as deep as this elsewhere. */
export const DEPTH_MAX = 128
/**
 * Values and characters of an inline document, which the main thread hands to another one: 5 ms for
 * objects of many names. Stored documents go as bytes, of any size.
 */
export const INPUT_VALUES_MAX = 20_000
export const INPUT_LENGTH_MAX = 4_000_000

/**
 * Time of the processor. A document of a few kilobytes takes a tenth of a millisecond; loops over
 * loops end here.
 */
export const REQUEST_MS_MAX = 500
/**
 * Where Node does not tell the time of a thread: how much of an interval between two steps counts.
 * A step takes microseconds, a thread that waits for a processor 3 to 25 ms at a time; the longest
 * steps, sorting all that a request may hold, 100 ms.
 */
export const STEP_MS_MAX = 25
/**
 * The thread of a request that is still at work after so long, on the clock of the wall, is ended:
 * a filter over a long list does not look at the clock. Longer than the time above, for machines
 * that are busy.
 */
export const THREAD_MS_MAX = 5000
/** Characters and elements that the texts of a request may put together, output included. */
export const RENDER_MEMORY_MAX = 10_000_000
/** Ten million elements need 80 MB; the rest is room for what is being collected. */
export const THREAD_HEAP_MEGABYTES = 256
/** Characters of a fault: it may quote a line of a template or list the fields of a document. */
export const FAULT_LENGTH_MAX = 10_000

/** Requests that wait for the thread; each takes `THREAD_MS_MAX` at most. */
export const WAITING_MAX = 32
/** Characters and bytes of what waits. */
export const WAITING_LENGTH_MAX = 64_000_000
/** A thread without work ends after so long: it holds 10 MB. */
export const IDLE_MS = 10_000
