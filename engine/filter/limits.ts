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
