// The memory of the caches of searches: one budget for all threads, and the bytes that they hold.
//
// Each thread has an equal share. In it, documents and facet values have fixed limits of at most an
// eighth; the rest is for computed results, mostly sets (`segment-text/set-cache.ts`).
import { MiB } from '../../../format/bytes/index.ts'
import type { CacheLimits } from '../jobs/index.ts'

/** Owners of cached bytes: see CACHES.md. */
export const CACHE_OWNERS = [
  'documents',
  'facets',
  'sets',
  'pairs',
  'words',
  'bounds',
  'boosts',
] as const
export type CacheBytes = Readonly<Record<(typeof CACHE_OWNERS)[number], number>>

/** Bytes of decompressed blocks of documents in a thread: more than those of a page of hits. */
const BLOCK_BYTES_MAX = 16 * MiB
/** Bytes of folded facet values in a thread: a million values of 50 bytes. */
export const FOLDED_BYTES_MAX = 64 * MiB
/** Part of a thread's share that documents, or facet values, may take at most. */
const FIXED_PART = 8

/** Returns the limits of each of `threads` threads; `bytesMax`: for all together. */
export function cacheLimits(bytesMax: number, threads: number): CacheLimits {
  const share = Math.floor(bytesMax / threads)
  const blockBytesMax = Math.min(BLOCK_BYTES_MAX, Math.floor(share / FIXED_PART))
  const foldedBytesMax = Math.min(FOLDED_BYTES_MAX, Math.floor(share / FIXED_PART))
  return { blockBytesMax, foldedBytesMax, setBytesMax: share - blockBytesMax - foldedBytesMax }
}

/** The bytes that the caches of each thread hold, in memory shared with the threads. */
export class HeldBytes {
  readonly shared: SharedArrayBuffer
  readonly #bytes: Float64Array

  constructor(threads: number) {
    this.shared = new SharedArrayBuffer(threads * CACHE_OWNERS.length * 8)
    this.#bytes = new Float64Array(this.shared)
  }

  /** Notes that a thread has ended. */
  forget(thread: number): void {
    this.#bytes.fill(0, thread * CACHE_OWNERS.length, (thread + 1) * CACHE_OWNERS.length)
  }

  /** Returns the bytes of all threads. */
  total(): CacheBytes {
    const total = Object.fromEntries(CACHE_OWNERS.map((owner) => [owner, 0])) as Record<
      (typeof CACHE_OWNERS)[number],
      number
    >
    for (let i = 0; i < this.#bytes.length; i++) {
      total[CACHE_OWNERS[i % CACHE_OWNERS.length]!] += this.#bytes[i]!
    }
    return total
  }
}

/** Notes the bytes that the caches of a thread hold; only that thread writes them. */
export function noteHeld(shared: SharedArrayBuffer, thread: number, held: CacheBytes): void {
  const bytes = new Float64Array(shared, thread * CACHE_OWNERS.length * 8, CACHE_OWNERS.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = held[CACHE_OWNERS[i]!]
}
