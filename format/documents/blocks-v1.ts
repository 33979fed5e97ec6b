// Blocks of records and their index · ./DOCUMENTS.md "BLKS", "BIDX"
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import { BLOCK_EXPANSION_MAX, BLOCK_RAW_BYTES_MAX } from './limits.ts'

const ENTRY_BYTES = 16
const ENTRY_WORDS = 4

/**
 * Decompresses a block to exactly `length` bytes, into `target` of that length if there is one.
 * @throws CorruptionError if the bytes were not written by the compressor
 */
export type Decompress = (bytes: Uint8Array, length: number, target?: Uint8Array) => Uint8Array

/** Returns memory for a block. */
export type BlockRoom = { readonly room: (length: number) => Uint8Array }

/** The blocks of a segment and their index, which is verified and checked by the constructor. */
export class Blocks {
  readonly count: number
  readonly #data: Section
  readonly #decompress: Decompress
  /** Four words per block: firstPosition, rawBytes, offset low, offset high. */
  readonly #words: Uint32Array

  /** `documents` is the number of documents of the segment. @throws CorruptionError */
  constructor(index: Section, data: Section, documents: number, decompress: Decompress) {
    index.all()
    this.#data = data
    this.#decompress = decompress
    this.#words = index.u32()
    this.count = index.length / ENTRY_BYTES - 1
    if (!Number.isInteger(this.count) || this.count < 0) {
      refuse('BIDX', 0, 'bad_length', '16 × blocks + 16', index.length)
    }
    if (this.firstPosition(0) !== 0 || this.#offset(0) !== 0) {
      refuse('BIDX', 0, 'bad_value', 'position 0 at 0', this.firstPosition(0))
    }
    for (let block = 0; block < this.count; block++) this.#check(block)
    const end = this.firstPosition(this.count)
    if (end !== documents || this.#raw(this.count) !== 0) {
      refuse('BIDX', this.count * ENTRY_BYTES, 'bad_value', documents, end)
    }
    const bytes = this.#offset(this.count)
    if (bytes !== data.length) refuse('BIDX', index.length - 8, 'bad_length', data.length, bytes)
  }

  #check(block: number): void {
    const at = block * ENTRY_BYTES
    const stored = this.#offset(block + 1) - this.#offset(block)
    const raw = this.#raw(block)
    if (this.firstPosition(block + 1) <= this.firstPosition(block)) {
      refuse('BIDX', at + ENTRY_BYTES, 'bad_order', `> ${this.firstPosition(block)}`, 'less')
    }
    if (stored <= 0 || stored > raw) refuse('BIDX', at + 8, 'bad_value', `1 to ${raw}`, stored)
    if (raw > BLOCK_RAW_BYTES_MAX || raw > stored * BLOCK_EXPANSION_MAX) {
      refuse('BIDX', at + 4, 'bad_value', `at most ${stored} × ${BLOCK_EXPANSION_MAX}`, raw)
    }
  }

  /** Returns the position of a block's first record; for `count`, the number of documents. */
  firstPosition(block: number): number {
    return this.#words[block * ENTRY_WORDS]!
  }

  #raw(block: number): number {
    return this.#words[block * ENTRY_WORDS + 1]!
  }

  #offset(block: number): number {
    const word = block * ENTRY_WORDS + 2
    return this.#words[word + 1]! * 2 ** 32 + this.#words[word]!
  }

  /** Returns the block that holds a position. O(log blocks) */
  blockOf(position: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.firstPosition(middle) <= position) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /**
   * Returns a block's bytes, in memory of `memory` if there is any; a view of the file if the block
   * is not compressed. @throws CorruptionError
   */
  read(block: number, memory?: BlockRoom): Uint8Array {
    assert(block >= 0 && block < this.count, 'a block is read that exists')
    const from = this.#offset(block)
    const stored = this.#data.read(from, this.#offset(block + 1) - from)
    const raw = this.#raw(block)
    if (stored.length === raw) return stored
    const bytes = this.#decompress(stored, raw, memory?.room(raw))
    if (bytes.length !== raw) refuse('BLKS', from, 'bad_length', raw, bytes.length)
    return bytes
  }
}

/** The records of one block: record i is bytes[starts[i], starts[i + 1]). */
export class BlockRecords {
  count = 0
  starts: Uint32Array = new Uint32Array(65)

  /** Reads the lengths of `count` records. @throws CorruptionError */
  read(bytes: Uint8Array, count: number): void {
    if (count > bytes.length) refuse('BLKS', 0, 'bad_value', `records in ${bytes.length}`, count)
    if (count >= this.starts.length) this.starts = new Uint32Array(count + 1)
    let at = 0
    let total = 0
    for (let i = 0; i < count; i++) {
      this.starts[i] = total
      let length = 0
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++]
        if (byte === undefined || scale > 2 ** 28) {
          refuse('BLKS', at, 'bad_length', 'the length of a record', 'none')
        }
        length += (byte & 127) * scale
        if (byte < 128) break
      }
      total += length
    }
    if (at + total !== bytes.length) refuse('BLKS', at, 'bad_length', bytes.length, at + total)
    this.starts[count] = total
    for (let i = 0; i <= count; i++) this.starts[i]! += at
    this.count = count
  }
}
