// Reads the heads of postings in place: counts, and where sets and lists begin · layout:
// ./POSTINGS.md, "A posting"
//
// The caller has verified the pages of the bytes. Reads past the end of a typed array give
// `undefined`, which ends the varint being read.
import { u32At } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { FieldId } from '../ids.ts'
import { hasBucketSets } from './limits.ts'
import { FLAG_POSITION_SETS, HEADER_WORDS } from './posting-encode-v1.ts'

export const POSTING_SECTION = 'posting'

/** Reads heads of one section. `documents` bounds counts. */
export class PostingHeads {
  readonly #bytes: Uint8Array
  readonly #documents: number

  constructor(bytes: Uint8Array, documents: number) {
    this.#bytes = bytes
    this.#documents = documents
  }

  /** Returns the number of documents. @throws CorruptionError if it is 0 or too large */
  documentCount(at: number): number {
    const bytes = this.#bytes
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = bytes[at++]!
      value += (byte & 127) * 2 ** shift
    }
    const df = Math.floor(value / 2)
    if (df === 0 || df > this.#documents) {
      refuse(POSTING_SECTION, at, 'bad_value', `1..${this.#documents} documents`, df)
    }
    return df
  }

  /** Returns true if the posting stores sets (form 1). */
  isLarge(at: number): boolean {
    return (this.#bytes[at]! & 1) === 1
  }

  /** Returns the offset after the leading varint, the count and the form. */
  afterCount(at: number): number {
    while (this.#bytes[at]! > 127) at++
    return at + 1
  }

  /** Returns the offset of word 0 of a form-1 posting: `base` of the other methods. */
  base(at: number): number {
    return align4(this.afterCount(at))
  }

  word(base: number, index: number): number {
    return u32At(this.#bytes, base + index * 4)
  }

  /**
   * Returns a header word that counts entries of two words. @throws CorruptionError if they do not
   * fit
   */
  #entryCount(base: number, index: number): number {
    const count = this.word(base, index)
    const end = base + (HEADER_WORDS + count * 2) * 4
    if (end > this.#bytes.length) {
      refuse(POSTING_SECTION, base + index * 4, 'bad_length', this.#bytes.length, end)
    }
    return count
  }

  /** Returns the offset of the set of all documents of a form-1 posting. */
  documentsSet(base: number): number {
    return base + this.word(base, 4)
  }

  /** Returns the offset of the occurrences of a form-1 posting. */
  occurrences(base: number): number {
    return base + this.word(base, 5)
  }

  /** Returns the index of the word that has the offset of the first block's occurrences. */
  blockTable(base: number): number {
    return HEADER_WORDS + (this.word(base, 2) + this.word(base, 3)) * 2
  }

  /** Returns the offset of the set for a field (form 1), or -1. */
  fieldSetAt(at: number, field: FieldId): number {
    const base = this.base(at)
    const fields = this.#entryCount(base, 2)
    for (let i = 0; i < fields; i++) {
      if (this.word(base, HEADER_WORDS + i * 2) === field) {
        return base + this.word(base, HEADER_WORDS + i * 2 + 1)
      }
    }
    return -1
  }

  /** Returns the fields of a form-1 posting, ascending. */
  largeFields(at: number): number[] {
    const base = this.base(at)
    const fields = this.#entryCount(base, 2)
    return Array.from({ length: fields }, (_, i) => this.word(base, HEADER_WORDS + i * 2))
  }

  /**
   * Returns true if a set is stored for `bucket` whenever a document has the term in that bucket.
   */
  hasBucketSets(at: number, bucket: number): boolean {
    if (!this.isLarge(at)) return false
    const base = this.base(at)
    const flagged = (this.word(base, 1) & FLAG_POSITION_SETS) !== 0
    return flagged && hasBucketSets(this.word(base, 0), bucket)
  }

  /**
   * Returns the offset of the set for a position bucket (of a posting with position sets), or -1.
   */
  positionSetAt(at: number, bucket: number): number {
    const base = this.base(at)
    const first = HEADER_WORDS + this.word(base, 2) * 2
    const positions = this.#entryCount(base, 3)
    for (let i = 0; i < positions; i++) {
      if (this.word(base, first + i * 2) === bucket) {
        return base + this.word(base, first + i * 2 + 1)
      }
    }
    return -1
  }
}

const align4 = (n: number): number => (n + 3) & ~3
