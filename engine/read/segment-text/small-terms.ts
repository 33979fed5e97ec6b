// A hash table of the terms of a segment other than the largest, built once: a search looks up each
// of its words in every segment of a view, nearly always without success. The table decides that in
// 10 ns, the dictionary in 300.
//
// Novel terms are terms that no larger segment has, so that a walk over large dictionaries misses
// them. An update of existing documents has few novel terms, so that a walk over all segments costs
// about as much as a walk over the large ones.
import { encoder } from '../../../format/bytes/index.ts'
import { type Fst, FstCursor, hashOf } from '../../../format/fst/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'

/** Hash of a text's UTF-8 bytes. Most words are ASCII, which is hashed without encoding. */
export function hashOfText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) {
      const bytes = encoder.encode(text)
      return hashOf(bytes, bytes.length)
    }
    hash = Math.imul(hash ^ unit, 0x01000193)
  }
  return hash >>> 0
}

/** Slots for each term: an unsuccessful probe visits one and a half slots on average. */
const SLOTS_PER_TERM = 2

export class SmallTerms {
  readonly #fst: Fst
  /** Hashes by slot; 0 for an empty slot. */
  readonly #slots: Uint32Array
  readonly #mask: number
  #novel: readonly Uint8Array[] | null = null
  /** The dictionaries that lack the novel terms. */
  #novelTo: readonly Fst[] = []

  private constructor({ fst }: TextReader) {
    this.#fst = fst
    const bits = 32 - Math.clz32(Math.max(1, fst.size * SLOTS_PER_TERM))
    this.#slots = new Uint32Array(1 << bits)
    this.#mask = this.#slots.length - 1
    for (const cursor = new FstCursor(fst); cursor.next(); ) {
      this.#insert(hashOf(cursor.bytes, cursor.length))
    }
  }

  static readonly #byReader = new WeakMap<TextReader, SmallTerms>()

  /** Returns the instance of a segment, created on first use. */
  static of(reader: TextReader): SmallTerms {
    let terms = SmallTerms.#byReader.get(reader)
    if (terms === undefined) SmallTerms.#byReader.set(reader, (terms = new SmallTerms(reader)))
    return terms
  }

  #insert(hash: number): void {
    const slots = this.#slots
    const wanted = slotHash(hash)
    let slot = wanted & this.#mask
    while (slots[slot] !== 0) {
      if (slots[slot] === wanted) return
      slot = (slot + 1) & this.#mask
    }
    slots[slot] = wanted
  }

  /** Returns false if no term has this hash. */
  mayHave(hash: number): boolean {
    const slots = this.#slots
    const wanted = slotHash(hash)
    let slot = wanted & this.#mask
    while (slots[slot] !== 0) {
      if (slots[slot] === wanted) return true
      slot = (slot + 1) & this.#mask
    }
    return false
  }

  /**
   * Returns the terms that none of the dictionaries has, ascending. Cached for the same
   * dictionaries.
   */
  novelTo(others: readonly Fst[]): readonly Uint8Array[] {
    const isSame =
      others.length === this.#novelTo.length && others.every((fst, i) => fst === this.#novelTo[i])
    if (this.#novel !== null && isSame) return this.#novel
    const novel: Uint8Array[] = []
    for (const cursor = new FstCursor(this.#fst); cursor.next(); ) {
      const { bytes, length } = cursor
      if (!others.some((fst) => fst.ordinalOf(bytes, 0, length) >= 0)) {
        novel.push(bytes.slice(0, length))
      }
    }
    this.#novel = novel
    this.#novelTo = others
    return novel
  }
}

/** 0 marks an empty slot. */
const slotHash = (hash: number): number => (hash === 0 ? 1 : hash)
