// Reads one segment of the text layer in place · layout: ./POSTINGS.md
//
// Tables are verified and checked against each other at open, a posting's pages when it is first
// read. A reader belongs to one thread. It ignores tombstones: it returns the documents of the
// segment as written.

import { assert, refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'
import { Fst } from '../fst/index.ts'
import type { FieldId, SegmentNo, TermOrdinal } from '../ids.ts'
import { decodeIdSet, type IdSet, orEncoded } from '../idset/index.ts'
import { INFIX_SECTION, InfixReader } from '../infix/index.ts'
import { KernelText } from './kernel-text.ts'
import { LengthsReader } from './lengths-v1.ts'
import { positionBucket } from './limits.ts'
import { Occurrences } from './occurrences.ts'
import type { PostingReader } from './posting-decode-v1.ts'
import { PostingTable } from './posting-table-v1.ts'
import { prefixKey } from './prefixes.ts'
import { readTextMeta, type TextMeta } from './text-meta-v1.ts'

export class TextReader {
  readonly #frame: Frame
  readonly #meta: TextMeta
  readonly #terms: PostingTable
  readonly #prefixes: PostingTable
  readonly #prefixKeys: Uint32Array
  readonly #bytes: Uint8Array
  readonly #prefixBytes: Uint8Array
  readonly fst: Fst
  readonly lengths: LengthsReader
  #ids: IdSet | null = null
  /** Undefined until it is first used. */
  #infix: InfixReader | null | undefined = undefined
  /** Copies of the segment in the memory of the kernel. */
  readonly shared: KernelText | null
  readonly #scratch = new Occurrences()

  private constructor(frame: Frame, segment: SegmentNo | null) {
    this.#frame = frame
    this.#meta = readTextMeta(frame)
    const meta = this.#meta
    // All later checks rely on the document count, so it is bounded first: an id set has at most 8
    // ids per byte.
    const setBytes = frame.section('DIDS').length
    if (meta.documents > setBytes * 8) refuse('META', 0, 'bad_value', setBytes * 8, meta.documents)
    const post = frame.section('POST')
    const prefixPost = frame.section('PPST')
    this.#terms = new PostingTable(post, frame.section('TOFF'), meta.terms, meta)
    this.#prefixes = new PostingTable(prefixPost, frame.section('POFF'), meta.prefixes, meta)
    const keys = frame.section('PKEY')
    if (keys.length !== meta.prefixes * 4)
      refuse('PKEY', 0, 'bad_length', meta.prefixes * 4, keys.length)
    keys.all()
    this.#prefixKeys = keys.u32()
    checkAscending(this.#prefixKeys)
    this.#bytes = post.bytes
    this.#prefixBytes = prefixPost.bytes
    this.fst = new Fst(frame.section('TERM').all())
    if (this.fst.size !== meta.terms) refuse('TERM', 0, 'bad_value', meta.terms, this.fst.size)
    this.lengths = new LengthsReader(frame.section('LENG'))
    const { offsets } = this.#terms
    const sections = { fst: this.fst, offsets, post }
    this.shared = segment === null ? null : KernelText.of(segment, sections, meta)
  }

  /**
   * `segment`: number of the segment if threads share memory for it; `close` then releases what the
   * reader holds there. @throws CorruptionError, VersionError
   */
  static open(frame: Frame, segment: SegmentNo | null = null): TextReader {
    return new TextReader(frame, segment)
  }

  /** Releases shared memory and cached offsets. The reader must not be used afterwards. */
  close(): void {
    this.shared?.release()
    this.#terms.reader.close()
    this.#prefixes.reader.close()
  }

  get documentCount(): number {
    return this.#meta.documents
  }
  get idMin(): number {
    return this.#meta.idMin
  }
  get idMax(): number {
    return this.#meta.idMax
  }
  get termCount(): number {
    return this.#meta.terms
  }
  get prefixCount(): number {
    return this.#meta.prefixes
  }
  get occurrenceCount(): number {
    return this.#meta.occurrences
  }

  /** Version of the analysis that produced the terms; 0 if the segment does not record it. */
  get analysis(): number {
    return this.#meta.analysis
  }

  /** Returns the documents of the segment; the set is decoded once. @throws CorruptionError */
  ids(): IdSet {
    if (this.#ids === null) {
      this.#ids = decodeIdSet(this.#frame.section('DIDS').all())
      if (this.#ids.size !== this.#meta.documents) {
        refuse('DIDS', 0, 'bad_value', this.#meta.documents, this.#ids.size)
      }
    }
    return this.#ids
  }

  /** Returns the grams of the terms; null if no field has them. @throws CorruptionError */
  infix(): InfixReader | null {
    if (this.#infix === undefined) {
      this.#infix = this.#frame.has(INFIX_SECTION)
        ? new InfixReader(this.#frame.section(INFIX_SECTION), this.fst)
        : null
    }
    return this.#infix
  }

  /** Returns the number of documents with the term, dead ones included. */
  documentFrequency(ordinal: TermOrdinal): number {
    return this.#terms.reader.heads.documentCount(this.#terms.at(ordinal))
  }

  /** Returns the length of a term's posting in bytes. */
  postingBytes(ordinal: TermOrdinal): number {
    return this.#terms.bytesOf(ordinal)
  }

  /** Sets the bits of the term's documents in `words`, which has room up to `idMax`. */
  orDocuments(ordinal: TermOrdinal, words: Uint32Array): void {
    this.#terms.reader.orDocuments(this.#terms.at(ordinal), words)
  }

  documents(ordinal: TermOrdinal): IdSet {
    return this.#terms.reader.documents(this.#terms.at(ordinal))
  }

  /** Appends the term's documents, ascending, to `out` from index `n` on; returns the new count. */
  readDocuments(ordinal: TermOrdinal, out: Uint32Array, n: number): number {
    return this.#terms.reader.readDocuments(this.#terms.at(ordinal), out, n)
  }

  /** Sets the bits of the documents that have the term in one of `fields`, sorted field ids. */
  orDocumentsInFields(ordinal: TermOrdinal, fields: readonly FieldId[], words: Uint32Array): void {
    const reader = this.#terms.reader
    const at = this.#terms.at(ordinal)
    if (reader.heads.isLarge(at)) {
      for (const field of fields) {
        const set = reader.heads.fieldSetAt(at, field)
        if (set >= 0) orEncoded(this.#bytes, set, words)
      }
      return
    }
    const all = this.#readWhole(reader, at)
    for (let d = 0; d < all.count; d++) {
      if (hasFieldOf(all, d, fields)) words[all.docs[d]! >>> 5]! |= 1 << (all.docs[d]! & 31)
    }
  }

  /** Returns true if the term occurs in a field outside `fields` (sorted). */
  occursOutside(ordinal: TermOrdinal, fields: readonly FieldId[]): boolean {
    const reader = this.#terms.reader
    const at = this.#terms.at(ordinal)
    if (reader.heads.isLarge(at))
      return reader.heads.largeFields(at).some((field) => !fields.includes(field))
    const all = this.#readWhole(reader, at)
    for (let i = 0; i < all.starts[all.count]!; i++) {
      if (!fields.includes(all.packed[i]! >>> 16)) return true
    }
    return false
  }

  /** Adds every field in which the term occurs to `fields`. */
  collectFields(ordinal: TermOrdinal, fields: Set<number>): void {
    const reader = this.#terms.reader
    const at = this.#terms.at(ordinal)
    if (reader.heads.isLarge(at)) {
      for (const field of reader.heads.largeFields(at)) fields.add(field)
      return
    }
    const all = this.#readWhole(reader, at)
    for (let i = 0; i < all.starts[all.count]!; i++) fields.add(all.packed[i]! >>> 16)
  }

  /** Sets the bits of the documents that have the term at a position of `bucket`, in any field. */
  orDocumentsInBucket(ordinal: TermOrdinal, bucket: number, words: Uint32Array): void {
    const reader = this.#terms.reader
    const at = this.#terms.at(ordinal)
    if (reader.heads.hasBucketSets(at, bucket)) {
      const set = reader.heads.positionSetAt(at, bucket)
      if (set >= 0) orEncoded(this.#bytes, set, words)
      return
    }
    const all = this.#readWhole(reader, at)
    for (let d = 0; d < all.count; d++) {
      for (let i = all.starts[d]!; i < all.starts[d + 1]!; i++) {
        if (positionBucket(all.packed[i]! & 0xffff) !== bucket) continue
        words[all.docs[d]! >>> 5]! |= 1 << (all.docs[d]! & 31)
        break
      }
    }
  }

  /**
   * Appends the term's documents among the ascending `candidates[0, count)`, with their
   * occurrences.
   */
  occurrencesFor(
    ordinal: TermOrdinal,
    candidates: Uint32Array,
    count: number,
    out: Occurrences,
  ): void {
    this.#terms.reader.readFor(this.#terms.at(ordinal), candidates, count, out)
  }

  /**
   * Appends, term by term for the ordinals [from, to), the occurrences in documents among the
   * ascending `candidates`, whose bits are set in `bits`. Optimised for the usual case, terms with
   * few documents of which no candidate is one: 8,000 terms take less than 1 ms.
   */
  occurrencesOfRange(
    from: number,
    to: number,
    candidates: Uint32Array,
    bits: Uint32Array,
    out: Occurrences,
  ): void {
    assert(from <= to && to <= this.#meta.terms, 'a range of ordinals is in the dictionary')
    this.#terms.touchRange(from, to)
    const reader = this.#terms.reader
    for (let ordinal = from; ordinal < to; ordinal++) {
      appendAmong(reader, this.#terms.offset(ordinal), candidates, bits, out)
    }
  }

  /** Does the same as `occurrencesOfRange` for some ordinals. */
  occurrencesOfList(
    ordinals: Uint32Array,
    candidates: Uint32Array,
    bits: Uint32Array,
    out: Occurrences,
  ): void {
    const reader = this.#terms.reader
    for (let i = 0; i < ordinals.length; i++) {
      appendAmong(reader, this.#terms.at(ordinals[i]!), candidates, bits, out)
    }
  }

  /** Appends all documents of the term with their occurrences. */
  allOccurrences(ordinal: TermOrdinal, out: Occurrences): void {
    this.#terms.reader.readAll(this.#terms.at(ordinal), out)
  }

  /** Returns the index of a stored prefix of 1 to 4 bytes, or -1. */
  storedPrefix(prefix: Uint8Array): number {
    if (prefix.length === 0 || prefix.length > 4) return -1
    const key = prefixKey(prefix)
    const keys = this.#prefixKeys
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (keys[middle]! < key) low = middle + 1
      else high = middle
    }
    return low < keys.length && keys[low] === key ? low : -1
  }

  orPrefixDocuments(index: number, words: Uint32Array): void {
    this.#prefixes.reader.orDocuments(this.#prefixes.at(index), words)
  }

  orPrefixDocumentsInFields(index: number, fields: readonly FieldId[], words: Uint32Array): void {
    const at = this.#prefixes.at(index)
    for (const field of fields) {
      const set = this.#prefixes.reader.heads.fieldSetAt(at, field)
      if (set >= 0) orEncoded(this.#prefixBytes, set, words)
    }
  }

  prefixFields(index: number): readonly number[] {
    return this.#prefixes.reader.heads.largeFields(this.#prefixes.at(index))
  }

  prefixHasBucketSets(index: number, buckets: readonly number[]): boolean {
    const at = this.#prefixes.at(index)
    return buckets.every((bucket) => this.#prefixes.reader.heads.hasBucketSets(at, bucket))
  }

  orPrefixDocumentsInBucket(index: number, bucket: number, words: Uint32Array): void {
    const set = this.#prefixes.reader.heads.positionSetAt(this.#prefixes.at(index), bucket)
    if (set >= 0) orEncoded(this.#prefixBytes, set, words)
  }

  #readWhole(reader: PostingReader, at: number): Occurrences {
    this.#scratch.clear()
    reader.readAll(at, this.#scratch)
    return this.#scratch
  }
}

/** Appends the posting at `at` in documents among the candidates, whose bits are set in `bits`. */
function appendAmong(
  reader: PostingReader,
  at: number,
  candidates: Uint32Array,
  bits: Uint32Array,
  out: Occurrences,
): void {
  if (reader.heads.isLarge(at)) reader.readLargeAmong(at, bits, candidates, out)
  else reader.readSmallAmong(at, bits, out)
}

function hasFieldOf(all: Occurrences, d: number, fields: readonly FieldId[]): boolean {
  for (let i = all.starts[d]!; i < all.starts[d + 1]!; i++) {
    if (fields.includes(all.packed[i]! >>> 16)) return true
  }
  return false
}

/** Checks what lookups by binary search rely on. @throws CorruptionError */
function checkAscending(prefixKeys: Uint32Array): void {
  for (let i = 1; i < prefixKeys.length; i++) {
    const before = prefixKeys[i - 1]!
    const key = prefixKeys[i]!
    if (key <= before) refuse('PKEY', i * 4, 'bad_value', `> ${before}`, key)
  }
}
