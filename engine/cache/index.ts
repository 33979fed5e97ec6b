// Caches within a limit: which entry is evicted first?
export { LruCache } from './lru-cache.ts'
