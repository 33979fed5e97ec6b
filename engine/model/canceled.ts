// The error of work that was canceled because its result is no longer needed.

/**
 * Thrown by work whose signal was aborted, or that was canceled in another way. The caller that
 * started the work catches it; it is not a failure.
 */
export class Canceled extends Error {
  override readonly name = 'Canceled'
}
