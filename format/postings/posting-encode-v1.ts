// Writes postings: the documents of a term and where it occurs in them · layout: ./POSTINGS.md, "A
// posting"
//
// Occurrences come as two parallel arrays sorted by document, then by packed field and position.
// The bytes are a function of these arrays and of `idMin` alone.

import { dataView, lengthened, withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { encodedIdsBytes, encodeIdsInto } from '../idset/index.ts'
import { BLOCK_DOCUMENTS, POSITION_SETS_DOCUMENTS_MIN, SMALL_DOCUMENTS_MAX } from './limits.ts'
import { dropRepeats, OccurrenceSets, type PostingSets } from './occurrence-sets.ts'

const FLAG_OCCURRENCES = 1
export const FLAG_POSITION_SETS = 2
export const HEADER_WORDS = 8

/**
 * Encodes postings one after another into its own buffer. The owner flushes it from time to time.
 */
export class PostingEncoder {
  #bytes = new Uint8Array(1 << 16)
  #length = 0
  /** Bytes flushed so far: alignment is relative to the start of the section. */
  #flushed = 0
  /** By distinct document of the current posting: index of its first occurrence. */
  #starts = new Uint32Array(1024)
  #blockAt = new Uint32Array(16)
  /** Made for the first long posting; segments of a few documents have none. */
  #sets: OccurrenceSets | null = null
  readonly #idMin: number

  constructor(idMin: number) {
    this.#idMin = idMin
  }

  /** Offset in the section at which the next posting begins. */
  get at(): number {
    return this.#flushed + this.#length
  }

  /** Returns the bytes encoded since the last flush: a view, valid until the next `encode`. */
  flush(): Uint8Array {
    const view = this.#bytes.subarray(0, this.#length)
    this.#flushed += this.#length
    this.#length = 0
    return view
  }

  /** Begins anew: the next posting is at offset 0. Earlier views become invalid. */
  restart(): void {
    this.#flushed = 0
    this.#length = 0
  }

  get pendingBytes(): number {
    return this.#length
  }

  /**
   * Appends the posting of one term: occurrences [from, to) of `docs` (document ids, ascending,
   * repeated per occurrence) and `packed` (field << 16 | position, ascending within a document).
   */
  encode(docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    assert(to > from, 'a posting has an occurrence')
    assert(to <= docs.length && to <= packed.length, 'each occurrence has a document and a place')
    assert(docs[from]! >= this.#idMin, 'no document is below idMin')
    assert(docs[to - 1]! >= docs[from]!, 'documents ascend')
    const df = this.#findStarts(docs, from, to)
    this.#reserve((to - from) * 12 + df * 10 + 64)
    if (df <= SMALL_DOCUMENTS_MAX) this.#encodeSmall(docs, packed, df)
    else this.#encodeLarge(docs, packed, from, to, df)
  }

  #findStarts(docs: Uint32Array, from: number, to: number): number {
    let starts = this.#starts
    let df = 0
    let last = -1
    for (let i = from; i < to; i++) {
      const doc = docs[i]!
      if (doc === last) continue
      if (df + 1 >= starts.length) {
        starts = lengthened(starts, starts.length * 2)
        this.#starts = starts
      }
      starts[df++] = i
      last = doc
    }
    starts[df] = to
    return df
  }

  #encodeSmall(docs: Uint32Array, packed: Uint32Array, df: number): void {
    const starts = this.#starts
    const out = this.#bytes
    let at = putVarint(out, this.#length, df * 2)
    let next = this.#idMin
    for (let d = 0; d < df; d++) {
      const start = starts[d]!
      const doc = docs[start]!
      const single = starts[d + 1]! - start === 1 ? 1 : 0
      at = putVarint(out, at, (doc - next) * 2 + single)
      next = doc + 1
    }
    for (let d = 0; d < df; d++) {
      const start = starts[d]!
      const end = starts[d + 1]!
      if (end - start > 1) at = putVarint(out, at, end - start)
      at = putOccurrences(out, at, packed, start, end)
    }
    this.#length = at
  }

  #encodeLarge(docs: Uint32Array, packed: Uint32Array, from: number, to: number, df: number): void {
    this.#sets ??= new OccurrenceSets(dropRepeats)
    const sets = this.#sets.collect(docs, packed, from, to)
    const base = this.#beginLarge(df)
    const view = dataView(this.#bytes)
    const blocks = Math.ceil(df / BLOCK_DOCUMENTS)
    const flags = FLAG_OCCURRENCES | positionFlag(df)
    const tableAt = this.#writeSets(base, flags, sets, blocks)
    const begin = this.#length
    this.#reserve((to - from) * 12 + df * 5)
    this.#writeOccurrences(packed, df)
    const after = dataView(this.#bytes)
    after.setUint32(base + 20, begin - base, true)
    after.setUint32(base + 24, this.#length - begin, true)
    for (let b = 0; b < blocks; b++) after.setUint32(tableAt + b * 4, this.#blockAt[b]!, true)
    assert(view.byteLength <= after.byteLength, 'the buffer only grows')
  }

  /**
   * Appends a posting without occurrences, as stored prefixes have it: documents, fields and
   * positions only.
   */
  encodeSets(sets: PostingSets): void {
    assert(sets.docs.length > 0, 'a posting has a document')
    const hasPositions = positionFlag(sets.docs.length) !== 0
    assert(hasPositions || sets.positions.length === 0, 'short lists have no position sets')
    const base = this.#beginLarge(sets.docs.length)
    this.#writeSets(base, positionFlag(sets.docs.length), sets, 0)
  }

  #beginLarge(df: number): number {
    this.#reserve(32)
    this.#length = putVarint(this.#bytes, this.#length, df * 2 + 1)
    const padding = (4 - (this.at % 4)) % 4
    this.#bytes.fill(0, this.#length, this.#length + padding)
    this.#length += padding
    return this.#length
  }

  /** Writes header, tables and sets; returns the offset of the block table. */
  #writeSets(base: number, flags: number, sets: PostingSets, blocks: number): number {
    const { fields, positions } = sets
    const words = HEADER_WORDS + fields.length * 2 + positions.length * 2 + blocks
    let bytes = words * 4 + align4(encodedIdsBytes(sets.docs))
    for (const set of [...fields, ...positions]) {
      if (set.ids !== sets.docs) bytes += align4(encodedIdsBytes(set.ids))
    }
    this.#reserve(bytes)
    const out = this.#bytes
    const view = dataView(out)
    out.fill(0, base, base + bytes)
    view.setUint32(base, sets.docs.length, true)
    view.setUint32(base + 4, flags, true)
    view.setUint32(base + 8, fields.length, true)
    view.setUint32(base + 12, positions.length, true)
    let at = base + words * 4
    const docsAt = at
    view.setUint32(base + 16, docsAt - base, true)
    at = putSet(out, at, sets.docs)
    let entry = base + HEADER_WORDS * 4
    for (const set of [...fields, ...positions]) {
      view.setUint32(entry, set.key, true)
      view.setUint32(entry + 4, (set.ids === sets.docs ? docsAt : at) - base, true)
      entry += 8
      if (set.ids !== sets.docs) at = putSet(out, at, set.ids)
    }
    this.#length = at
    return entry
  }

  #writeOccurrences(packed: Uint32Array, df: number): void {
    const starts = this.#starts
    const out = this.#bytes
    const begin = this.#length
    const blocks = Math.ceil(df / BLOCK_DOCUMENTS)
    if (this.#blockAt.length < blocks) this.#blockAt = new Uint32Array(blocks * 2)
    let at = begin
    for (let d = 0; d < df; d++) {
      if (d % BLOCK_DOCUMENTS === 0) this.#blockAt[d / BLOCK_DOCUMENTS] = at - begin
      const start = starts[d]!
      const end = starts[d + 1]!
      at = putVarint(out, at, end - start)
      at = putOccurrences(out, at, packed, start, end)
    }
    this.#length = at
  }

  #reserve(count: number): void {
    this.#bytes = withRoom(this.#bytes, this.#length + count)
  }
}

/** Returns the header flag of lists that store position sets, or 0. */
const positionFlag = (df: number): number =>
  df >= POSITION_SETS_DOCUMENTS_MIN ? FLAG_POSITION_SETS : 0

const align4 = (n: number): number => (n + 3) & ~3

/** Writes a set into zeroed bytes. */
const putSet = (out: Uint8Array, at: number, ids: Uint32Array): number =>
  at + align4(encodeIdsInto(ids, out, at))

function putVarint(out: Uint8Array, at: number, value: number): number {
  while (value > 127) {
    out[at++] = (value % 128) | 128
    value = value < 0x80000000 ? value >>> 7 : Math.floor(value / 128)
  }
  out[at++] = value
  return at
}

function putOccurrences(
  out: Uint8Array,
  at: number,
  packed: Uint32Array,
  start: number,
  end: number,
): number {
  let value = packed[start]!
  let field = value >>> 16
  let position = value & 0xffff
  at = putVarint(out, at, field)
  at = putVarint(out, at, position)
  for (let i = start + 1; i < end; i++) {
    value = packed[i]!
    if (value >>> 16 === field) {
      at = putVarint(out, at, ((value & 0xffff) - position - 1) * 2)
    } else {
      at = putVarint(out, at, (value & 0xffff) * 2 + 1)
      at = putVarint(out, at, (value >>> 16) - field - 1)
      field = value >>> 16
    }
    position = value & 0xffff
  }
  return at
}
