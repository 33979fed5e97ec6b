// A cache of decompressed blocks with a second-chance eviction. Many readers can share one cache,
// which bounds their memory together.
//
// A cache that recycles memory decompresses blocks into the memory of evicted ones. Without that,
// blocks would be most of the garbage of searches.
import { assert } from '../errors.ts'
import { RECYCLED_BLOCK_BYTES_MAX, RECYCLED_BYTES_MAX } from './limits.ts'

type Entry = {
  readonly owner: Map<number, Entry>
  readonly block: number
  readonly bytes: Uint8Array
  /** True if the block was read since the eviction last passed it. */
  wasUsed: boolean
}

/** The blocks of one reader in a cache. */
export type CachedBlocks = Map<number, Entry>

/** Memory of blocks has a multiple of this length, so that it fits other blocks. */
const ROOM_BYTES = 2048

export class BlockCache {
  readonly bytesMax: number
  readonly #recycles: boolean
  #bytes = 0
  /** Memory of evicted blocks, from which records may still be read. */
  #evicted: ArrayBufferLike[] = []
  #evictedBytes = 0
  /** Memory for other blocks, by length. */
  readonly #free = new Map<number, ArrayBufferLike[]>()
  #freeBytes = 0
  /** In order of insertion. A block that was used when it reached the front moves to the end. */
  readonly #order = new Set<Entry>()

  /** `recycles`: the owner calls `recycle`. */
  constructor(bytesMax: number, recycles = false) {
    this.bytesMax = bytesMax
    this.#recycles = recycles
  }

  /** Bytes in the cache. */
  get bytes(): number {
    return this.#bytes
  }

  get(owner: CachedBlocks, block: number): Uint8Array | null {
    const entry = owner.get(block)
    if (entry === undefined) return null
    entry.wasUsed = true
    return entry.bytes
  }

  /** Returns memory for a block of that length, with any content. */
  room(length: number): Uint8Array {
    if (!this.#recycles || length > RECYCLED_BLOCK_BYTES_MAX) return new Uint8Array(length)
    const bytes = Math.ceil(length / ROOM_BYTES) * ROOM_BYTES
    const buffer = this.#free.get(bytes)?.pop()
    if (buffer === undefined) return new Uint8Array(new ArrayBuffer(bytes), 0, length)
    this.#freeBytes -= bytes
    return new Uint8Array(buffer, 0, length)
  }

  /**
   * Lets other blocks overwrite evicted ones. Call it when no record that was read before is in
   * use.
   */
  recycle(): void {
    if (this.#evicted.length === 0) return
    for (const buffer of this.#evicted) {
      if (this.#freeBytes + buffer.byteLength > RECYCLED_BYTES_MAX) break
      this.#freeBytes += buffer.byteLength
      const same = this.#free.get(buffer.byteLength)
      if (same === undefined) this.#free.set(buffer.byteLength, [buffer])
      else same.push(buffer)
    }
    this.#evicted = []
    this.#evictedBytes = 0
  }

  /** Caches a block, unless it would take more than half of the capacity. */
  put(owner: CachedBlocks, block: number, bytes: Uint8Array): void {
    if (bytes.length * 2 > this.bytesMax) return
    const entry: Entry = { owner, block, bytes, wasUsed: true }
    owner.set(block, entry)
    this.#order.add(entry)
    this.#bytes += bytes.length
    for (const oldest of this.#order) {
      if (this.#bytes <= this.bytesMax) break
      if (!oldest.wasUsed) {
        this.#drop(oldest)
        continue
      }
      oldest.wasUsed = false
      this.#order.delete(oldest)
      this.#order.add(oldest)
    }
  }

  /** Drops all blocks of one reader. */
  forget(owner: CachedBlocks): void {
    for (const entry of owner.values()) this.#drop(entry)
  }

  #drop(entry: Entry): void {
    entry.owner.delete(entry.block)
    this.#order.delete(entry)
    this.#bytes -= entry.bytes.length
    assert(this.#bytes >= 0, 'a cache holds no negative number of bytes')
    const { buffer } = entry.bytes
    const isRoom = buffer.byteLength % ROOM_BYTES === 0 && entry.bytes.byteOffset === 0
    if (!this.#recycles || !isRoom || buffer.byteLength > RECYCLED_BLOCK_BYTES_MAX) return
    if (this.#evictedBytes + buffer.byteLength > RECYCLED_BYTES_MAX) return
    this.#evicted.push(buffer)
    this.#evictedBytes += buffer.byteLength
  }
}
