// Limits of filters, each with its reason.
import { assert } from '../../../format/errors.ts'

/**
 * Maximum nesting in levels of the grammar; a parenthesis takes four of them, a NOT one: 36
 * parentheses.
 */
export const GRAMMAR_LEVELS_MAX = 150

/**
 * Documents of the foreign index that one `_foreign` condition may match: they become an IN list.
 */
export const FOREIGN_DOCUMENTS_MAX = 1000

/** Number of corners of the polygon that approximates a circle for `_geojson` shapes. */
export const RESOLUTION_MIN = 3
export const RESOLUTION_MAX = 1000
export const RESOLUTION_DEFAULT = 125

/** Maximum number of edits between a misspelled name and a suggested one. */
export const SUGGESTION_EDITS_MAX = 2

/**
 * A refused JSON value with deeper nesting is not shown in its message: printing it could overflow
 * the stack.
 */
export const SHOWN_JSON_LEVELS_MAX = 128

/** UTF-16 units of a refused value or of a part of a filter that a message quotes. */
export const QUOTED_UNITS_MAX = 10_000

/** Milliseconds for the filter of a deletion or an edition, because later tasks wait for it. */
export const TASK_FILTER_MS_MAX = 60_000

/**
 * Limits of one filter, all its expressions together. They are far above filters that programs
 * write (permissions make lists of some ten thousand values), and bound memory and time of the
 * largest request: at each limit a filter over 20,000 documents takes less than a second.
 */
export const CONDITIONS_MAX = 100_000
/**
 * Values of all `IN` lists together: two offsets and a number each, 24 MB, and the texts of some of
 * them at a time, 25 MB.
 */
export const LISTED_VALUES_MAX = 1_000_000
/** Radii, boxes and polygons: each is compared with blocks of points separately. */
export const PLACES_MAX = 50_000
/** Corners of all polygons together: an edge each. */
export const CORNERS_MAX = 100_000
/**
 * UTF-16 units of one value or name, as written: reading a value of millions of escapes would take
 * seconds.
 */
export const VALUE_UNITS_MAX = 1_000_000
/** UTF-16 units of all texts for CONTAINS together: a state of 25 bytes for each of their bytes. */
export const PART_UNITS_MAX = 1_000_000

assert(
  RESOLUTION_MIN <= RESOLUTION_DEFAULT && RESOLUTION_DEFAULT <= RESOLUTION_MAX,
  'the default is allowed',
)
assert(RESOLUTION_MAX <= CORNERS_MAX, 'a circle of any resolution fits into a filter')
