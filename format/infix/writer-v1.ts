// Collects the grams of the terms of a segment and writes them · layout: ./INFIX.md
//
// Memory: eight bytes for each gram of each term, and the distinct grams. Time: an interned string
// for each gram of each term.
import { ByteWriter, compareBytes, lengthened, SPACE, withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { ByteInterner } from '../fields/index.ts'
import { FstBuilder } from '../fst/index.ts'
import { FIELDS_MAX, type FieldId, type TermOrdinal } from '../ids.ts'
import { characterStarts } from './characters.ts'
import { GRAM_CHARS, GRAM_TEXT_BYTES_MAX } from './limits.ts'

export class InfixWriter {
  /** By field id: 1 if its terms are covered. */
  readonly #covered: Uint8Array
  /** By field id: 1 if a covered term occurs in it. */
  readonly #found: Uint8Array
  readonly #grams = new ByteInterner()
  /** By gram: the ordinal of the last term that has it, plus 1. */
  #last = new Uint32Array(1024)
  /** Each gram of each term, once: parallel arrays. */
  #gramOf = new Uint32Array(1024)
  #ordinalOf = new Uint32Array(1024)
  #count = 0
  readonly #starts = new Uint16Array(GRAM_TEXT_BYTES_MAX + 1)

  /** `fields`: those whose terms are covered. */
  constructor(fields: readonly FieldId[]) {
    this.#covered = new Uint8Array(FIELDS_MAX)
    this.#found = new Uint8Array(FIELDS_MAX)
    for (const field of fields) this.#covered[field] = 1
  }

  /**
   * Adds the next term by ordinal, with its occurrences packed[from, to): `field << 16 | position`.
   */
  term(
    ordinal: TermOrdinal,
    bytes: Uint8Array,
    packed: Uint32Array,
    from: number,
    to: number,
  ): void {
    // Terms of stop words and of spellings begin with a control character.
    if (bytes[0]! < SPACE) return
    const starts = this.#starts
    const characters = characterStarts(bytes, bytes.length, starts)
    if (characters < GRAM_CHARS || !this.#isCovered(packed, from, to)) return
    const room = this.#count + characters
    this.#gramOf = withRoom(this.#gramOf, room)
    this.#ordinalOf = withRoom(this.#ordinalOf, room)
    for (let i = 0; i + GRAM_CHARS <= characters; i++) {
      const gram = this.#grams.intern(bytes, starts[i]!, starts[i + GRAM_CHARS]!)
      if (gram >= this.#last.length) this.#last = lengthened(this.#last, gram * 2)
      if (this.#last[gram] === ordinal + 1) continue
      this.#last[gram] = ordinal + 1
      this.#gramOf[this.#count] = gram
      this.#ordinalOf[this.#count++] = ordinal
    }
  }

  /** Notes all fields of the occurrences, so that the result does not depend on their order. */
  #isCovered(packed: Uint32Array, from: number, to: number): boolean {
    let isCovered = false
    for (let i = from; i < to; i++) {
      const field = packed[i]! >>> 16
      if (this.#covered[field] === 0) continue
      this.#found[field] = 1
      isCovered = true
    }
    return isCovered
  }

  /** Returns the section, or null if no term is covered. */
  finish(): Uint8Array | null {
    if (this.#count === 0) return null
    const order = this.#sortedGrams()
    const dictionary = this.#dictionary(order)
    const { lists, offsets } = this.#lists(order)
    const found = this.#found
    const fields: number[] = []
    for (let at = found.indexOf(1); at >= 0; at = found.indexOf(1, at + 1)) fields.push(at)
    const out = new ByteWriter(lists.length + dictionary.length + offsets.length * 4)
    out.u32(fields.length)
    out.u32(order.length)
    out.u32(dictionary.length)
    out.u32(0)
    for (const field of fields) out.u32(field)
    for (const offset of offsets) out.u32(offset)
    out.bytes(dictionary)
    out.bytes(lists)
    return out.finish()
  }

  /** Returns the grams in byte order. */
  #sortedGrams(): readonly Uint8Array[] {
    const { bytes, count, starts } = this.#grams
    const grams: Uint8Array[] = []
    for (let i = 0; i < count; i++) grams.push(bytes.subarray(starts[i]!, starts[i + 1]!))
    return grams.sort(compareBytes)
  }

  #dictionary(order: readonly Uint8Array[]): Uint8Array {
    const out = new ByteWriter(order.length * 4)
    const fst = new FstBuilder((bytes) => out.bytes(bytes))
    for (const gram of order) fst.add(gram)
    fst.finish()
    return out.finish()
  }

  /** Groups ordinals by gram in the given order: a counting sort, stable in ordinals. */
  #lists(order: readonly Uint8Array[]): { lists: Uint8Array; offsets: Uint32Array } {
    const next = new Uint32Array(this.#grams.count)
    for (let i = 0; i < this.#count; i++) next[this.#gramOf[i]!]! += 1
    const ids = order.map((gram) => this.#grams.intern(gram, 0, gram.length))
    const ends = new Uint32Array(order.length)
    let end = 0
    for (let rank = 0; rank < ids.length; rank++) {
      const id = ids[rank]!
      const size = next[id]!
      next[id] = end
      end += size
      ends[rank] = end
    }
    const ordinals = new Uint32Array(this.#count)
    for (let i = 0; i < this.#count; i++) {
      ordinals[next[this.#gramOf[i]!]!++] = this.#ordinalOf[i]!
    }
    const out = new ByteWriter(this.#count + (this.#count >> 2))
    const offsets = new Uint32Array(order.length + 1)
    for (let rank = 0, i = 0; rank < order.length; rank++) {
      offsets[rank] = out.length
      for (let least = 0; i < ends[rank]!; i++) {
        out.varint(ordinals[i]! - least)
        least = ordinals[i]! + 1
      }
    }
    assert(out.length < 2 ** 32, 'lists of grams stay below 4 GiB')
    offsets[order.length] = out.length
    return { lists: out.finish(), offsets }
  }
}
