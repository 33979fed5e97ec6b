// Times as the engine keeps them, and the clock that hands them out.

/** Whole microseconds since 1970, UTC. */
export type Micros = number

/** A clock that never goes back and never repeats a time while the process lives. */
export function microClock(): () => Micros {
  let last = 0
  return () => {
    const now = Math.floor((performance.timeOrigin + performance.now()) * 1000)
    last = Math.max(last + 1, now)
    return last
  }
}
