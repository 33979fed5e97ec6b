// The values of each document · layout: ./FIELDS.md, "Rows"
//
//   starts (holders + 1), unless each holder has exactly one value · ordinals
//
// Rows are in order of the holders, the documents that have a value. Arrays are as narrow as
// possible.
import type { ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import type { RowsData } from './field-data.ts'
import type { Members } from './members.ts'
import { type Packed, type PackedWidth, packedBytes, packedView, widthFor } from './packed.ts'
import type { PartReader, PartWriter } from './parts.ts'

/** Writes rows whose ordinals are below `ordinalCount`. */
export function writeRows(
  rows: RowsData,
  ordinalCount: number,
  head: ByteWriter,
  parts: PartWriter,
): void {
  const holders = rows.holders.length
  const total = rows.ordinals.length
  assert(rows.starts.length === holders + 1, 'each row has a start and an end')
  assert(rows.starts[holders] === total, 'rows hold all ordinals')
  head.varint(holders)
  head.varint(total)
  if (total !== holders) {
    const width = widthFor(total)
    parts.add(packedBytes(rows.starts, holders + 1, width), width)
  }
  const width = widthFor(ordinalCount - 1)
  parts.add(packedBytes(rows.ordinals, total, width), width)
}

const NO_VALUES = new Uint8Array(0)

/**
 * Ranks of the requested documents, -1 for those without a row. Shared by all readers, since
 * reading is synchronous.
 */
let rankScratch = new Int32Array(1024)

/** Reads rows in place. */
export class Rows {
  /** Number of documents with a value. */
  readonly holderCount: number
  /** Number of values of all documents together. */
  readonly total: number
  /** True if each holder has exactly one value. */
  readonly isSingle: boolean
  readonly ordinalCount: number
  readonly #section: Section
  readonly #holders: () => Members
  readonly #startsAt: number
  readonly #startsWidth: PackedWidth
  readonly #ordinalsAt: number
  readonly #ordinalsWidth: PackedWidth
  #starts: Packed | null = null
  #ordinals: Packed | null = null
  /** The rows of the ranks [#low, #high) are verified. */
  #low = 0
  #high = 0

  constructor(
    section: Section,
    ordinalCount: number,
    docCount: number,
    holders: () => Members,
    reader: PartReader,
  ) {
    this.#section = section
    this.#holders = holders
    this.ordinalCount = ordinalCount
    this.holderCount = reader.head.varint()
    this.total = reader.head.varint()
    reader.expect(this.holderCount <= docCount, `at most ${docCount} rows`, this.holderCount)
    reader.expect(this.total >= this.holderCount, `at least ${this.holderCount}`, this.total)
    this.isSingle = this.total === this.holderCount
    this.#startsWidth = widthFor(this.total)
    const startCount = this.isSingle ? 0 : this.holderCount + 1
    this.#startsAt = reader.part(startCount * this.#startsWidth, this.#startsWidth)
    this.#ordinalsWidth = widthFor(ordinalCount - 1)
    this.#ordinalsAt = reader.part(this.total * this.#ordinalsWidth, this.#ordinalsWidth)
  }

  /**
   * Returns the documents that have a row.
   * @throws CorruptionError if their number differs from that of the rows
   */
  holders(): Members {
    const holders = this.#holders()
    if (holders.size !== this.holderCount) {
      refuse(this.#section.tag, this.#startsAt, 'bad_value', this.holderCount, holders.size)
    }
    return holders
  }

  /**
   * Returns the value ordinals of document `id`, ascending; a view, empty for a document without
   * values.
   */
  of(id: DocId): Packed {
    const rank = this.holders().rankOf(id)
    return rank < 0 ? NO_VALUES : this.atRank(rank)
  }

  /** Returns the value ordinals of the holder with rank `rank`; a view. */
  atRank(rank: number): Packed {
    this.#verify(rank, rank + 1)
    return this.#allOrdinals().subarray(this.#start(rank), this.#start(rank + 1))
  }

  /**
   * Adds 1 to `counts[ordinal]` for each value ordinal of each of the ascending ids[from, to).
   * `counts` has room for `ordinalCount`. About 5 ns per document and 3 ns per value.
   */
  count(ids: Uint32Array, from: number, to: number, counts: Uint32Array): void {
    const ranks = this.#ranks(ids, from, to)
    const ordinals = this.#allOrdinals()
    assert(counts.length >= this.ordinalCount, 'there is a count for each ordinal')
    if (this.isSingle) countSingle(ranks, to - from, ordinals, counts)
    else countMany(ranks, to - from, this.#allStarts(), ordinals, counts)
  }

  /**
   * Adds 1 to `counts[group]` for each document of the ascending ids[from, to) with a value of the
   * group, once. `groups` has the group of each ordinal. About 10 ns per value.
   */
  countGroups(
    ids: Uint32Array,
    from: number,
    to: number,
    groups: Uint32Array,
    counts: Uint32Array,
  ): void {
    const ranks = this.#ranks(ids, from, to)
    const ordinals = this.#allOrdinals()
    assert(groups.length >= this.ordinalCount, 'there is a group for each ordinal')
    /** By group: one more than the last rank that was counted. */
    const last = new Uint32Array(counts.length)
    for (let i = 0; i < to - from; i++) {
      const rank = ranks[i]!
      if (rank < 0) continue
      const end = Math.min(this.#start(rank + 1), this.total)
      for (let j = this.#start(rank); j < end; j++) {
        const group = groups[ordinals[j]!]!
        if (last[group] === rank + 1) continue
        last[group] = rank + 1
        counts[group]!++
      }
    }
  }

  /**
   * Returns the value ordinals of the ascending ids[from, to), document by document, with
   * repetitions.
   */
  collect(ids: Uint32Array, from: number, to: number): Uint32Array {
    const ranks = this.#ranks(ids, from, to)
    const ordinals = this.#allOrdinals()
    let total = 0
    for (let i = 0; i < to - from; i++) {
      const rank = ranks[i]!
      if (rank >= 0) total += Math.max(0, this.#start(rank + 1) - this.#start(rank))
    }
    const out = new Uint32Array(Math.min(total, this.total))
    let n = 0
    for (let i = 0; i < to - from; i++) {
      const rank = ranks[i]!
      if (rank < 0) continue
      const end = Math.min(this.#start(rank + 1), this.total)
      for (let j = this.#start(rank); j < end; j++) out[n++] = ordinals[j]!
    }
    return out
  }

  /**
   * Writes the smallest or largest value ordinal of each of the ascending ids[from, to) into `out`
   * from index 0 on, or `none` for a document without a value.
   */
  extremes(
    ids: Uint32Array,
    from: number,
    to: number,
    largest: boolean,
    none: number,
    out: Uint32Array,
  ): void {
    const ranks = this.#ranks(ids, from, to)
    const ordinals = this.#allOrdinals()
    if (this.isSingle) {
      for (let i = 0; i < to - from; i++) out[i] = ranks[i]! < 0 ? none : ordinals[ranks[i]!]!
      return
    }
    const starts = this.#allStarts()
    const shift = largest ? 1 : 0
    for (let i = 0; i < to - from; i++) {
      const rank = ranks[i]!
      out[i] = rank < 0 ? none : ordinals[starts[rank + shift]! - shift]!
    }
  }

  /**
   * Returns all rows as 32-bit numbers: starts (holderCount + 1) and ordinals. Verified and
   * checked, for merging.
   */
  toArrays(): { readonly starts: Uint32Array; readonly ordinals: Uint32Array } {
    this.#verify(0, this.holderCount)
    const starts = new Uint32Array(this.holderCount + 1)
    if (this.isSingle) for (let h = 0; h <= this.holderCount; h++) starts[h] = h
    else starts.set(this.#allStarts())
    const ordinals = new Uint32Array(this.#allOrdinals())
    this.#check(starts, ordinals)
    return { starts, ordinals }
  }

  #check(starts: Uint32Array, ordinals: Uint32Array): void {
    const { tag } = this.#section
    if (starts[0] !== 0 || starts[this.holderCount] !== this.total) {
      refuse(tag, this.#startsAt, 'bad_value', this.total, starts[this.holderCount]!)
    }
    for (let h = 0; h < this.holderCount; h++) {
      const from = starts[h]!
      const to = starts[h + 1]!
      if (from >= to) refuse(tag, this.#startsAt, 'bad_order', `more than ${from}`, to)
      for (let i = from; i < to; i++) {
        const ordinal = ordinals[i]!
        if (ordinal >= this.ordinalCount || (i > from && ordinal <= ordinals[i - 1]!)) {
          refuse(
            tag,
            this.#ordinalsAt,
            'bad_order',
            `ascending below ${this.ordinalCount}`,
            ordinal,
          )
        }
      }
    }
  }

  /** Returns the ranks of ids[from, to) and verifies their rows. */
  #ranks(ids: Uint32Array, from: number, to: number): Int32Array {
    const count = to - from
    if (rankScratch.length < count) rankScratch = new Int32Array(count * 2)
    const ranks = rankScratch
    this.holders().ranks(ids, from, to, ranks)
    let low = 0
    let high = count - 1
    while (low < count && ranks[low]! < 0) low++
    while (high >= low && ranks[high]! < 0) high--
    if (low <= high) this.#verify(ranks[low]!, ranks[high]! + 1)
    return ranks
  }

  #start(rank: number): number {
    return this.isSingle ? rank : this.#allStarts()[rank]!
  }

  #allStarts(): Packed {
    const count = this.isSingle ? 0 : this.holderCount + 1
    this.#starts ??= packedView(this.#section, this.#startsAt, count, this.#startsWidth)
    return this.#starts
  }

  #allOrdinals(): Packed {
    this.#ordinals ??= packedView(this.#section, this.#ordinalsAt, this.total, this.#ordinalsWidth)
    return this.#ordinals
  }

  /**
   * Verifies the rows of the ranks [low, high) and extends the remembered span of verified rows.
   */
  #verify(low: number, high: number): void {
    if (low >= this.#low && high <= this.#high) return
    if (!this.isSingle) {
      const width = this.#startsWidth
      this.#section.touch(this.#startsAt + low * width, (high + 1 - low) * width)
    }
    const from = this.#start(low)
    const to = this.#start(high)
    if (from > to || to > this.total) {
      refuse(this.#section.tag, this.#startsAt + low, 'bad_order', `${from}..${this.total}`, to)
    }
    const width = this.#ordinalsWidth
    this.#section.touch(this.#ordinalsAt + from * width, (to - from) * width)
    const isApart = low > this.#high || high < this.#low
    this.#low = isApart ? low : Math.min(low, this.#low)
    this.#high = isApart ? high : Math.max(high, this.#high)
  }
}

function countSingle(
  ranks: Int32Array,
  count: number,
  ordinals: Packed,
  counts: Uint32Array,
): void {
  for (let i = 0; i < count; i++) {
    const rank = ranks[i]!
    if (rank >= 0) counts[ordinals[rank]!]!++
  }
}

function countMany(
  ranks: Int32Array,
  count: number,
  starts: Packed,
  ordinals: Packed,
  counts: Uint32Array,
): void {
  for (let i = 0; i < count; i++) {
    const rank = ranks[i]!
    if (rank < 0) continue
    const end = Math.min(starts[rank + 1]!, ordinals.length)
    for (let j = starts[rank]!; j < end; j++) counts[ordinals[j]!]!++
  }
}
