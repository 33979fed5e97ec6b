// How work ends that is not wanted any more.

/**
 * Thrown by work whose signal was aborted, or which was told in another way that nothing waits for
 * its result. The caller that started the work catches it; it is not a failure.
 */
export class Canceled extends Error {
  override readonly name = 'Canceled'
}
