// Lists of id sets, most of them tiny: the postings of values, unions of groups of values, a
// field's sets · layout: ./FIELDS.md, "List"
//
//   offsets u32 × (blocks − 1) · sets · sizes u8 × count · entries
//
// 16 entries are a block; a set is found by the offset of its block and a walk over at most 15
// entries. Up to 32 ids are stored as deltas in the entry, more ids as an encoded set. Sizes are
// stored separately, because facets over all documents and sorting read only those.
import { ByteReader, ByteWriter, u32At } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import {
  encodedIdsBytes,
  encodeIds,
  IdSet,
  type IdUnion,
  orEncoded,
  readEncoded,
} from '../idset/index.ts'
import { countInWords, largestOf } from './walk.ts'

const LIST_BLOCK_BITS = 4
export const LIST_BLOCK = 1 << LIST_BLOCK_BITS
/**
 * Above this number of ids the encoded form, a head of 16 bytes and 2 bytes per id, is as small and
 * faster to read.
 */
const INLINE_IDS_MAX = 32

/**
 * A size of at least this number is stored as this number, and the entry begins with the actual
 * size.
 */
const SIZE_IN_ENTRY = 255

/** The parts of a list as bytes. */
export type ListBytes = {
  readonly sizes: Uint8Array
  readonly offsets: Uint8Array
  readonly entries: Uint8Array
  readonly sets: Uint8Array
}

/** Writes the sets of a list in order. Ids are stored relative to `firstId`. */
export class ListWriter {
  readonly #firstId: number
  readonly #sizes = new ByteWriter(64)
  readonly #offsets = new ByteWriter(64)
  readonly #entries = new ByteWriter(64)
  readonly #sets = new ByteWriter(0)
  #count = 0

  constructor(firstId: number) {
    this.#firstId = firstId
  }

  /** Adds the set of the ascending, distinct ids[from, to), which must not be empty. */
  add(ids: Uint32Array, from: number, to: number): void {
    assert(to > from, 'a set in a list has a member')
    assert(ids[from]! >= this.#firstId, 'no id is below the first of the segment')
    const entries = this.#entries
    if (this.#count % LIST_BLOCK === 0 && this.#count > 0) this.#offsets.u32(entries.length)
    this.#count++
    const size = to - from
    this.#sizes.u8(Math.min(size, SIZE_IN_ENTRY))
    if (size >= SIZE_IN_ENTRY) entries.varint(size)
    if (size > INLINE_IDS_MAX) {
      const bytes = encodeIds(ids.subarray(from, to))
      entries.varint(this.#sets.length / 2)
      entries.varint(bytes.length / 2)
      this.#sets.bytes(bytes)
      return
    }
    entries.varint(ids[from]! - this.#firstId)
    for (let i = from + 1; i < to; i++) entries.varint(ids[i]! - ids[i - 1]! - 1)
  }

  finish(): ListBytes {
    return {
      sizes: this.#sizes.finish(),
      offsets: this.#offsets.finish(),
      entries: this.#entries.finish(),
      sets: this.#sets.finish(),
    }
  }
}

/**
 * Estimates the cost in ns of reading the set of ascending ids[from, to): a walk over varints, or a
 * fixed part and a pass over the encoded bytes. It decides which levels of a hierarchy are written,
 * so it must be deterministic.
 */
export function readingCost(ids: Uint32Array, from: number, to: number): number {
  if (to - from <= INLINE_IDS_MAX) return 8 + 4 * (to - from)
  return 64 + encodedIdsBytes(ids.subarray(from, to))
}

/** The offsets of a list's parts in their section, and the sizes of the two variable ones. */
export type ListPlace = {
  readonly count: number
  readonly sizesAt: number
  readonly offsetsAt: number
  readonly entriesAt: number
  readonly entriesBytes: number
  readonly setsAt: number
  readonly setsBytes: number
}

/** The documents of the list's segment: ids are in [first, last], sets have at most `count` ids. */
export type IdBounds = { readonly first: number; readonly last: number; readonly count: number }

const NO_NUMBERS = new Uint32Array(0)

/**
 * Reads the sets of one list in place, block by block. The last block stays decoded, so a walk in
 * order decodes each entry once.
 */
export class ListReader {
  readonly count: number
  readonly #section: Section
  readonly #place: ListPlace
  readonly #bounds: IdBounds
  /** Index of the decoded block, or -1. */
  #block = -1
  /** By entry of the decoded block: number of ids. */
  #sizes: Uint32Array = NO_NUMBERS
  /**
   * By entry: index of its first id in `#ids`, or the offset of its encoded set relative to all
   * sets.
   */
  #starts: Uint32Array = NO_NUMBERS
  #lengths: Uint32Array = NO_NUMBERS
  #ids: Uint32Array = NO_NUMBERS

  constructor(section: Section, place: ListPlace, bounds: IdBounds) {
    this.count = place.count
    this.#section = section
    this.#place = place
    this.#bounds = bounds
  }

  /** Returns the number of ids of set `index`, without decoding them. */
  size(index: number): number {
    this.#expect(index)
    const at = this.#place.sizesAt + index
    this.#section.touch(at, 1)
    const size = this.#section.bytes[at]!
    return size < SIZE_IN_ENTRY ? size : this.#largeSize(index)
  }

  /** Writes the sizes of sets [from, to) into `out` from index 0 on: about 1 ns each. */
  sizes(from: number, to: number, out: Uint32Array): void {
    assert(from >= 0 && from <= to && to <= this.count, 'a list is asked for sets it has')
    const { bytes } = this.#section
    const at = this.#place.sizesAt
    this.#section.touch(at + from, to - from)
    for (let i = from; i < to; i++) {
      const size = bytes[at + i]!
      out[i - from] = size < SIZE_IN_ENTRY ? size : this.#largeSize(i)
    }
  }

  /** Returns set `index`, decoded. */
  get(index: number): IdSet {
    const entry = this.#load(index)
    const size = this.#sizes[entry]!
    if (size <= INLINE_IDS_MAX) return IdSet.ofSorted(this.#inline(entry).slice())
    const { bytes } = this.#section
    const at = this.#encodedAt(entry)
    const largest = largestOf(bytes, at)
    if (size <= largest / 32) return IdSet.ofSorted(this.#decoded(at, size))
    const words = new Uint32Array((largest >>> 5) + 1)
    orEncoded(bytes, at, words)
    return IdSet.ofWords(words)
  }

  /**
   * Returns the ids of set `index`, ascending. For a small set this is a view that is valid until
   * the next call.
   */
  ids(index: number): Uint32Array {
    const entry = this.#load(index)
    const size = this.#sizes[entry]!
    if (size <= INLINE_IDS_MAX) return this.#inline(entry)
    return this.#decoded(this.#encodedAt(entry), size)
  }

  /** Adds sets [from, to) to `union`. */
  addTo(from: number, to: number, union: IdUnion): void {
    assert(from >= 0 && to <= this.count, 'a range of sets is in the list')
    const { first, last } = this.#bounds
    for (let i = from; i < to; i++) {
      const entry = this.#load(i)
      const size = this.#sizes[entry]!
      if (size > INLINE_IDS_MAX) {
        union.addEncoded(this.#section.bytes, this.#encodedAt(entry), first, last)
        continue
      }
      const ids = this.#ids
      for (let at = this.#starts[entry]!, end = at + size; at < end; at++) union.add(ids[at]!)
    }
  }

  /** Returns the number of ids of set `index` whose bits are set in the dense `words`. */
  countIn(index: number, words: Uint32Array): number {
    const entry = this.#load(index)
    const size = this.#sizes[entry]!
    if (size > INLINE_IDS_MAX) {
      return countInWords(this.#section.bytes, this.#encodedAt(entry), words)
    }
    const ids = this.#ids
    let count = 0
    for (let at = this.#starts[entry]!, end = at + size; at < end; at++) {
      const id = ids[at]!
      const word = id >>> 5
      if (word < words.length) count += (words[word]! >>> (id & 31)) & 1
    }
    return count
  }

  /** Ordinals are read from rows, so one that is too large means a damaged row. */
  #expect(index: number): void {
    if (index >= this.count) {
      refuse(this.#section.tag, this.#place.sizesAt, 'bad_value', `below ${this.count}`, index)
    }
  }

  #largeSize(index: number): number {
    const entry = this.#load(index)
    return this.#sizes[entry]!
  }

  #inline(entry: number): Uint32Array {
    const start = this.#starts[entry]!
    return this.#ids.subarray(start, start + this.#sizes[entry]!)
  }

  #decoded(at: number, size: number): Uint32Array {
    const out = new Uint32Array(size)
    const got = readEncoded(this.#section.bytes, at, out, 0)
    if (got !== size) refuse(this.#section.tag, at, 'bad_value', `${size} ids`, got)
    for (let i = 1; i < size; i++) {
      if (out[i]! <= out[i - 1]!) refuse(this.#section.tag, at, 'bad_order', out[i - 1]!, out[i]!)
    }
    return out
  }

  /**
   * Returns the offset of the encoded set of `entry`, verified and checked so that walks stay
   * inside it.
   */
  #encodedAt(entry: number): number {
    const { setsAt, setsBytes } = this.#place
    const offset = this.#starts[entry]!
    const length = this.#lengths[entry]!
    if (length < 8 || offset + length > setsBytes) {
      refuse(this.#section.tag, setsAt + offset, 'bad_length', `within ${setsBytes}`, length)
    }
    this.#section.touch(setsAt + offset, length)
    checkEncoded(this.#section, setsAt + offset, length, this.#bounds)
    return setsAt + offset
  }

  /** Decodes the block of set `index` if necessary; returns the index of the set in the block. */
  #load(index: number): number {
    const block = index >>> LIST_BLOCK_BITS
    if (block !== this.#block) this.#decode(index, block)
    return index & (LIST_BLOCK - 1)
  }

  #decode(index: number, block: number): void {
    this.#expect(index)
    const { tag } = this.#section
    const start = this.#offset(block)
    const end = this.#offset(block + 1)
    if (start >= end) refuse(tag, this.#place.entriesAt + start, 'bad_order', end, start)
    this.#section.touch(this.#place.entriesAt + start, end - start)
    if (this.#sizes.length === 0) {
      this.#sizes = new Uint32Array(LIST_BLOCK)
      this.#starts = new Uint32Array(LIST_BLOCK)
      this.#lengths = new Uint32Array(LIST_BLOCK)
      this.#ids = new Uint32Array(LIST_BLOCK * INLINE_IDS_MAX)
    }
    this.#block = -1
    const firstOfBlock = block * LIST_BLOCK
    const endOfBlock = Math.min(firstOfBlock + LIST_BLOCK, this.count)
    const reached = this.#decodeEntries(this.#place.entriesAt + start, firstOfBlock, endOfBlock)
    if (reached !== this.#place.entriesAt + end) {
      refuse(tag, reached, 'bad_length', this.#place.entriesAt + end, reached)
    }
    this.#block = block
  }

  /**
   * Decodes the entries of sets [index, end) from offset `at` on; returns the offset after them.
   */
  #decodeEntries(at: number, index: number, end: number): number {
    const { bytes, tag } = this.#section
    const { first, last, count } = this.#bounds
    const ids = this.#ids
    const sizesAt = this.#place.sizesAt
    this.#section.touch(sizesAt + index, end - index)
    let n = 0
    for (let entry = 0; entry < end - index; entry++) {
      let size = bytes[sizesAt + index + entry]!
      if (size > INLINE_IDS_MAX) {
        at = this.#decodePlace(at, entry, size)
        continue
      }
      if (size === 0 || size > count) refuse(tag, at, 'bad_value', `1..${count} ids`, size)
      this.#sizes[entry] = size
      this.#starts[entry] = n
      let id = first - 1
      for (; size > 0; size--) {
        let byte = bytes[at++]!
        let delta = byte & 127
        for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
          byte = bytes[at++]!
          delta |= (byte & 127) << shift
        }
        id += (delta >>> 0) + 1
        ids[n++] = id
      }
      if (id > last || id < first) refuse(tag, at, 'bad_value', `at most ${last}`, id)
    }
    return at
  }

  /** Decodes the entry of an encoded set; returns the offset after it. */
  #decodePlace(at: number, entry: number, size: number): number {
    const reader = new ByteReader(this.#section.bytes, this.#section.tag, at)
    const realSize = size < SIZE_IN_ENTRY ? size : reader.varint()
    if (realSize < size || realSize > this.#bounds.count) {
      refuse(this.#section.tag, at, 'bad_value', `${size}..${this.#bounds.count}`, realSize)
    }
    this.#sizes[entry] = realSize
    this.#starts[entry] = reader.varint() * 2
    this.#lengths[entry] = reader.varint() * 2
    return reader.at
  }

  /** Returns the offset of the entries of `block`, relative to all entries. */
  #offset(block: number): number {
    const { count, offsetsAt, entriesBytes } = this.#place
    if (block === 0) return 0
    if (block * LIST_BLOCK >= count) return entriesBytes
    const at = offsetsAt + (block - 1) * 4
    this.#section.touch(at, 4)
    const offset = u32At(this.#section.bytes, at)
    if (offset > entriesBytes) refuse(this.#section.tag, at, 'bad_value', entriesBytes, offset)
    return offset
  }
}

/**
 * Checks the values that bound the work and memory of walks: the number of containers and the
 * largest id.
 */
function checkEncoded(section: Section, at: number, length: number, bounds: IdBounds): void {
  const containers = u32At(section.bytes, at + 4)
  if (containers === 0 || containers > 65536 || 8 + containers * 8 > length) {
    refuse(section.tag, at + 4, 'bad_value', 'containers that fit', containers)
  }
  const largest = largestOf(section.bytes, at)
  if (largest > bounds.last) refuse(section.tag, at, 'bad_value', `at most ${bounds.last}`, largest)
}
