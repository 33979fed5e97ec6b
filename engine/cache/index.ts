// Caches within a limit: which entry is evicted first?
export { CacheBudget, type Shrinking, shrinkToFit } from './budget.ts'
export { LruCache } from './lru-cache.ts'
