// Clocks, pauses, and work that is awaited or done later.
export { awaitedLater } from './awaited-later.ts'
export { Backoff, partOfPause } from './backoff.ts'
export { microClock, steadyMs } from './clock.ts'
export { inOrder } from './in-order.ts'
export { later } from './later.ts'
export { Pause, sleepUnlessAborted } from './pause.ts'
export { isTimeZone, type TimeZone, timeZone } from './time-zone.ts'
