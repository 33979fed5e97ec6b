// Limits of boolean queries, each with its reason.

/**
 * Words and phrases of a query: as many as count with the matching strategy `any`, since each of
 * them is looked up and takes part in the ranking.
 */
export const OPERANDS_MAX = 100
/** Parentheses inside of each other: people do not write more, and evaluation is recursive. */
export const LEVELS_MAX = 32
