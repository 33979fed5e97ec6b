// Long work on the main thread in slices, so that requests are answered in between.

/** Lets everything else that is due run. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs `steps` to the end with a pause after each; a step is a millisecond or two. */
export async function inSlices(steps: Iterable<void>): Promise<void> {
  for (const _ of steps) await pause()
}
