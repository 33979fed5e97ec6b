// Bounds how far V8 lets heaps grow before it collects garbage. V8 lets the heap of each thread
// grow to up to four times its live data, which costs least if memory is plentiful. If the process
// has become large, heaps may grow by half: a mixture of hostile requests then took 860 MiB instead
// of 970. The bound is not permanent, because bulk indexing takes 5 % more processor time with it.
//
// The limit is a flag of V8 that applies to all threads and is read at each collection.

import { MiB } from '../../format/bytes/index.ts'

/**
 * Bytes of resident memory without mapped files. An idle server has 80 MiB, a busy one 200 to 350.
 */
const LARGE_BYTES = 448 * MiB
/**
 * The process counts as large until it has shrunk by this much: a flag that toggles helps little.
 */
const SMALLER_BYTES = 64 * MiB
/** Per cent of live data. */
const GROWTH_WHERE_LARGE = 50
const GROWTH_OF_V8 = 0

/**
 * Returns a function that receives the size of the process and calls `set` when the growth changes.
 */
export function heapGrowth(set: (percent: number) => void): (bytes: number) => void {
  let isLarge = false
  return (bytes) => {
    const wasLarge = isLarge
    isLarge = bytes >= (wasLarge ? LARGE_BYTES - SMALLER_BYTES : LARGE_BYTES)
    if (isLarge !== wasLarge) set(isLarge ? GROWTH_WHERE_LARGE : GROWTH_OF_V8)
  }
}
