// Times as the engine keeps them, and the clock that hands them out.

/** Whole microseconds since 1970, UTC. */
export type Micros = number

/** A wall clock that is ahead by more was set forward, or the machine has slept. */
const STEP_MS = 1000

/** The clocks of the machine, in milliseconds; tests have their own. */
export type Clocks = {
  /** Of the day, since 1970; may be set forward and back. */
  readonly wallMs: () => number
  /** Only goes forward, at an even pace; stands still while the machine sleeps. */
  readonly steadyMs: () => number
}

const MACHINE: Clocks = { wallMs: Date.now, steadyMs: () => performance.now() }

/**
 * A clock that never goes back and never repeats a time while the process lives. It goes at the
 * pace of the steady clock, so that durations are right when the wall clock is set back; it
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
