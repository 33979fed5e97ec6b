// Limits of searches over foreign keys, each with its reason.

/** Documents of other indexes in one answer: ids beyond it stay ids, so that lists have an end. */
export const FOREIGN_HITS_MAX = 10_000
