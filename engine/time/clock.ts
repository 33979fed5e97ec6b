// The clocks of the engine.
import type { Micros } from '../model/index.ts'

/** If the wall clock gains more than this, it was set forward or the machine has slept. */
const STEP_MS = 1000

/** The clocks of the machine, in milliseconds; tests supply others. */
export type Clocks = {
  /** Wall clock since 1970; may be set forward and back. */
  readonly wallMs: () => number
  /** Monotonic, at an even pace; stops while the machine sleeps. */
  readonly steadyMs: () => number
}

/** Milliseconds of a clock that is never set: for deadlines, silence and pauses. */
export const steadyMs = (): number => performance.now()

const MACHINE: Clocks = { wallMs: () => Date.now(), steadyMs }

/**
 * Returns a clock that never goes back and never repeats a value while the process lives. It runs
 * at the pace of the steady clock, so that durations stay right when the wall clock is set back; it
 * follows the wall clock when that is set forward.
 */
export function microClock({ wallMs, steadyMs: steady }: Clocks = MACHINE): () => Micros {
  let offset = wallMs() - steady()
  let last = 0
  return () => {
    const at = steady()
    const ahead = wallMs() - at - offset
    if (ahead > STEP_MS) offset += ahead
    last = Math.max(last + 1, Math.floor((offset + at) * 1000))
    return last
  }
}
