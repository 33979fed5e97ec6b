// Slices of long work on the main thread, so that requests are answered in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Runs `steps` to the end with a pause after each; a step must be short. */
export async function inSlices(steps: Iterable<void>): Promise<void> {
  for (const _ of steps) await nextTurn()
}
