// How much of a batch one segment is built from, and how many threads may build at once. The size
// depends on the memory limit alone: segments are the same with any number of threads. The limit
// bounds the threads instead.
import { MiB } from '../../../format/bytes/index.ts'

/** What building a segment takes, in times the size of its chunk: ten, and some room. */
const BUILD_MEMORY_FACTOR = 16
const CHUNK_BYTES_MIN = MiB
const CHUNK_BYTES_MAX = 32 * MiB

/** `indexingMemoryMax`: what indexing may use, in bytes. */
export function chunkBytesOf(indexingMemoryMax: number): number {
  const chunk = Math.floor(indexingMemoryMax / BUILD_MEMORY_FACTOR)
  return Math.min(Math.max(chunk, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX)
}

/** How many threads may build segments of chunks of a size at once, the batch thread included. */
export function threadsAtOnce(indexingMemoryMax: number, chunkBytes: number): number {
  return Math.max(1, Math.floor(indexingMemoryMax / (BUILD_MEMORY_FACTOR * chunkBytes)))
}
