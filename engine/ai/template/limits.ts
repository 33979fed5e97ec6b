// Limits of templates, each with its reason: texts and documents come from clients.
import { assert } from '../../../format/errors.ts'

/** Characters of a text; usual ones have a few hundred. */
export const TEMPLATE_LENGTH_MAX = 100_000
/** Characters of all texts of a request. Parsing so many takes up to 0.3 s. */
export const TEXTS_LENGTH_MAX = 400_000
/** Values in the JSON around the texts of a fragment. */
export const SOURCE_VALUES_MAX = 10_000
/**
 * Values and characters of an inline document, which the main thread sends to another one: 5 ms for
 * objects of many names. Stored documents are sent as bytes, of any size.
 */
export const INPUT_VALUES_MAX = 20_000
export const INPUT_LENGTH_MAX = 4_000_000

/** Processor time: far more than a document of a few kilobytes needs; nested loops end here. */
export const REQUEST_MS_MAX = 500
/**
 * How much of an interval between two steps counts where Node does not report the time of a thread.
 * A usual step is much shorter; a thread that waits for a processor may wait this long; the longest
 * step sorts the largest list of a request.
 */
export const STEP_MS_MAX = 25
/**
 * The thread is terminated when a request still runs after this time on the wall clock: a filter
 * over a long list does not check the clock. Longer than the time above, for busy machines.
 */
export const THREAD_MS_MAX = 5000
/** Characters and elements that the texts of a request may create, output included. */
export const RENDER_MEMORY_MAX = 10_000_000
/** Ten million elements of eight bytes; the remainder is for garbage that is not collected yet. */
export const THREAD_HEAP_MEGABYTES = 256
/** Characters of a fault: it may quote a line of a template or list the fields of a document. */
export const FAULT_LENGTH_MAX = 10_000

/** Requests that wait for the thread; each takes `THREAD_MS_MAX` at most. */
export const WAITING_MAX = 32
/** Characters and bytes of waiting requests. */
export const WAITING_LENGTH_MAX = 64_000_000
/** An idle thread ends after this time: it holds 10 MB. */
export const IDLE_MS = 10_000

assert(TEMPLATE_LENGTH_MAX <= TEXTS_LENGTH_MAX, 'a text fits into a request')
assert(
  STEP_MS_MAX < REQUEST_MS_MAX && REQUEST_MS_MAX < THREAD_MS_MAX,
  'a request ends itself before its thread is ended',
)
assert(TEXTS_LENGTH_MAX + INPUT_LENGTH_MAX <= WAITING_LENGTH_MAX, 'a request may wait')
assert(
  RENDER_MEMORY_MAX * 8 < THREAD_HEAP_MEGABYTES * 2 ** 20,
  'the heap holds what a request may create',
)
