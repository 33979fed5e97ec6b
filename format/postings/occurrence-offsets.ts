// Where the occurrences of each document of a long list lie. A list has an entry point every 128
// documents, and a reader passes over the documents between an entry point and its own. Offsets
// that were found that way are kept here, so that the next search goes to its documents at once.
import { BLOCK_DOCUMENTS } from './limits.ts'

/** Lists of more documents are not remembered: one of them would take all of the room. */
const DOCUMENTS_MAX = 131_072
/** Of one reader, in documents, two bytes each; beyond that all lists are forgotten. */
const ALL_DOCUMENTS_MAX = 1_048_576
const OFFSET_MAX = 0xffff

/** Of one list. */
export type ListOffsets = {
  /** By rank of a document: bytes from the entry point of its block to its occurrences. */
  readonly offsets: Uint16Array
  /** By block: up to which of its documents offsets are known. The first has 0. */
  readonly known: Uint8Array
}

export class OccurrenceOffsets {
  readonly #lists = new Map<number, ListOffsets>()
  #documents = 0

  /** Those of the list at `base`; null: it is too long. */
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

/** Notes that a document's occurrences begin `offset` bytes behind the entry point of its block. */
export function noteOffset(list: ListOffsets, rank: number, offset: number): void {
  const inBlock = rank % BLOCK_DOCUMENTS
  const block = (rank - inBlock) / BLOCK_DOCUMENTS
  if (inBlock !== list.known[block]! + 1 || offset > OFFSET_MAX || rank >= list.offsets.length) {
    return
  }
  list.offsets[rank] = offset
  list.known[block] = inBlock
}
