// The threads of searches: turns, semaphore, reserve and warm-up.
export type { CallerId } from './accounts.ts'
export { cacheLimits } from './cache-memory.ts'
export { SearchInPlace } from './in-place.ts'
export { SearchPool } from './pool.ts'
export { retryWhileBusy } from './retry-while-busy.ts'
export type { Searching, SearchLoad, SearchPermit } from './searching.ts'
