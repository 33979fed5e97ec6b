// What threads may take.

/**
 * Room for short-lived objects of a search thread, in MiB: three semi-spaces of 8. Twice as much is
 * V8's own choice, and costs each thread 30 MB for nothing: searches took 1.2 to 1.5 ms of CPU with
 * either.
 */
export const SEARCH_YOUNG_MEGABYTES = 24

/**
 * The niceness of threads that take work off the main thread's hands which a client has made large:
 * bodies of megabytes, templates. Against the main thread they have a third of a processor.
 */
export const REQUEST_NICENESS = 5
