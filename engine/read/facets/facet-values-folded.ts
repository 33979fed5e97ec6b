// The values of a field in the form that facet search compares: folded, that is, passed as one
// token through all normalizers, so that accents do not matter either.
//
// Most normalized strings are already folded; printable ASCII always is. So the dictionary of a
// segment is a sorted list of most folded values, and only values changed by folding are stored
// here, sorted by folded form. A segment never changes, so results are cached by its number.
// Measured: 100,000 titles of which 9 % change, 30 ms; 100,000 names in Cyrillic of which none
// changes, 60 ms.

import { encoder, exactDecoder, withRoom } from '../../../format/bytes/index.ts'
import { LruCache } from '../../../format/cache/index.ts'
import type { StringColumn } from '../../../format/columns/index.ts'
import { assert } from '../../../format/errors.ts'
import type { FieldId, SegmentNo, ValueOrdinal } from '../../../format/ids.ts'

/** Sorted strings with walk and lookup: a dictionary, or folded values. */
export interface SortedStrings {
  readonly count: number
  lowerBound(key: Uint8Array): number
  upperBound(key: Uint8Array): number
  walk(): SortedWalk
}

/** A walk that begins before the first string; `bytes[0, length)` is the current one. */
export interface SortedWalk {
  readonly bytes: Uint8Array
  readonly length: number
  readonly ordinal: ValueOrdinal
  next(): boolean
  seek(ordinal: ValueOrdinal): void
  /**
   * Moves on to the first string not below `key`, or to the last one; returns true if it equals
   * `key`.
   */
  skipTo(key: Uint8Array): boolean
  compare(key: Uint8Array): number
}

/** How values of a field are folded; `key` identifies the rules. */
export type Folding = { readonly key: string; readonly fold: (text: string) => string }

/** Values between two calls of `pause`, which may throw. */
const PAUSE_VALUES = 4096
/** Approximate bytes of an empty instance. */
const OBJECT_BYTES = 512

/** The values of a column that folding changes, ordered by folded form, then by normalized form. */
export class FoldedValues implements SortedStrings {
  readonly count: number
  /** By position: the ordinal of the value in the dictionary. */
  readonly ordinals: Uint32Array
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Bytes of the longest folded value. */
  readonly lengthMax: number
  /** A bit for each ordinal of the dictionary: set for the values stored here. */
  readonly #marks: Uint32Array

  private constructor(texts: Folded, valueCount: number) {
    const { ordinals, bytes, starts } = texts
    const count = ordinals.length
    const ends = Uint32Array.from(ordinals, (_, i) => starts[i + 1] ?? bytes.length)
    const order = new Uint32Array(count).map((_, i) => i)
    order.sort((a, b) => compareSlices(bytes, starts[a]!, ends[a]!, starts[b]!, ends[b]!) || a - b)
    this.count = count
    this.bytes = bytes
    this.lengthMax = ends.reduce((most, end, i) => Math.max(most, end - starts[i]!), 0)
    this.ordinals = order.map((i) => ordinals[i]!)
    this.starts = order.map((i) => starts[i]!)
    this.ends = order.map((i) => ends[i]!)
    this.#marks = new Uint32Array(count === 0 ? 0 : (valueCount >>> 5) + 1)
    for (let i = 0; i < count; i++) this.#marks[ordinals[i]! >>> 5]! |= 1 << (ordinals[i]! & 31)
  }

  static of(column: StringColumn, { fold }: Folding, pause: () => void): FoldedValues {
    return new FoldedValues(foldChanging(column, fold, pause), column.count)
  }

  /** Returns true if folding changes value `ordinal` of the dictionary. */
  changes(ordinal: ValueOrdinal): boolean {
    return this.count > 0 && (this.#marks[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0
  }

  /** Bytes of memory. */
  get byteCount(): number {
    return OBJECT_BYTES + this.bytes.length + 12 * this.count + this.#marks.byteLength
  }

  lowerBound(key: Uint8Array): number {
    return this.bound(key, 0, 0)
  }

  upperBound(key: Uint8Array): number {
    return this.bound(key, 1, 0)
  }

  /**
   * Returns the first position from `from` on whose string compares to `key` at least as `order`.
   */
  bound(key: Uint8Array, order: 0 | 1, from: number): number {
    let low = from
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compareAt(middle, key) < order) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Compares the string at a position with `key`. */
  compareAt(place: number, key: Uint8Array): number {
    const { bytes } = this
    const start = this.starts[place]!
    const length = this.ends[place]! - start
    const shared = Math.min(length, key.length)
    for (let i = 0; i < shared; i++) {
      const difference = bytes[start + i]! - key[i]!
      if (difference !== 0) return difference
    }
    return length - key.length
  }

  walk(): SortedWalk {
    return new FoldedWalk(this)
  }
}

class FoldedWalk implements SortedWalk {
  readonly bytes: Uint8Array
  length = 0
  ordinal = -1
  readonly #values: FoldedValues

  constructor(values: FoldedValues) {
    this.bytes = new Uint8Array(values.lengthMax)
    this.#values = values
  }

  next(): boolean {
    if (this.ordinal + 1 >= this.#values.count) return false
    this.seek(this.ordinal + 1)
    return true
  }

  seek(ordinal: ValueOrdinal): void {
    const { bytes, starts, ends } = this.#values
    assert(ordinal < this.#values.count, 'a walk over folded values stays among them')
    const start = starts[ordinal]!
    const length = ends[ordinal]! - start
    const target = this.bytes
    for (let i = 0; i < length; i++) target[i] = bytes[start + i]!
    this.length = length
    this.ordinal = ordinal
  }

  skipTo(key: Uint8Array): boolean {
    const values = this.#values
    if (values.count === 0) return false
    const found = values.bound(key, 0, Math.max(0, this.ordinal))
    this.seek(Math.min(found, values.count - 1))
    return this.compare(key) === 0
  }

  compare(key: Uint8Array): number {
    return this.#values.compareAt(this.ordinal, key)
  }
}

/** The changed strings in order of the dictionary: string i is bytes[starts[i], starts[i + 1]). */
type Folded = {
  readonly ordinals: Uint32Array
  readonly starts: Uint32Array
  readonly bytes: Uint8Array
}

function foldChanging(
  column: StringColumn,
  fold: (text: string) => string,
  pause: () => void,
): Folded {
  const walk = column.dictionary.walk()
  const ordinals: number[] = []
  const starts: number[] = []
  let bytes = new Uint8Array(4096)
  let end = 0
  while (walk.next()) {
    if (walk.ordinal % PAUSE_VALUES === 0) pause()
    if (isPrintable(walk.bytes, walk.length)) continue
    const text = exactDecoder.decode(walk.bytes.subarray(0, walk.length))
    const folded = fold(text)
    if (folded === text) continue
    const room = folded.length * 3
    bytes = withRoom(bytes, end + room)
    ordinals.push(walk.ordinal)
    starts.push(end)
    end += encoder.encodeInto(folded, bytes.subarray(end)).written
  }
  return {
    ordinals: Uint32Array.from(ordinals),
    starts: Uint32Array.from(starts),
    bytes: bytes.slice(0, end),
  }
}

/** Returns true if a normalized string is printable ASCII; it is then its own folded form. */
function isPrintable(bytes: Uint8Array, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[i]! < 0x20 || bytes[i]! > 0x7e) return false
  return true
}

function compareSlices(
  bytes: Uint8Array,
  a: number,
  aEnd: number,
  b: number,
  bEnd: number,
): number {
  const end = Math.min(aEnd, a + bEnd - b)
  for (let i = a, j = b; i < end; i++, j++) {
    const difference = bytes[i]! - bytes[j]!
    if (difference !== 0) return difference
  }
  return aEnd - a - (bEnd - b)
}

/**
 * Cache of the folded values of segments; drops the least recently used first. Each search thread
 * has one.
 */
export class FoldedCache {
  readonly #bytesMax: number
  readonly #cached: LruCache<string, { readonly segment: SegmentNo; readonly values: FoldedValues }>

  /** Values that alone take more than `bytesMax` are not cached. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#cached = new LruCache(bytesMax)
  }

  /** Bytes of memory. */
  get byteCount(): number {
    return this.#cached.cost
  }

  /**
   * Returns the folded values of a field in the segment with this number. @throws errors of `pause`
   */
  get(
    segment: SegmentNo,
    fieldId: FieldId,
    column: StringColumn,
    folding: Folding,
    pause: () => void,
  ): FoldedValues {
    const key = `${segment} ${fieldId} ${folding.key}`
    const cached = this.#cached.get(key)
    if (cached !== undefined) return cached.values
    const values = FoldedValues.of(column, folding, pause)
    if (values.byteCount > this.#bytesMax) return values
    this.#cached.set(key, { segment, values }, values.byteCount)
    return values
  }

  /** Removes the values of these segments. */
  drop(segments: Iterable<SegmentNo>): void {
    const closed = new Set(segments)
    this.#cached.drop(({ segment }) => closed.has(segment))
  }
}
