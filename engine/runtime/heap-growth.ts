// Decides how far V8 lets heaps grow before it collects garbage.
//
// A search thread has a small heap (17 MB) and makes its sets of documents in buffers outside of
// it, which V8 counts as growth. It collects after about 16 MB of them by default
// (`search-heap.ts`). A search of a large index makes 0.2 to 2 MB of sets, so V8 collected every
// few searches, and took a third of the processor time. With more than twice that growth, 300,000
// documents (600 mixed searches, 1 client) take 2.6 instead of 3.4 ms of processor time a search,
// with a p95 of 5.7 instead of 7.7 ms and 20 MB more memory; 1,000,000 documents 7.6 instead of
// 10.3, 14.6 instead of 16.5, and 12 MB. With 25,000 documents it would save 6 % and take 33 MB.
//
// If the process has become large for another reason, heaps may grow by half only: a mixture of
// hostile requests then took 860 MiB instead of 970. That bound is not permanent, because bulk
// indexing takes 5 % more processor time with it.
//
// The limit is a flag of V8 that applies to all threads and is read at each collection.
import { totalmem } from 'node:os'
import { MiB } from '../../format/bytes/index.ts'

/**
 * Bytes of resident memory without mapped files. An idle server has 80 MiB, a busy one 200 to 350.
 */
const LARGE_BYTES = 448 * MiB
/** With many documents, caches alone may take an eighth of the machine's memory. */
const LARGE_SHARE = 1 / 4
/**
 * The process counts as large until it has shrunk by this much: a flag that toggles helps little.
 */
const SMALLER_BYTES = 64 * MiB
/** Documents of an index from which a bit for each takes 12 KB. */
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
    const most = hasMany ? Math.max(LARGE_BYTES, memoryBytes * LARGE_SHARE) : LARGE_BYTES
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
