// Promises that are awaited some time after they were created.

/**
 * Returns `promise`, whose rejection Node does not count as unhandled from now on: the caller
 * awaits it later and receives the failure there.
 */
export function awaitedLater<P extends Promise<unknown>>(promise: P): P {
  promise.catch(() => undefined)
  return promise
}
