// Decompressed blocks, the least recently used leaving first. One cache can serve many readers, so
// that memory is bounded for all of them together.

type Entry = {
  readonly owner: Map<number, Entry>
  readonly block: number
  readonly bytes: Uint8Array
}

/** The blocks that one reader has in a cache. */
export type CachedBlocks = Map<number, Entry>

export class BlockCache {
  readonly bytesMax: number
  #bytes = 0
  /** Entries in order of use, oldest first. */
  readonly #order = new Set<Entry>()

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** What is held now. */
  get bytes(): number {
    return this.#bytes
  }

  get(owner: CachedBlocks, block: number): Uint8Array | null {
    const entry = owner.get(block)
    if (entry === undefined) return null
    this.#order.delete(entry)
    this.#order.add(entry)
    return entry.bytes
  }

  /** Keeps a block, unless it would take more than half of the room. */
  put(owner: CachedBlocks, block: number, bytes: Uint8Array): void {
    if (bytes.length * 2 > this.bytesMax) return
    const entry: Entry = { owner, block, bytes }
    owner.set(block, entry)
    this.#order.add(entry)
    this.#bytes += bytes.length
    for (const oldest of this.#order) {
      if (this.#bytes <= this.bytesMax) break
      this.#drop(oldest)
    }
  }

  /** Forgets all blocks of one reader. */
  forget(owner: CachedBlocks): void {
    for (const entry of owner.values()) this.#drop(entry)
  }

  #drop(entry: Entry): void {
    entry.owner.delete(entry.block)
    this.#order.delete(entry)
    this.#bytes -= entry.bytes.length
  }
}
