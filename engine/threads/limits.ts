// Limits of threads.

/**
 * Milliseconds that a thread needs to load its program once it runs: 30 on an idle machine, and
 * several times as many while the processors are busy.
 */
export const LOADING_MS = 200
