// Timestamps of the engine, and the clock that creates them.

/** Whole microseconds since 1970, UTC. */
export type Micros = number

/** If the wall clock gains more than this, it was set forward or the machine has slept. */
const STEP_MS = 1000

/** The clocks of the machine, in milliseconds; tests supply others. */
export type Clocks = {
  /** Wall clock since 1970; may be set forward and back. */
  readonly wallMs: () => number
  /** Monotonic, at an even pace; stops while the machine sleeps. */
  readonly steadyMs: () => number
}

const MACHINE: Clocks = { wallMs: Date.now, steadyMs: () => performance.now() }

/**
 * Returns a clock that never goes back and never repeats a value while the process lives. It runs
 * at the pace of the steady clock, so that durations stay right when the wall clock is set back; it
 * follows the wall clock when that is set forward.
 */
export function microClock({ wallMs, steadyMs }: Clocks = MACHINE): () => Micros {
  let offset = wallMs() - steadyMs()
  let last = 0
  return () => {
    const steady = steadyMs()
    const ahead = wallMs() - steady - offset
    if (ahead > STEP_MS) offset += ahead
    last = Math.max(last + 1, Math.floor((offset + steady) * 1000))
    return last
  }
}
