// Decides how far V8 lets heaps grow before it collects garbage.
//
// A search thread has a small heap (17 MB) and makes its sets of documents in buffers outside of
// it, which V8 counts as growth. It collects after about 16 MB of them by default
// (`search-heap.ts`). A search of a large index makes so many sets that V8 would collect every few
// searches. With small indexes more growth would save little for its memory.
//
// If the process has become large for another reason, heaps may grow by half only. That bound is
// not permanent, because bulk indexing collects more often with it.
//
// The limit is a flag of V8 that applies to all threads and is read at each collection.
import { totalmem } from 'node:os'
import { MiB } from '../../format/bytes/index.ts'

/**
 * Bytes of resident memory without mapped files. An idle server has 80 MiB, a busy one 200 to 350.
 */
const LARGE_BYTES = 448 * MiB
/** With many documents: the caches of searches may take up to half of it. */
const LARGE_SHARE = 1 / 4
/**
 * At most this with many documents. Two threads that search millions of documents cache 500 MiB;
 * with threefold growth their garbage would take more than a gigabyte.
 */
const LARGE_BYTES_MAX = 1024 * MiB
/**
 * The process counts as large until it has shrunk by this much: a flag that toggles helps little.
 */
const SMALLER_BYTES = 64 * MiB
/** Documents of an index from which a set with a bit for each is large garbage. */
const MANY_DOCUMENTS = 100_000
/** Per cent of live data. */
const GROWTH_WHERE_LARGE = 50
const GROWTH_WITH_MANY = 200
const GROWTH_OF_V8 = 0

/** `bytes` of resident memory, `documents` of the largest index: the growth depends on both. */
type ProcessSize = { readonly bytes: number; readonly documents: number }

/**
 * Returns a function that receives the size of the process and calls `set` when the growth changes.
 * `memoryBytes`: of the machine.
 */
export function heapGrowth(
  set: (percent: number) => void,
  memoryBytes = totalmem(),
): (size: ProcessSize) => void {
  let isLarge = false
  let growth = GROWTH_OF_V8
  return ({ bytes, documents }) => {
    const hasMany = documents >= MANY_DOCUMENTS
    const share = Math.min(memoryBytes * LARGE_SHARE, LARGE_BYTES_MAX)
    const most = hasMany ? Math.max(LARGE_BYTES, share) : LARGE_BYTES
    isLarge = bytes >= (isLarge ? most - SMALLER_BYTES : most)
    const next = isLarge ? GROWTH_WHERE_LARGE : hasMany ? GROWTH_WITH_MANY : GROWTH_OF_V8
    if (next === growth) return
    growth = next
    set(growth)
  }
}

let documentsMax = 0

/** Notes the number of documents of an index that this process searches. */
export function noteIndexSize(documents: number): void {
  documentsMax = Math.max(documentsMax, documents)
}

/** Returns the number of documents of the largest index that this process has searched. */
export const documentsOfLargestIndex = (): number => documentsMax
