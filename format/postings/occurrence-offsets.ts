// Cached offsets of the occurrences of documents in long lists. A list has an entry point every 128
// documents, and a reader skips the documents between an entry point and the one it wants. The
// offsets found on the way are cached here, so later searches skip few documents or none.
import { LruCache } from '../cache/index.ts'
import { BLOCK_DOCUMENTS } from './limits.ts'

/**
 * Longest list in documents whose offsets are all cached. Of a longer one, those of every eighth
 * document are: skipping four documents takes as long as finding the rank of one.
 */
const EACH_DOCUMENTS_MAX = 16_384
const LONG_SHIFT = 3
/**
 * Capacity of one reader's cache in offsets, two bytes each, and for large segments in offsets for
 * each document. When it is full, all lists are dropped.
 */
const ALL_OFFSETS_MIN = 1_048_576
const OFFSETS_PER_DOCUMENT = 4
const ALL_OFFSETS_MAX = 8 * 1_048_576
const OFFSET_MAX = 0xffff
/**
 * Capacity of all readers of a thread in offsets: an import leaves hundreds of segments. The reader
 * that has added a list least recently drops its own.
 */
const THREAD_OFFSETS_MAX = 32 * 1_048_576

/** Offsets of one list. */
export type ListOffsets = {
  /** Binary logarithm of the distance of the documents whose offsets are cached. */
  readonly shift: number
  /** By rank of a document >>> shift: bytes from the entry point of its block. */
  readonly offsets: Uint16Array
  /** By block: number of offsets known after that of its first document, which is 0. */
  readonly known: Uint8Array
}

type Readers = LruCache<OccurrenceOffsets, OccurrenceOffsets>
const THREAD_OFFSETS: Readers = new LruCache(THREAD_OFFSETS_MAX)

export class OccurrenceOffsets {
  readonly #lists = new Map<number, ListOffsets>()
  readonly #readers: Readers
  readonly #offsetsMax: number
  #offsets = 0

  /** `documents`: number of documents of the segment. */
  constructor(documents: number, readers = THREAD_OFFSETS) {
    this.#readers = readers
    const wanted = documents * OFFSETS_PER_DOCUMENT
    this.#offsetsMax = Math.min(Math.max(ALL_OFFSETS_MIN, wanted), ALL_OFFSETS_MAX)
  }

  /** Returns the offsets of the list at `base`, or null if the list is too long to be cached. */
  of(base: number, documents: number): ListOffsets | null {
    return this.#lists.get(base) ?? this.#add(base, documents)
  }

  #add(base: number, documents: number): ListOffsets | null {
    const shift = documents > EACH_DOCUMENTS_MAX ? LONG_SHIFT : 0
    const count = Math.ceil(documents / (1 << shift))
    if (count > this.#offsetsMax / 2) return null
    if (this.#offsets + count > this.#offsetsMax) this.clear()
    this.#offsets += count
    for (const reader of this.#readers.set(this, this, this.#offsets)) reader.clear()
    const blocks = Math.ceil(documents / BLOCK_DOCUMENTS)
    const list = { shift, offsets: new Uint16Array(count), known: new Uint8Array(blocks) }
    this.#lists.set(base, list)
    return list
  }

  /** Drops all lists. */
  clear(): void {
    this.#lists.clear()
    this.#offsets = 0
    this.#readers.delete(this)
  }
}

/**
 * Records that a document's occurrences begin `offset` bytes after the entry point of its block.
 * `rank` is a multiple of the distance of cached offsets. Offsets are recorded in order; a call
 * that would leave a gap is ignored.
 */
export function noteOffset(list: ListOffsets, rank: number, offset: number): void {
  const inBlock = (rank % BLOCK_DOCUMENTS) >>> list.shift
  const block = Math.floor(rank / BLOCK_DOCUMENTS)
  const at = rank >>> list.shift
  if (inBlock !== list.known[block]! + 1 || offset > OFFSET_MAX || at >= list.offsets.length) {
    return
  }
  list.offsets[at] = offset
  list.known[block] = inBlock
}
