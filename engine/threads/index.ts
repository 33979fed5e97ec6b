// Worker threads.
export { encourageCollection } from './encourage-collection.ts'
export { noteIndexSize } from './heap-growth.ts'
export { later } from './later.ts'
export { leanCompilation } from './lean-compilation.ts'
export { REQUEST_NICENESS, SEARCH_YOUNG_MEGABYTES } from './limits.ts'
export { returnFreeMemory, watchMemory } from './memory-watch.ts'
export { raiseMainThread, setThreadNiceness } from './priority.ts'
export { searchHeapMegabytes } from './search-heap.ts'
export type { WorkerFiles } from './worker-files.ts'
export {
  JobTookTooLong,
  type PoolJob,
  type RecyclePolicy,
  WorkerPool,
} from './worker-pool.ts'
export { growYoungHeap } from './young-heap.ts'
