// Tables of postings: the offset of each, and the section that they refer to · layout: ./POSTINGS.md
import { refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import { PostingReader } from './posting-decode-v1.ts'
import type { TextMeta } from './text-meta-v1.ts'

export class PostingTable {
  /** By index: offset of a posting; then the end of the last one. */
  readonly offsets: Uint32Array
  readonly #section: Section
  readonly reader: PostingReader

  constructor(section: Section, offsets: Section, count: number, meta: TextMeta) {
    if (offsets.length !== (count + 1) * 4) {
      refuse(offsets.tag, 0, 'bad_length', (count + 1) * 4, offsets.length)
    }
    offsets.all()
    this.offsets = offsets.u32()
    this.#section = section
    if (this.offsets[count] !== section.length) {
      refuse(offsets.tag, count * 4, 'bad_value', section.length, this.offsets[count]!)
    }
    this.reader = new PostingReader(section.bytes, meta.idMin, meta.documents)
  }

  /** Verifies the bytes of posting `index` and returns its offset. @throws CorruptionError */
  at(index: number): number {
    const from = this.offsets[index]!
    const to = this.offsets[index + 1]!
    if (to <= from) refuse(this.#section.tag, from, 'bad_order', `> ${from}`, to)
    this.#section.touch(from, to - from)
    return from
  }

  /** Verifies the bytes of the adjacent postings [from, to) in one call. @throws CorruptionError */
  touchRange(from: number, to: number): void {
    const begin = this.offsets[from]!
    const end = this.offsets[to]!
    if (end < begin) refuse(this.#section.tag, begin, 'bad_order', `> ${begin}`, end)
    this.#section.touch(begin, end - begin)
  }

  /** Returns the offset of posting `index`, whose bytes were verified before. */
  offset(index: number): number {
    return this.offsets[index]!
  }

  bytesOf(index: number): number {
    return this.offsets[index + 1]! - this.offsets[index]!
  }
}
