// Entries of any length in blocks of 16, with the offset of each block · layout: ./FIELDS.md
//
//   offsets u32 × (blocks − 1) · entries
import { u32At } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { PartReader } from './parts.ts'

/** Number of entries of a block; the last block may have fewer. */
export const BLOCK = 16

/** Locates blocks of entries in place. */
export class BlockEntries {
  /** Offset of the first entry in the section. */
  readonly at: number
  readonly #section: Section
  readonly #count: number
  readonly #offsetsAt: number
  readonly #bytes: number

  /** `count` entries of `bytes` bytes in total are the next two parts of `reader`. */
  constructor(section: Section, count: number, bytes: number, reader: PartReader) {
    this.#section = section
    this.#count = count
    this.#bytes = bytes
    this.#offsetsAt = reader.part(Math.max(0, Math.ceil(count / BLOCK) - 1) * 4, 4)
    this.at = reader.part(bytes, 1)
  }

  /** Returns the offset of block `block` in the section, without verifying its bytes. */
  begin(block: number): number {
    return this.at + this.#offset(block)
  }

  /** Returns the offset of the end of block `block` in the section. */
  end(block: number): number {
    return this.at + this.#offset(block + 1)
  }

  /** Verifies block `block` and returns its offset in the section. @throws CorruptionError */
  enter(block: number): number {
    assert(block >= 0 && block * BLOCK < this.#count, 'a block is entered that exists')
    const begin = this.begin(block)
    const end = this.end(block)
    if (begin >= end) refuse(this.#section.tag, begin, 'bad_order', end, begin)
    this.#section.touch(begin, end - begin)
    return begin
  }

  #offset(block: number): number {
    if (block === 0) return 0
    if (block * BLOCK >= this.#count) return this.#bytes
    const at = this.#offsetsAt + (block - 1) * 4
    this.#section.touch(at, 4)
    const offset = u32At(this.#section.bytes, at)
    if (offset > this.#bytes) refuse(this.#section.tag, at, 'bad_value', this.#bytes, offset)
    return offset
  }
}
