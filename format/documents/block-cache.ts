// Decompressed blocks, those that were not used lately leaving first. One cache can serve many
// readers, so that memory is bounded for all of them together.

type Entry = {
  readonly owner: Map<number, Entry>
  readonly block: number
  readonly bytes: Uint8Array
  /** Since room was last needed. */
  wasUsed: boolean
}

/** The blocks that one reader has in a cache. */
export type CachedBlocks = Map<number, Entry>

export class BlockCache {
  readonly bytesMax: number
  #bytes = 0
  /** The oldest first; what was used when its turn to leave came counts as new. */
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
    entry.wasUsed = true
    return entry.bytes
  }

  /** Keeps a block, unless it would take more than half of the room. */
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
