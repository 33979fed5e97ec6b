// The time in whole microseconds since 1970, which never goes back while the process lives.
import type { Micros } from './tasks/index.ts'

export function microClock(): () => Micros {
  let last = 0
  return () => {
    const now = Math.floor((performance.timeOrigin + performance.now()) * 1000)
    last = Math.max(last + 1, now)
    return last
  }
}
