// How much of a batch one segment is built from, and how many threads may build at the same time.
// The size depends on the memory limit only, so that segments are the same with any number of
// threads; instead the limit bounds the number of threads.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/** Memory for building a segment as a multiple of its chunk: ten measured, plus a margin. */
const BUILD_MEMORY_FACTOR = 16
const CHUNK_BYTES_MIN = MiB
const CHUNK_BYTES_MAX = 32 * MiB

assert(CHUNK_BYTES_MIN < CHUNK_BYTES_MAX, 'the bounds of a chunk are in order')

/** Returns the bytes of a chunk. `indexingMemoryMax`: bytes that indexing may use. */
export function chunkBytesOf(indexingMemoryMax: number): number {
  const chunk = Math.floor(indexingMemoryMax / BUILD_MEMORY_FACTOR)
  return Math.min(Math.max(chunk, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX)
}

/**
 * Returns how many threads may build chunks of a size at the same time, including the batch thread.
 */
export function threadsAtOnce(indexingMemoryMax: number, chunkBytes: number): number {
  return Math.max(1, Math.floor(indexingMemoryMax / (BUILD_MEMORY_FACTOR * chunkBytes)))
}
