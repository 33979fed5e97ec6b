// Makes V8 collect the garbage of a thread that has finished large work and is idle. Idle threads
// allocate nothing, so V8 would leave their garbage: above all the buffers of a bulk.
//
// A collection that a program forces discards optimized code whose objects are gone at that moment,
// and the next batch compiles it again. V8 keeps such code through the next collections that it
// begins itself. It begins one when buffers of 64 MiB are allocated since the last one. So this
// module allocates a buffer of that size that is never touched: it occupies addresses, no memory.
import { MiB } from '../../format/bytes/index.ts'
import { isTuned } from './tuning.ts'

const BLOCK_BYTES = 64 * MiB
/** V8 marks and sweeps between tasks of the thread. */
const CHECK_MS = 5
/** One or two blocks are usual. */
const BLOCKS_MAX = 8

/** Buffers of the calling thread. */
export type Buffers = {
  /** Bytes of all buffers that V8 has not freed. */
  readonly bytes: () => number
  /** Allocates a buffer to which nothing refers. @throws RangeError if there is no room */
  readonly allocate: (bytes: number) => void
}

const THREAD_BUFFERS: Buffers = {
  bytes: () => process.memoryUsage().arrayBuffers,
  allocate: (bytes) => void new ArrayBuffer(bytes),
}

/** Calls `done` when V8 has freed buffers, or after 40 ms. */
export function encourageCollection(done: () => void, buffers: Buffers = THREAD_BUFFERS): void {
  let blocks = 0
  let before = 0
  const next = (): void => {
    const bytes = buffers.bytes()
    const isCollected = blocks > 0 && bytes < before + BLOCK_BYTES
    if (!isTuned || isCollected || blocks === BLOCKS_MAX) {
      done()
      return
    }
    before = bytes
    try {
      buffers.allocate(BLOCK_BYTES)
    } catch (error) {
      // The system does not provide that many addresses: the garbage stays.
      if (!(error instanceof RangeError)) throw error
      done()
      return
    }
    blocks++
    setTimeout(next, CHECK_MS)
  }
  next()
}
