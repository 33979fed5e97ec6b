// A cache of decompressed blocks with a second-chance eviction. Many readers can share one cache,
// which bounds their memory together.
import { assert } from '../errors.ts'

type Entry = {
  readonly owner: Map<number, Entry>
  readonly block: number
  readonly bytes: Uint8Array
  /** True if the block was read since the eviction last passed it. */
  wasUsed: boolean
}

/** The blocks of one reader in a cache. */
export type CachedBlocks = Map<number, Entry>

export class BlockCache {
  readonly bytesMax: number
  #bytes = 0
  /** In order of insertion. A block that was used when it reached the front moves to the end. */
  readonly #order = new Set<Entry>()

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
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
  }
}
