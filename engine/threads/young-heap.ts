// Room for short-lived objects. V8 doubles it whenever enough of them survive, up to 16 MiB in each
// of its halves, and both halves stay resident. For the main thread that is 30 MB for little: with
// 4 MiB a half, searches were as fast as far as could be measured.
//
// The main thread has no limit of its own that a program could set. But V8 reads the factor of
// growth whenever it grows a heap, and the size to begin with whenever it makes one. So once the
// main thread has enough, no heap grows any more, and threads that start later begin with the room
// that they would come to have. Threads that run by then have grown before (`growYoungHeap`).
//
// These are flags of V8, and not set at start for a reason: Node keeps what V8 compiled of its own
// modules, and V8 takes that only under the flags it was made with. With a changed flag, a thread
// takes 25 ms of a processor more to start.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'

/** What the main thread may have, both halves together; others begin with it or grow to it. */
const ENOUGH_BYTES = 8 * MiB
/** What a half of another thread begins with, in MiB; less where its own limit is smaller. */
const FIRST_MEGABYTES = 4
/** Objects that survive a collection of a heap of that size, and rounds that make it grow. */
const SURVIVORS = 20_000
const ROUNDS_MAX = 24

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
    if (isBound || size() < ENOUGH_BYTES) return
    isBound = true
    stop()
  }
}

/**
 * Makes the young heap of the calling thread as large as work would make it, while it may still
 * grow: 15 ms once, with nothing else to do. Where it may not grow, nothing happens. `size`: what
 * it has now, in bytes. Returns how many rounds it took.
 */
export function growYoungHeap(size: () => number = youngHeapBytes): number {
  let rounds = 0
  for (; size() < ENOUGH_BYTES && rounds < ROUNDS_MAX; rounds++) {
    const survivors: object[] = []
    for (let i = 0; i < SURVIVORS; i++) survivors.push({ i })
  }
  return rounds
}

function stopGrowth(): void {
  setFlagsFromString(`--min-semi-space-size=${FIRST_MEGABYTES}`)
  setFlagsFromString('--semi-space-growth-factor=1')
}

const youngHeapBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
