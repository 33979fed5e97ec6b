// Limits of functions that edit documents. A function runs once for every document, on the thread
// that all writes wait for.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { DEPTH_MAX } from '../../../format/json/index.ts'

/** UTF-16 units of a script: the main thread parses them at once. */
export const SCRIPT_LENGTH_MAX = 32 * KiB

/**
 * Steps of one run, as clients know it. Library functions count steps by the elements they process.
 */
export const STEPS_MAX = 1_000_000

/** Steps between two checks of the clock and of cancelations. */
export const STEPS_PAUSE = 4096

/** Milliseconds of one run: far more than a million steps need on a slow machine. */
export const RUN_MS_MAX = 10_000

/** Elements of an array and members of a map, as clients know it. */
export const ARRAY_LENGTH_MAX = 10_000
export const MAP_SIZE_MAX = 10_000

/** UTF-16 units of a string: a document cannot be much larger. */
export const STRING_LENGTH_MAX = 8 * MiB

/** Units of a value encoded as JSON: the same string may occur in many places. */
export const JSON_LENGTH_MAX = 64 * MiB

/**
 * Elements and characters that one run may build in total, including discarded ones. Sixteen bytes
 * each: a quarter of a gigabyte.
 */
export const MEMORY_MAX = 16 * MiB

/** Variables at one time, as clients know it. */
export const VARIABLES_MAX = 1000

/** Functions of a script, as clients know it. */
export const FUNCTIONS_MAX = 30

/** Nested expressions and blocks: the parser recurses for each. */
export const NESTING_MAX = 200

/**
 * Levels of the recursive evaluator: at most 700 bytes of stack each, and an index thread has 4
 * MiB. About 240 nested calls of a small function.
 */
export const EVALUATION_DEPTH_MAX = 2400
/** Additional levels that a call counts for its stack use. */
export const CALL_LEVELS = 4

/** Nested arrays and maps, including the document itself: as for imports. */
export const VALUE_DEPTH_MAX = 127

assert(STEPS_PAUSE < STEPS_MAX, 'the clock is checked within a run')
assert(STRING_LENGTH_MAX <= JSON_LENGTH_MAX, 'a string can be encoded')
assert(STRING_LENGTH_MAX <= MEMORY_MAX, 'a run can build a string')
assert(ARRAY_LENGTH_MAX <= MEMORY_MAX && MAP_SIZE_MAX <= MEMORY_MAX, 'a run can build a list')
assert(VALUE_DEPTH_MAX <= DEPTH_MAX, 'an edited document can be read again')
