// The young heap, for short-lived objects. V8 doubles it whenever enough of them survive, up to 16
// MiB in each of its halves, and both halves stay resident. The main thread has little use for
// that: searches run elsewhere.
//
// The main thread has no separate limit that a program could set. But V8 reads the growth factor
// whenever it grows a heap, and the initial size whenever it creates one. So once the main thread's
// heap is large enough, growth is disabled for all heaps, and threads that start later begin with
// the size that they would have grown to. Threads that already run have grown before
// (`growYoungHeap`).
//
// These are flags of V8. They are not set at start, because Node caches the code that V8 compiled
// of its modules, and V8 accepts cached code only under the same flags. With a changed flag, each
// thread would compile its code again.
import { getHeapSpaceStatistics } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'
import { isTuned, setFlag } from './tuning.ts'

/**
 * Size of the main thread's young heap, both halves together; other threads start with it or grow
 * to it.
 */
const ENOUGH_BYTES = 8 * MiB
/** Initial MiB of a half in another thread; less if its own limit is smaller. */
const FIRST_MEGABYTES = 4
/** Set once the young heap of the main thread is large enough. */
export const BOUND_FLAGS = [
  `--min-semi-space-size=${FIRST_MEGABYTES}`,
  '--semi-space-growth-factor=1',
]
/** The same flags as V8 sets them. */
export const UNBOUND_FLAGS = ['--min-semi-space-size=0', '--semi-space-growth-factor=2']
/** Objects that survive a collection of a heap of that size, and rounds that make it grow. */
const SURVIVORS = 20_000
const ROUNDS_MAX = 24

/**
 * Returns a function to be called now and then on the main thread: it calls `stop` once, when the
 * young heap has reached its size. `size`: returns the current size in bytes.
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
 * grow: 15 ms once, on an idle thread. If it may not grow, nothing happens. `size`: returns the
 * current size in bytes. Returns the number of rounds.
 */
export function growYoungHeap(size: () => number = youngHeapBytes): number {
  let rounds = 0
  for (; isTuned && size() < ENOUGH_BYTES && rounds < ROUNDS_MAX; rounds++) {
    const survivors: object[] = []
    for (let i = 0; i < SURVIVORS; i++) survivors.push({ i })
  }
  return rounds
}

function stopGrowth(): void {
  for (const flag of BOUND_FLAGS) setFlag(flag)
}

const youngHeapBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
