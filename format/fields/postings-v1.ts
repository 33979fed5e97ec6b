// The documents that have a value, or one in a range of values · layout: ./FIELDS.md, "Postings"
//
// A list of id sets by value ordinal, and above it a hierarchy: unions of groups of 64 ordinals, of
// 64 such groups, and so on. The documents of any range are the union of a few sets, without a scan
// of the values.

import type { ByteWriter } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { ValueOrdinal } from '../ids.ts'
import type { IdSet, IdUnion } from '../idset/index.ts'
import type { RowsData } from './field-data.ts'
import {
  type IdBounds,
  LIST_BLOCK,
  type ListBytes,
  type ListPlace,
  ListReader,
  ListWriter,
  readingCost,
} from './lists-v1.ts'
import type { PartReader, PartWriter } from './parts.ts'

const GROUP_BITS = 6
const LEVELS_MAX = 5
/** A range that costs less than this, in the unit of `readingCost`, needs no level: about 30 µs. */
const COST_MIN = 1 << 15
/**
 * A level is written only if it makes reading this many times cheaper than the level below;
 * otherwise it only costs space. Ranges of strings are rare, so theirs have to save more.
 */
export const NUMBER_GAIN = 2
export const STRING_GAIN = 4

/** The ids of the holders by ordinal: those of ordinal o are `ids[starts[o], starts[o + 1])`. */
type Inverted = { readonly starts: Uint32Array; readonly ids: Uint32Array }

/**
 * Inverts rows by a counting sort, O(values). Ordinals are mapped by `map` (null: not mapped) and
 * shifted right by `shift` bits, so a group of ordinals works like one value; a document counts
 * once per group.
 */
function invert(rows: RowsData, map: Uint32Array | null, shift: number, count: number): Inverted {
  const { holders, starts: rowStarts, ordinals } = rows
  const starts = new Uint32Array(count + 1)
  let last = -1
  for (let h = 0, i = 0; h < holders.length; h++) {
    last = -1
    for (const end = rowStarts[h + 1]!; i < end; i++) {
      const ordinal = ordinals[i]!
      const group = (map === null ? ordinal : map[ordinal]!) >>> shift
      if (group !== last) starts[group + 1]!++
      last = group
    }
  }
  for (let g = 0; g < count; g++) starts[g + 1]! += starts[g]!
  const next = starts.slice(0, count)
  const ids = new Uint32Array(starts[count]!)
  for (let h = 0, i = 0; h < holders.length; h++) {
    const id = holders[h]!
    last = -1
    for (const end = rowStarts[h + 1]!; i < end; i++) {
      const ordinal = ordinals[i]!
      const group = (map === null ? ordinal : map[ordinal]!) >>> shift
      if (group !== last) ids[next[group]!++] = id
      last = group
    }
  }
  return { starts, ids }
}

function listOf(inverted: Inverted, count: number, firstId: number): ListBytes {
  const writer = new ListWriter(firstId)
  for (let i = 0; i < count; i++) {
    writer.add(inverted.ids, inverted.starts[i]!, inverted.starts[i + 1]!)
  }
  return writer.finish()
}

function costOf(inverted: Inverted, count: number): number {
  let cost = 0
  for (let i = 0; i < count; i++) {
    cost += readingCost(inverted.ids, inverted.starts[i]!, inverted.starts[i + 1]!)
  }
  return cost
}

const groupsAt = (count: number, level: number): number =>
  ((count - 1) >>> (GROUP_BITS * level)) + 1

/**
 * Writes the postings of `count` values, and each level above them that is `gain` times cheaper to
 * read.
 */
export function writePostings(
  rows: RowsData,
  map: Uint32Array | null,
  count: number,
  firstId: number,
  gain: number,
  head: ByteWriter,
  parts: PartWriter,
): void {
  assert(count > 0 && rows.holders.length > 0, 'a field with values has a value and a holder')
  const leaf = invert(rows, map, 0, count)
  const lists = [listOf(leaf, count, firstId)]
  let below = groupsAt(count, 1) >= 2 ? costOf(leaf, count) : 0
  let built = 0
  for (let level = 1; level <= LEVELS_MAX && groupsAt(count, level) >= 2; level++) {
    if (below < COST_MIN) break
    const groups = groupsAt(count, level)
    const inverted = invert(rows, map, GROUP_BITS * level, groups)
    const cost = costOf(inverted, groups)
    if (cost * gain > below) continue
    lists.push(listOf(inverted, groups, firstId))
    below = cost
    built |= 1 << level
  }
  head.varint(built)
  for (const list of lists) writeList(list, head, parts)
}

/** Writes one list: its lengths into the head, its bytes as parts. */
export function writeList(list: ListBytes, head: ByteWriter, parts: PartWriter): void {
  head.varint(list.entries.length)
  head.varint(list.sets.length)
  parts.add(list.offsets, 4)
  parts.add(list.sets, 2)
  parts.add(list.sizes, 1)
  parts.add(list.entries, 1)
}

/** Reads what `writeList` wrote and returns the offsets; the list's bytes are not read. */
export function placeList(count: number, reader: PartReader): ListPlace {
  const entriesBytes = reader.head.varint()
  const setsBytes = reader.head.varint()
  const blocks = Math.ceil(count / LIST_BLOCK)
  const offsetsAt = reader.part(Math.max(0, blocks - 1) * 4, 4)
  const setsAt = reader.part(setsBytes, 2)
  const sizesAt = reader.part(count, 1)
  const entriesAt = reader.part(entriesBytes, 1)
  return { count, sizesAt, offsetsAt, entriesAt, entriesBytes, setsAt, setsBytes }
}

/** Unions of groups of 2 ** bits ordinals. */
type Level = { readonly bits: number; readonly list: ListReader }

/** Reads the postings of one type of values of a field, in place. */
export class Postings {
  /** Number of values. */
  readonly count: number
  readonly #leaf: ListReader
  /** From fine to coarse. */
  readonly #levels: readonly Level[]
  /** Returns all documents that have a value. */
  readonly #holders: () => IdSet

  private constructor(leaf: ListReader, levels: readonly Level[], holders: () => IdSet) {
    this.count = leaf.count
    this.#leaf = leaf
    this.#levels = levels
    this.#holders = holders
  }

  /** Reads the parts in the order of `writePostings`. @throws CorruptionError */
  static open(
    section: Section,
    count: number,
    bounds: IdBounds,
    holders: () => IdSet,
    reader: PartReader,
  ): Postings {
    const built = reader.head.varint()
    reader.expect(built < 2 << LEVELS_MAX && built % 2 === 0, 'levels', built)
    const leaf = new ListReader(section, placeList(count, reader), bounds)
    const levels: Level[] = []
    for (let level = 1; level <= LEVELS_MAX; level++) {
      if ((built & (1 << level)) === 0) continue
      const list = new ListReader(section, placeList(groupsAt(count, level), reader), bounds)
      levels.push({ bits: GROUP_BITS * level, list })
    }
    return new Postings(leaf, levels, holders)
  }

  /** Returns the documents with value `ordinal`. */
  get(ordinal: ValueOrdinal): IdSet {
    return this.#leaf.get(ordinal)
  }

  /**
   * Returns the ids of the documents with value `ordinal`, ascending; valid until the next call.
   */
  ids(ordinal: ValueOrdinal): Uint32Array {
    return this.#leaf.ids(ordinal)
  }

  /** Returns the number of documents with value `ordinal`, without decoding them. */
  size(ordinal: ValueOrdinal): number {
    return this.#leaf.size(ordinal)
  }

  /**
   * Writes the number of documents of each of the values [from, to) into `out` from index 0 on:
   * about 10 ns per value.
   */
  sizes(from: number, to: number, out: Uint32Array): void {
    this.#leaf.sizes(from, to, out)
  }

  /** Returns the number of documents with value `ordinal` whose bits are set in `words`. */
  countIn(ordinal: ValueOrdinal, words: Uint32Array): number {
    return this.#leaf.countIn(ordinal, words)
  }

  /** Adds the documents with a value among the ordinals [from, to) to `union`. */
  addRange(from: number, to: number, union: IdUnion): void {
    if (from >= to) return
    if (from === 0 && to === this.count) union.addSet(this.#holders())
    else this.#cover(this.#levels.length, from, to, union)
  }

  /**
   * Covers [from, to) with whole groups of one level in the middle and finer levels at both ends.
   */
  #cover(height: number, from: number, to: number, union: IdUnion): void {
    if (from >= to) return
    const level = height === 0 ? undefined : this.#levels[height - 1]
    if (level === undefined) {
      this.#leaf.addTo(from, to, union)
      return
    }
    const width = 2 ** level.bits
    const first = Math.ceil(from / width)
    const end = to === this.count ? level.list.count : Math.floor(to / width)
    if (first >= end) {
      this.#cover(height - 1, from, to, union)
      return
    }
    this.#cover(height - 1, from, first * width, union)
    level.list.addTo(first, end, union)
    this.#cover(height - 1, Math.min(end * width, to), to, union)
  }
}
