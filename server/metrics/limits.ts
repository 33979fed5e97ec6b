// Limits of what is counted, each with its reason.

/** Paths that no route has, counted by themselves: past it they are one. Clients choose them. */
export const STRAY_PATHS_MAX = 100
/** What is shown of such a path. */
export const STRAY_PATH_CHARS_MAX = 100
/** How long a batch of documents is told of beyond the time that it took. */
export const LAST_BATCH_SHOWN_MS = 5 * 60_000
