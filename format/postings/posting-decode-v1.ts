// Reads postings in place · layout: ./POSTINGS.md, "A posting"
//
// The caller has verified the pages of the bytes. A wrong byte under a right checksum gives wrong
// numbers, never an endless loop or a huge allocation: every loop is bounded by the bytes or by
// counts checked against the segment's. The code relies on reads past the end of a typed array
// giving `undefined`, which ends the varint being read.
import { assert, refuse } from '../errors.ts'
import { IdSet, lowerBound, membersAmong, orEncoded, ranksOf, readEncoded } from '../idset/index.ts'
import { BLOCK_DOCUMENTS, SMALL_DOCUMENTS_MAX } from './limits.ts'
import { noteOffset, OccurrenceOffsets } from './occurrence-offsets.ts'
import type { Occurrences } from './occurrences.ts'
import { decodeOccurrences, skipOccurrences } from './occurrences-decode-v1.ts'
import { POSTING_SECTION, PostingHeads } from './posting-heads-v1.ts'

/**
 * Most documents per candidate for which reading all of them (2 ns) beats look-ups (20 ns each).
 */
const MEMBERS_EACH_MAX = 16

/**
 * Reads postings of one section in place, verified before by the caller. `documents` bounds counts.
 */
export class PostingReader {
  readonly heads: PostingHeads
  readonly #bytes: Uint8Array
  readonly #idMin: number
  readonly #documents: number
  #ids = new Uint32Array(SMALL_DOCUMENTS_MAX)
  #singles = new Uint8Array(SMALL_DOCUMENTS_MAX)
  #ranks = new Int32Array(256)
  readonly #offsets: OccurrenceOffsets
  #walked = new Uint32Array(256)
  #members = new Uint32Array(256)

  constructor(bytes: Uint8Array, idMin: number, documents: number) {
    assert(documents > 0, 'a segment has a document')
    this.heads = new PostingHeads(bytes, documents)
    this.#bytes = bytes
    this.#idMin = idMin
    this.#documents = documents
    this.#offsets = new OccurrenceOffsets(documents)
  }

  /** Drops what was cached for later reads. */
  close(): void {
    this.#offsets.clear()
  }

  /** Decodes the document ids of a form-0 posting into `#ids`; returns the offset after them. */
  #readSmallIds(at: number, df: number): number {
    const bytes = this.#bytes
    const ids = this.#ids
    const singles = this.#singles
    at = this.heads.afterCount(at)
    let next = this.#idMin
    for (let d = 0; d < df; d++) {
      let byte = bytes[at++]!
      let value = byte & 127
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++]!
        value += (byte & 127) * scale
      }
      next += Math.floor(value / 2)
      ids[d] = next++
      singles[d] = value & 1
    }
    return at
  }

  #smallCount(at: number): number {
    const df = this.heads.documentCount(at)
    if (df > SMALL_DOCUMENTS_MAX) refuse(POSTING_SECTION, at, 'bad_value', SMALL_DOCUMENTS_MAX, df)
    return df
  }

  /** Sets the bits of all documents in `words`. */
  orDocuments(at: number, words: Uint32Array): void {
    if (this.heads.isLarge(at)) {
      const base = this.heads.base(at)
      orEncoded(this.#bytes, this.heads.documentsSet(base), words)
      return
    }
    const df = this.#smallCount(at)
    this.#readSmallIds(at, df)
    const ids = this.#ids
    for (let d = 0; d < df; d++) words[ids[d]! >>> 5]! |= 1 << (ids[d]! & 31)
  }

  /**
   * Appends all documents, ascending, to `out` from index `n` on, and returns the new count.
   * Documents beyond the end of `out` are dropped.
   */
  readDocuments(at: number, out: Uint32Array, n: number): number {
    if (this.heads.isLarge(at)) {
      const base = this.heads.base(at)
      return readEncoded(this.#bytes, this.heads.documentsSet(base), out, n)
    }
    const df = this.#smallCount(at)
    this.#readSmallIds(at, df)
    for (let d = 0; d < df; d++) out[n++] = this.#ids[d]!
    return n
  }

  /** Returns all documents. */
  documents(at: number): IdSet {
    const ids = new Uint32Array(this.heads.documentCount(at))
    this.readDocuments(at, ids, 0)
    return IdSet.ofSorted(ids)
  }

  /** Appends all documents and their occurrences to `out`. */
  readAll(at: number, out: Occurrences): void {
    const df = this.heads.documentCount(at)
    out.reserveDocs(df)
    if (!this.heads.isLarge(at)) {
      const afterIds = this.#readSmallIds(at, this.#smallCount(at))
      this.#readSmallOccurrences(afterIds, df, out)
      return
    }
    const base = this.heads.base(at)
    readEncoded(this.#bytes, this.heads.documentsSet(base), out.docs, out.count)
    this.#decodeRun(this.heads.occurrences(base), df, out)
  }

  #readSmallOccurrences(at: number, df: number, out: Occurrences): void {
    const bytes = this.#bytes
    for (let d = 0; d < df; d++) {
      out.docs[out.count] = this.#ids[d]!
      at = decodeOccurrences(bytes, at, this.#singles[d] === 1, out)
    }
  }

  /** Decodes the occurrences of `docs` consecutive documents, whose ids `out` already holds. */
  #decodeRun(at: number, docs: number, out: Occurrences): void {
    const bytes = this.#bytes
    for (let d = 0; d < docs; d++) at = decodeOccurrences(bytes, at, false, out)
  }

  /** Appends those of the ascending `candidates[0, count)` with the term, and their occurrences. */
  readFor(at: number, candidates: Uint32Array, count: number, out: Occurrences): void {
    const df = this.heads.documentCount(at)
    out.reserveDocs(Math.min(df, count))
    if (this.heads.isLarge(at)) this.#readLargeFor(at, candidates, count, out)
    else this.#readSmallFor(at, df, candidates, count, out)
  }

  #readSmallFor(
    at: number,
    df: number,
    candidates: Uint32Array,
    count: number,
    out: Occurrences,
  ): void {
    const bytes = this.#bytes
    at = this.#readSmallIds(at, this.#smallCount(at))
    let c = lowerBound(candidates, this.#ids[0]!, count)
    for (let d = 0; d < df; d++) {
      const id = this.#ids[d]!
      while (c < count && candidates[c]! < id) c++
      if (c === count) return
      if (candidates[c] !== id) {
        at = skipOccurrences(bytes, at, this.#singles[d] === 1)
        continue
      }
      out.docs[out.count] = id
      at = decodeOccurrences(bytes, at, this.#singles[d] === 1, out)
    }
  }

  /**
   * Appends the documents of a form-0 posting whose bits are set in `bits`, with their occurrences.
   */
  readSmallAmong(at: number, bits: Uint32Array, out: Occurrences): void {
    const df = this.#smallCount(at)
    at = this.#readSmallIds(at, df)
    const bytes = this.#bytes
    const ids = this.#ids
    let last = -1
    for (let d = 0; d < df; d++) {
      if ((bits[ids[d]! >>> 5]! & (1 << (ids[d]! & 31))) !== 0) last = d
    }
    if (last < 0) return
    out.reserveDocs(last + 1)
    for (let d = 0; d <= last; d++) {
      const id = ids[d]!
      const single = this.#singles[d] === 1
      if ((bits[id >>> 5]! & (1 << (id & 31))) === 0) {
        at = skipOccurrences(bytes, at, single)
      } else {
        out.docs[out.count] = id
        at = decodeOccurrences(bytes, at, single, out)
      }
    }
  }

  #readLargeFor(at: number, candidates: Uint32Array, count: number, out: Occurrences): void {
    const base = this.heads.base(at)
    const df = this.heads.word(base, 0)
    // If most documents are wanted, walking the whole list is faster than finding each one's rank.
    if (count > df / 4 && df <= this.#documents) {
      this.#readDenseFor(base, df, candidates, count, out)
      return
    }
    if (this.#ranks.length < count) this.#ranks = new Int32Array(Math.max(count, 1024))
    const ranks = this.#ranks
    ranksOf(this.#bytes, this.heads.documentsSet(base), candidates, count, ranks)
    this.#decodeRanks(base, candidates, ranks, count, out)
  }

  /**
   * Like `readFor`, with the candidates' bits in `bits`: faster for few documents, many candidates.
   */
  readLargeAmong(at: number, bits: Uint32Array, candidates: Uint32Array, out: Occurrences): void {
    const count = candidates.length
    const df = this.heads.documentCount(at)
    if (df > count * MEMBERS_EACH_MAX) {
      this.readFor(at, candidates, count, out)
      return
    }
    if (this.#members.length < count) this.#members = new Uint32Array(Math.max(count, 1024))
    if (this.#ranks.length < count) this.#ranks = new Int32Array(Math.max(count, 1024))
    const base = this.heads.base(at)
    const set = this.heads.documentsSet(base)
    const found = membersAmong(this.#bytes, set, bits, this.#members, this.#ranks)
    const known = Math.min(found, count)
    out.reserveDocs(known)
    this.#decodeRanks(base, this.#members, this.#ranks, known, out)
  }

  /** Appends ids[0, count) with the occurrences at their ranks; a negative rank is skipped. */
  #decodeRanks(
    base: number,
    ids: Uint32Array,
    ranks: Int32Array,
    count: number,
    out: Occurrences,
  ): void {
    const table = this.heads.blockTable(base)
    const occurrences = this.heads.occurrences(base)
    const bytes = this.#bytes
    const df = this.heads.word(base, 0)
    const list = df <= this.#documents ? this.#offsets.of(base, df) : null
    const shift = list?.shift ?? 0
    const between = (1 << shift) - 1
    let block = -1
    let entry = 0
    let rank = 0
    let cursor = 0
    for (let c = 0; c < count; c++) {
      const wanted = ranks[c]!
      if (wanted < 0) continue
      const wantedBlock = Math.floor(wanted / BLOCK_DOCUMENTS)
      if (wantedBlock !== block) {
        block = wantedBlock
        rank = block * BLOCK_DOCUMENTS
        cursor = entry = occurrences + this.heads.word(base, table + block)
      }
      if (list !== null && rank < wanted) {
        const near = Math.min((wanted % BLOCK_DOCUMENTS) >>> shift, list.known[block]!)
        const known = block * BLOCK_DOCUMENTS + (near << shift)
        if (known > rank) cursor = entry + list.offsets[(rank = known) >>> shift]!
      }
      while (rank < wanted) {
        cursor = skipOccurrences(bytes, cursor, false)
        rank++
        if (list !== null && (rank & between) === 0) noteOffset(list, rank, cursor - entry)
      }
      out.docs[out.count] = ids[c]!
      cursor = decodeOccurrences(bytes, cursor, false, out)
      rank++
      if (list !== null && (rank & between) === 0) noteOffset(list, rank, cursor - entry)
    }
  }

  /** Does the same as `#readLargeFor` by walking all `df` documents. */
  #readDenseFor(
    base: number,
    df: number,
    candidates: Uint32Array,
    count: number,
    out: Occurrences,
  ): void {
    if (this.#walked.length < df) this.#walked = new Uint32Array(Math.max(df, 1024))
    const bytes = this.#bytes
    const docs = this.#walked
    const end = readEncoded(bytes, this.heads.documentsSet(base), docs, 0)
    let cursor = this.heads.occurrences(base)
    let c = 0
    for (let d = 0; d < end; d++) {
      const id = docs[d]!
      while (c < count && candidates[c]! < id) c++
      if (c === count) return
      if (candidates[c] !== id) {
        cursor = skipOccurrences(bytes, cursor, false)
        continue
      }
      out.docs[out.count] = id
      cursor = decodeOccurrences(bytes, cursor, false, out)
    }
  }
}
