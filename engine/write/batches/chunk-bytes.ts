// How much of a batch one segment is built from.
const MIB = 1024 * 1024
/**
 * A chunk takes ten times its size while it is built: it gets a part of the memory that there is.
 */
const CHUNK_MEMORY_SHARE = 16
const CHUNK_BYTES_MIN = MIB
const CHUNK_BYTES_MAX = 32 * MIB

/** `indexingMemoryMax`: what indexing may use, in bytes; `threads` share it. */
export function chunkBytesOf(indexingMemoryMax: number, threads: number): number {
  const chunk = Math.floor(indexingMemoryMax / (CHUNK_MEMORY_SHARE * threads))
  return Math.min(Math.max(chunk, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX)
}
