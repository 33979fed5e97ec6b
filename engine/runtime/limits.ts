// Limits of threads, as V8 and the scheduler receive them.

/**
 * Young heap of a search thread in MiB: three semi-spaces of 8. V8 would choose twice as much,
 * which stays resident in each thread without a gain for searches.
 */
export const SEARCH_YOUNG_MEGABYTES = 24

/**
 * The niceness of threads that do long work of a single request, such as bodies of megabytes or
 * templates. Against the main thread they get a third of a processor.
 */
export const REQUEST_NICENESS = 5
