// Sorted distinct strings, found by value or by ordinal · layout: ./FIELDS.md, "Dictionary"
//
//   offsets u32 × (blocks − 1) · entries
//
// Front coding in blocks of 16: the first string of a block is stored whole, each further one as
// the number of bytes it shares with the string before and the rest. A look-up is a binary search
// over first strings and a walk over one block.
import { ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { ValueOrdinal } from '../ids.ts'
import { BLOCK, BlockEntries } from './block-entries.ts'
import type { StringSlices } from './field-data.ts'
import { STRING_BYTES_MAX } from './limits.ts'
import type { PartReader, PartWriter } from './parts.ts'

/** Writes ascending, distinct strings: lengths into the head, bytes as parts. */
export function writeDictionary(strings: StringSlices, head: ByteWriter, parts: PartWriter): void {
  const { bytes, starts, ends } = strings
  assert(starts.length === ends.length, 'each string has a slice')
  const offsets = new ByteWriter(64)
  const entries = new ByteWriter(1024)
  for (let i = 0; i < starts.length; i++) {
    const from = starts[i]!
    const to = ends[i]!
    assert(to - from <= STRING_BYTES_MAX, 'a normalised string has at most STRING_BYTES_MAX bytes')
    let shared = 0
    if (i % BLOCK === 0) {
      if (i > 0) offsets.u32(entries.length)
    } else {
      shared = sharedPrefix(bytes, starts[i - 1]!, ends[i - 1]!, from, to)
      entries.varint(shared)
    }
    entries.varint(to - from - shared)
    entries.bytes(bytes.subarray(from + shared, to))
  }
  head.varint(entries.length)
  parts.add(offsets.finish(), 4)
  parts.add(entries.finish(), 1)
}

function sharedPrefix(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const most = Math.min(aEnd - a, bEnd - b)
  let n = 0
  while (n < most && bytes[a + n] === bytes[b + n]) n++
  return n
}

/** Reads a dictionary in place. */
export class Dictionary {
  readonly count: number
  readonly #section: Section
  readonly #entries: BlockEntries
  /**
   * The walk that all look-ups share. They are synchronous and keep no state in it between calls.
   */
  #probe: StringWalk | null = null

  constructor(section: Section, count: number, reader: PartReader) {
    this.count = count
    this.#section = section
    this.#entries = new BlockEntries(section, count, reader.head.varint(), reader)
  }

  /** Returns a copy of string `ordinal`. */
  get(ordinal: ValueOrdinal): Uint8Array {
    const walk = this.#lookUp()
    walk.seek(ordinal)
    return walk.bytes.slice(0, walk.length)
  }

  /** Returns the first ordinal whose string is at least `key`, or `count`. */
  lowerBound(key: Uint8Array): number {
    return this.#bound(key, false)
  }

  /** Returns the first ordinal whose string is above `key`, or `count`. */
  upperBound(key: Uint8Array): number {
    return this.#bound(key, true)
  }

  /** Returns the ordinal of `key`, or -1. */
  find(key: Uint8Array): number {
    const ordinal = this.#bound(key, false)
    if (ordinal === this.count) return -1
    const walk = this.#lookUp()
    walk.seek(ordinal)
    return walk.compare(key) === 0 ? ordinal : -1
  }

  /** Returns a walk over the strings, positioned before the first. */
  walk(): StringWalk {
    return new StringWalk(this)
  }

  /**
   * Returns true if a string has at least `bytesMin` bytes. Reads the blocks that have as many:
   * bytes that a string shares with those before it are in its block, too.
   */
  hasOf(bytesMin: number): boolean {
    const walk = this.#lookUp()
    for (let first = 0; first < this.count; first += BLOCK) {
      const block = first / BLOCK
      if (this.#entries.end(block) - this.#entries.begin(block) < bytesMin) continue
      const end = Math.min(first + BLOCK, this.count)
      for (walk.seek(first); ; walk.next()) {
        if (walk.length >= bytesMin) return true
        if (walk.ordinal + 1 === end) break
      }
    }
    return false
  }

  #lookUp(): StringWalk {
    this.#probe ??= new StringWalk(this)
    return this.#probe
  }

  #bound(key: Uint8Array, above: boolean): number {
    const walk = this.#lookUp()
    let low = 0
    let high = Math.ceil(this.count / BLOCK)
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.compareFirst(middle, key)
      if (order < 0 || (above && order === 0)) low = middle + 1
      else high = middle
    }
    if (low === 0) return 0
    const end = Math.min(low * BLOCK, this.count)
    walk.seek((low - 1) * BLOCK)
    while (walk.ordinal + 1 < end) {
      walk.next()
      const order = walk.compare(key)
      if (order > 0 || (!above && order === 0)) return walk.ordinal
    }
    return end
  }

  /** Compares the first string of a block with `key`, in place: negative, zero or positive. */
  compareFirst(block: number, key: Uint8Array): number {
    const bytes = this.#section.bytes
    let at = this.#entries.begin(block)
    this.#section.touch(at, 2)
    let length = bytes[at++]!
    if (length >= 128) length = (length & 127) | (bytes[at++]! << 7)
    this.#section.touch(at, length)
    const shared = Math.min(length, key.length)
    for (let i = 0; i < shared; i++) {
      const difference = bytes[at + i]! - key[i]!
      if (difference !== 0) return difference
    }
    return length - key.length
  }

  /** The section, for a walk. */
  get section(): Section {
    return this.#section
  }

  /** Verifies block `block` and returns the offset of its entries in the section. */
  blockStart(block: number): number {
    return this.#entries.enter(block)
  }

  /** Returns the end of the entries of `block` in the section. The block was verified before. */
  blockEnd(block: number): number {
    return this.#entries.end(block)
  }
}

/**
 * Walks over the strings of a dictionary without allocating: `bytes[0, length)` is the current
 * string.
 */
export class StringWalk {
  /** Overwritten by every step. */
  readonly bytes: Uint8Array = new Uint8Array(STRING_BYTES_MAX)
  length = 0
  /** Ordinal of the current string; -1 before the first. */
  ordinal = -1
  readonly #dictionary: Dictionary
  readonly #source: Uint8Array
  #at = 0
  #end = 0

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
    this.#source = dictionary.section.bytes
  }

  /**
   * Moves to the next string; returns false at the end. `isStrict`: strings must ascend.
   * @throws CorruptionError
   */
  next(isStrict = false): boolean {
    const ordinal = this.ordinal + 1
    if (ordinal >= this.#dictionary.count) return false
    const before = this.length
    let shared = 0
    if (ordinal % BLOCK === 0) this.#enter(ordinal / BLOCK)
    else shared = this.#varint()
    const suffix = this.#varint()
    if (
      shared > this.length ||
      shared + suffix > STRING_BYTES_MAX ||
      this.#at + suffix > this.#end
    ) {
      this.#refuse(shared + suffix)
    }
    if (isStrict && ordinal > 0) this.#expectAscending(ordinal, before, shared, shared + suffix)
    const source = this.#source
    const target = this.bytes
    let at = this.#at
    for (let i = shared, end = shared + suffix; i < end; i++) target[i] = source[at++]!
    this.#at = at
    this.length = shared + suffix
    this.ordinal = ordinal
    return true
  }

  /**
   * Moves to string `ordinal`. @throws CorruptionError if there is no such string: ordinals are
   * read from rows
   */
  seek(ordinal: ValueOrdinal): void {
    if (ordinal >= this.#dictionary.count) this.#refuseOrdinal(ordinal)
    if (ordinal < this.ordinal || Math.floor(ordinal / BLOCK) > Math.floor(this.ordinal / BLOCK)) {
      this.ordinal = Math.floor(ordinal / BLOCK) * BLOCK - 1
    }
    while (this.ordinal < ordinal) this.next()
  }

  /**
   * Moves forward to the first string that is at least `key`, or stays; returns true if it is
   * `key`. For ascending keys: it skips blocks by doubling steps, which costs a third of a look-up.
   */
  skipTo(key: Uint8Array): boolean {
    const { count } = this.#dictionary
    const blocks = Math.ceil(count / BLOCK)
    let block = Math.max(0, Math.floor(this.ordinal / BLOCK))
    let step = 1
    let end = block + 1
    while (end < blocks && this.#dictionary.compareFirst(end, key) <= 0) {
      block = end
      end += step
      step *= 2
    }
    if (end > blocks) end = blocks
    while (block + 1 < end) {
      const middle = (block + end) >>> 1
      if (this.#dictionary.compareFirst(middle, key) <= 0) block = middle
      else end = middle
    }
    if (this.ordinal < block * BLOCK) this.seek(block * BLOCK)
    while (this.compare(key) < 0) if (!this.next()) return false
    return this.compare(key) === 0
  }

  /** Compares the current string with `key`: negative, zero or positive. */
  compare(key: Uint8Array): number {
    const bytes = this.bytes
    const shared = Math.min(this.length, key.length)
    for (let i = 0; i < shared; i++) {
      const difference = bytes[i]! - key[i]!
      if (difference !== 0) return difference
    }
    return this.length - key.length
  }

  /** Compares the current string with that of `other`: negative, zero or positive. */
  compareTo(other: StringWalk): number {
    const shared = Math.min(this.length, other.length)
    for (let i = 0; i < shared; i++) {
      const difference = this.bytes[i]! - other.bytes[i]!
      if (difference !== 0) return difference
    }
    return this.length - other.length
  }

  /**
   * Compares the next string with the current one, which has `before` bytes: they share `shared`
   * bytes, and the rest of the next one has not been copied yet.
   */
  #expectAscending(ordinal: ValueOrdinal, before: number, shared: number, length: number): void {
    const source = this.#source
    const target = this.bytes
    const end = Math.min(before, length)
    let i = shared
    let at = this.#at
    while (i < end && source[at] === target[i]) {
      i++
      at++
    }
    if (i < end ? source[at]! > target[i]! : length > before) return
    const { tag } = this.#dictionary.section
    refuse(tag, ordinal, 'bad_order', 'ascending strings', 'others')
  }

  #enter(block: number): void {
    this.#at = this.#dictionary.blockStart(block)
    this.#end = this.#dictionary.blockEnd(block)
    this.length = 0
  }

  /** Reads a length: lengths are below 16384, so they take two bytes at most. */
  #varint(): number {
    const first = this.#source[this.#at++]!
    if (first < 128) return first
    return (first & 127) | (this.#source[this.#at++]! << 7)
  }

  #refuseOrdinal(ordinal: ValueOrdinal): never {
    const { section, count } = this.#dictionary
    return refuse(section.tag, this.#at, 'bad_value', `below ${count}`, ordinal)
  }

  #refuse(length: number): never {
    const { tag } = this.#dictionary.section
    return refuse(tag, this.#at, 'bad_length', `at most ${STRING_BYTES_MAX}`, length)
  }
}
