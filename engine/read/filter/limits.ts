// The limits of filters and their reasons.

/**
 * Levels of the grammar a filter may be deep; a parenthesis takes four of them, a NOT one: 36
 * parentheses.
 */
export const GRAMMAR_LEVELS_MAX = 150

/**
 * Documents of the foreign index that one `_foreign` condition may match: they become an IN list.
 */
export const FOREIGN_DOCUMENTS_MAX = 100

/** Corners of the polygon that stands for a circle where `_geojson` shapes are compared with it. */
export const RESOLUTION_MIN = 3
export const RESOLUTION_MAX = 1000
export const RESOLUTION_DEFAULT = 125

/** Edits within which another name is suggested for a misspelt one. */
export const SUGGESTION_EDITS_MAX = 2

/**
 * A refused JSON value that is deeper is not shown in its message: printing it could overflow the
 * stack.
 */
export const SHOWN_JSON_LEVELS_MAX = 128

/** UTF-16 units of a refused value or a piece of a filter that a message quotes. */
export const QUOTED_UNITS_MAX = 10_000

/** Milliseconds for the filter of a deletion or an edition: tasks behind it wait. */
export const TASK_FILTER_MS_MAX = 60_000

/**
 * Ceilings of one filter, all its expressions together. They lie far above what programs write
 * (permissions make lists of some ten thousand values) and keep memory and time in bounds where one
 * request asks for all it can: at each of them a filter over 20,000 documents takes less than a
 * second.
 */
export const CONDITIONS_MAX = 100_000
/**
 * Values of all `IN` lists together: two places and a number each, 24 MB, and the texts of some of
 * them at a time, 25 MB.
 */
export const LISTED_VALUES_MAX = 1_000_000
/** Radii, boxes and polygons: each is compared with blocks of points by itself. */
export const PLACES_MAX = 50_000
/** Corners of all polygons together: an edge each. */
export const CORNERS_MAX = 100_000
/** UTF-16 units of all texts for CONTAINS together: a state of 25 bytes for each of their bytes. */
export const PART_UNITS_MAX = 1_000_000
