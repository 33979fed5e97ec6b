// Limits of dynamic search rules, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/**
 * Bytes of all rules with their names. They are part of a manifest's checkpoint, and every search
 * thread has a copy.
 */
export const RULES_BYTES_MAX = 16 * MiB
/** Rules that a search evaluates, and pins that it sets. */
export const ACTIVE_RULES_MAX = 1000
export const PINS_MAX = 100
/** Words of a query that are compared with conditions. */
export const QUERY_WORDS_MAX = 10
/** Scale actions that a search evaluates: each is a filter or a list of ids. */
export const SCALES_MAX = 100
/**
 * Different weights of documents in one search: the documents of each are ranked separately. A
 * scale action that would make more of them is skipped.
 */
export const SCALE_GROUPS_MAX = 64
