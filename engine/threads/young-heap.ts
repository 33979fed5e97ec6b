// Room for short-lived objects. V8 doubles it whenever enough of them survive, up to 16 MiB in each
// of its halves, and both halves stay resident. For the main thread that is 30 MB for little: with
// 4 MiB a half, searches were as fast as far as could be measured.
//
// The main thread has no limit of its own that a program could set. But V8 reads the factor of
// growth whenever it grows a heap, and the size to begin with whenever it makes one. So other
// threads begin with the room that they would come to have, and nothing grows once the main thread
// has enough.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'

/** What the main thread may have, both halves together. */
const MAIN_BYTES = 8 * MiB
/** What a half of another thread begins with, in MiB; less where its own limit is smaller. */
const FIRST_MEGABYTES = 4

/** Call it before other threads are started. */
export const giveThreadsYoungHeaps = (): void =>
  setFlagsFromString(`--min-semi-space-size=${FIRST_MEGABYTES}`)

/**
 * To be called now and then on the main thread: calls `stop` once, when its young heap is as large
 * as it is to be. `size`: what it has now, in bytes.
 */
export function youngHeapBound(
  size: () => number = youngHeapBytes,
  stop: () => void = stopGrowth,
): () => void {
  let isBound = false
  return () => {
    if (isBound || size() < MAIN_BYTES) return
    isBound = true
    stop()
  }
}

const stopGrowth = (): void => setFlagsFromString('--semi-space-growth-factor=1')

const youngHeapBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
