// Caches in memory within a limit: which one gives way, and which value is evicted first?
export { CacheBudget, type Shrinking, shrinkToFit } from './budget.ts'
export { LruCache } from './lru-cache.ts'
