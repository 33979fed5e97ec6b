// How far V8 lets heaps grow before it collects their garbage: up to four times what lives in them,
// in every thread by itself. That costs least where memory is plenty. Where the process has become
// large, heaps may grow by half: a mixture of hostile requests took 860 MiB so in place of 970. Not
// always so: bulk indexing takes 5 % more processor time then.
//
// The limit is a flag of V8, which counts for all threads and is read at each collection.

import { MiB } from '../../format/bytes/index.ts'

/** Of memory, mapped files left out. An idle server has 80, one that works 200 to 350. */
const LARGE_BYTES = 448 * MiB
/** It counts as large until it is so much smaller: a flag that comes and goes helps little. */
const SMALLER_BYTES = 64 * MiB
/** Per cent of what lives. */
const GROWTH_WHERE_LARGE = 50
const GROWTH_OF_V8 = 0

/** Calls `set` with the growth that suits each size it is told, when that changes. */
export function heapGrowth(set: (percent: number) => void): (bytes: number) => void {
  let isLarge = false
  return (bytes) => {
    const wasLarge = isLarge
    isLarge = bytes >= (wasLarge ? LARGE_BYTES - SMALLER_BYTES : LARGE_BYTES)
    if (isLarge !== wasLarge) set(isLarge ? GROWTH_WHERE_LARGE : GROWTH_OF_V8)
  }
}
