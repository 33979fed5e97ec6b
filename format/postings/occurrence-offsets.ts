// Cached offsets of the occurrences of each document in long lists. A list has an entry point every
// 128 documents, and a reader skips the documents between an entry point and the one it wants. The
// offsets found on the way are cached here, so later searches seek directly.
import { BLOCK_DOCUMENTS } from './limits.ts'

/**
 * Longest list in documents whose offsets are cached: a longer one would fill most of the cache.
 */
const DOCUMENTS_MAX = 131_072
/**
 * Capacity of one reader's cache in documents, two bytes each. When it is full, all lists are
 * dropped.
 */
const ALL_DOCUMENTS_MAX = 1_048_576
const OFFSET_MAX = 0xffff

/** Offsets of one list. */
export type ListOffsets = {
  /** By rank of a document: bytes from the entry point of its block to its occurrences. */
  readonly offsets: Uint16Array
  /** By block: the highest index in the block whose offset is known. Index 0 is always known: 0. */
  readonly known: Uint8Array
}

export class OccurrenceOffsets {
  readonly #lists = new Map<number, ListOffsets>()
  #documents = 0

  /** Returns the offsets of the list at `base`, or null if the list is too long to be cached. */
  of(base: number, documents: number): ListOffsets | null {
    const list = this.#lists.get(base)
    if (list !== undefined) return list
    return documents > DOCUMENTS_MAX ? null : this.#add(base, documents)
  }

  #add(base: number, documents: number): ListOffsets {
    if (this.#documents + documents > ALL_DOCUMENTS_MAX) {
      this.#lists.clear()
      this.#documents = 0
    }
    this.#documents += documents
    const blocks = Math.ceil(documents / BLOCK_DOCUMENTS)
    const list = { offsets: new Uint16Array(documents), known: new Uint8Array(blocks) }
    this.#lists.set(base, list)
    return list
  }
}

/**
 * Records that a document's occurrences begin `offset` bytes after the entry point of its block.
 * Offsets are recorded in order; a call that would leave a gap is ignored.
 */
export function noteOffset(list: ListOffsets, rank: number, offset: number): void {
  const inBlock = rank % BLOCK_DOCUMENTS
  const block = (rank - inBlock) / BLOCK_DOCUMENTS
  if (inBlock !== list.known[block]! + 1 || offset > OFFSET_MAX || rank >= list.offsets.length) {
    return
  }
  list.offsets[rank] = offset
  list.known[block] = inBlock
}
