// The threads of searches: turns, permits, reserve and warm-up.
export type { CallerId } from './accounts.ts'
export { SearchInPlace } from './in-place.ts'
export { SearchPool } from './pool.ts'
export { retryWhileBusy } from './retry-while-busy.ts'
export type { Admission, Searching, SearchLoad } from './searching.ts'
