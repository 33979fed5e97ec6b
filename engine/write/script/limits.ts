// How much a function that edits documents may ask for. It runs once for every document, on the
// thread that everybody's writes wait for.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** UTF-16 units of a script: taking one apart, 5 ms, must not hold up the thread that answers. */
export const SCRIPT_LENGTH_MAX = 32 * KiB

/** Steps of one run, as clients know it. Work inside the library counts by what it touches. */
export const STEPS_MAX = 1_000_000

/** Steps between two looks at the clock and at cancelations. */
export const STEPS_PAUSE = 4096

/** How long one run may take: ten times what a million steps need on a slow machine. */
export const RUN_MS_MAX = 10_000

/** Elements of an array and members of a map, as clients know it. */
export const ARRAY_LENGTH_MAX = 10_000
export const MAP_SIZE_MAX = 10_000

/** UTF-16 units of a string: a document cannot be much larger. */
export const STRING_LENGTH_MAX = 8 * MiB

/** Units of a value written as JSON: strings may stand in many places at once. */
export const JSON_LENGTH_MAX = 64 * MiB

/**
 * What one run may build altogether, in elements and characters; what was dropped on the way counts
 * as well. Sixteen bytes each: a quarter of a gigabyte.
 */
export const MEMORY_MAX = 16 * MiB

/** Variables at one time, as clients know it. */
export const VARIABLES_MAX = 1000

/** Functions of a script, as clients know it. */
export const FUNCTIONS_MAX = 30

/** Expressions and blocks within each other: the parser calls itself for each. */
export const NESTING_MAX = 200

/**
 * Levels of the evaluator, which calls itself: at most 700 bytes of stack each, and an index thread
 * has 4 MiB. Some 240 calls of a function that does a little.
 */
export const EVALUATION_DEPTH_MAX = 2400
/** A call costs as much stack as some levels more. */
export const CALL_LEVELS = 4

/** Levels of arrays and maps within each other, the document being one: as for imports. */
export const VALUE_DEPTH_MAX = 127
