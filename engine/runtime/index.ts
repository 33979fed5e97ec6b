// How are V8, the allocator and the scheduler of the machine tuned for this program? Pages:
// ./MEMORY.md, ./V8-OPTIONS.md
export { encourageCollection } from './encourage-collection.ts'
export { noteIndexSize } from './heap-growth.ts'
export { leanCompilation } from './lean-compilation.ts'
export { REQUEST_NICENESS, SEARCH_YOUNG_MEGABYTES } from './limits.ts'
export { mapped } from './mapped.ts'
export { returnFreeMemory, watchMemory } from './memory-watch.ts'
export { lowerThreadsOfV8, raiseMainThread, setThreadNiceness } from './priority.ts'
export { searchHeapMegabytes } from './search-heap.ts'
export { growYoungHeap } from './young-heap.ts'
