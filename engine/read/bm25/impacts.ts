// Upper bounds of a word's part in the scores of the documents of one segment: a byte for each
// document. They lie in windows of ids, which are read when a search needs them.
import type { DocId } from '../../../format/ids.ts'

/** Ids of a window: their bounds fit into the first cache of a processor. */
const WINDOW_BITS = 14
export const WINDOW_IDS = 1 << WINDOW_BITS
const windowOf = (id: DocId): number => id >>> WINDOW_BITS

/** The level of a frequency that is infinite: a bound of `level / LEVELS` times the idf. */
export const LEVELS = 255

/** Documents of several windows whose frequencies are read at a time. */
const READ_TOGETHER_MAX = 8192

/** Returns the levels of ascending ids. */
export type ReadLevels = (ids: Uint32Array) => Uint8Array

export class Impacts {
  /** The first window with a document, and the end of the last one. */
  readonly from: number
  readonly to: number
  /** By window from the first one on: where its documents begin. */
  readonly #starts: Uint32Array
  /** By document: its id without the number of its window. */
  readonly #offsets: Uint16Array
  readonly #levels: Uint8Array
  /** By window: its largest level. */
  readonly #largest: Uint8Array
  /** By window: 1 if its levels were read; until then they are the largest possible. */
  readonly #isRead: Uint8Array
  /** The largest number of dead documents that were left out. */
  deadMax = 0

  /** `ids`: of all documents with the word, ascending, at least one. */
  constructor(ids: Uint32Array) {
    this.from = windowOf(ids[0]!)
    this.to = windowOf(ids[ids.length - 1]!) + 1
    const windows = this.to - this.from
    this.#starts = new Uint32Array(windows + 1)
    this.#offsets = new Uint16Array(ids.length)
    this.#levels = new Uint8Array(ids.length).fill(LEVELS)
    this.#largest = new Uint8Array(windows)
    this.#isRead = new Uint8Array(windows)
    let window = 0
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      while (window < windowOf(id) - this.from) this.#starts[++window] = i
      this.#offsets[i] = id & (WINDOW_IDS - 1)
      this.#largest[window] = LEVELS
    }
    this.#starts[windows] = ids.length
  }

  /** The number of documents. */
  get size(): number {
    return this.#offsets.length
  }

  get byteLength(): number {
    return 3 * this.#offsets.length + 6 * this.#starts.length
  }

  /** Returns the largest level of a window; 0 if no document has the word. */
  largest(window: number): number {
    return window < this.from || window >= this.to ? 0 : this.#largest[window - this.from]!
  }

  /** Returns the number of documents of a window. */
  sizeIn(window: number): number {
    const w = window - this.from
    return w < 0 || w >= this.#largest.length ? 0 : this.#starts[w + 1]! - this.#starts[w]!
  }

  isRead(window: number): boolean {
    return this.largest(window) === 0 || this.#isRead[window - this.from] === 1
  }

  /**
   * Reads the levels of a window, and of those behind it that are read at the same time; returns the
   * number of documents.
   */
  read(window: number, levelsOf: ReadLevels): number {
    const first = window - this.from
    const at = this.#starts[first]!
    let end = first + 1
    while (end < this.#largest.length && this.#isRead[end] === 0) {
      if (this.#starts[end + 1]! - at > READ_TOGETHER_MAX) break
      end++
    }
    const ids = new Uint32Array(this.#starts[end]! - at)
    for (let w = first; w < end; w++) {
      const base = (this.from + w) * WINDOW_IDS
      for (let i = this.#starts[w]!; i < this.#starts[w + 1]!; i++) {
        ids[i - at] = base + this.#offsets[i]!
      }
    }
    const levels = levelsOf(ids)
    this.#levels.set(levels, at)
    for (let w = first; w < end; w++) {
      let largest = 0
      for (let i = this.#starts[w]!; i < this.#starts[w + 1]!; i++) {
        if (levels[i - at]! > largest) largest = levels[i - at]!
      }
      this.#largest[w] = largest
      this.#isRead[w] = 1
    }
    return ids.length
  }

  /**
   * Adds the levels of a window, times `scale`, to the sums of its ids; returns the number of ids.
   */
  add(window: number, scale: number, to: WindowSums): number {
    const w = window - this.from
    if (w < 0 || w >= this.#largest.length) return 0
    const from = this.#starts[w]!
    const end = this.#starts[w + 1]!
    addLevels({ offsets: this.#offsets, levels: this.#levels, from, scale }, end, to)
    return end - from
  }

  /**
   * Moves those ids of a window that have the word and a sum of at least `needed`, above 0, to `some`
   * behind its first `count`; returns their number with these. The sums of all ids with the word are
   * 0 then.
   */
  collect(window: number, from: WindowSums, needed: number, some: Sums, count: number): number {
    const w = window - this.from
    if (w < 0 || w >= this.#largest.length) return count
    const part = this.#offsets.subarray(this.#starts[w]!, this.#starts[w + 1]!)
    return collectAmong(part, from.sums, needed, some, count)
  }

  /**
   * Adds the levels of those of the first `count` ids of `some` that have the word, and moves the
   * ids whose sums are at least `needed` to the beginning; returns their number.
   */
  addAmong(window: number, scale: number, some: Sums, count: number, needed: number): number {
    const w = window - this.from
    const isOutside = w < 0 || w >= this.#largest.length
    const from = isOutside ? 0 : this.#starts[w]!
    const offsets = isOutside ? NO_OFFSETS : this.#offsets.subarray(from, this.#starts[w + 1]!)
    const part = { offsets, levels: this.#levels, from, scale }
    return addLevelsAmong(part, some, count, needed, this.isRead(window) ? 0 : scale * LEVELS)
  }
}

const NO_OFFSETS = new Uint16Array(0)

/** Ids of a window, ascending, with their sums. */
export type Sums = {
  readonly offsets: Uint16Array
  readonly sums: Float32Array
  /** The parts of the sums that levels add which were not read. */
  readonly unread: Float32Array
}

/** The sums of all ids of a window. */
export class WindowSums {
  readonly sums = new Float32Array(WINDOW_IDS)
  /** A bit for each id while ids are put in order. */
  readonly marks = new Uint32Array(WINDOW_IDS / 32)

  /**
   * Moves the ids with a sum of at least `needed`, above 0, to `some`; returns their number. All
   * sums are 0 then.
   */
  collect(needed: number, some: Sums): number {
    const { sums } = this
    let count = 0
    for (let offset = 0; offset < sums.length; offset++) {
      const sum = sums[offset]!
      if (sum === 0) continue
      sums[offset] = 0
      if (sum < needed) continue
      some.offsets[count] = offset
      some.sums[count++] = sum
    }
    return count
  }

  /** Puts the first `count` ids of `some` in order. All sums are 0 before and after. */
  order(some: Sums, count: number): void {
    const { marks, sums } = this
    for (let i = 0; i < count; i++) {
      const offset = some.offsets[i]!
      sums[offset] = some.sums[i]!
      marks[offset >>> 5]! |= 1 << (offset & 31)
    }
    let at = 0
    for (let w = 0; at < count; w++) {
      for (let bits = marks[w]!; bits !== 0; bits &= bits - 1) {
        const offset = w * 32 + 31 - Math.clz32(bits & -bits)
        some.offsets[at] = offset
        some.sums[at++] = sums[offset]!
        sums[offset] = 0
      }
      marks[w] = 0
    }
  }
}

type Part = {
  readonly offsets: Uint16Array
  readonly levels: Uint8Array
  /** Where the levels begin. */
  readonly from: number
  readonly scale: number
}

function addLevels({ from, levels, offsets, scale }: Part, to: number, into: WindowSums): void {
  const { sums } = into
  for (let i = from; i < to; i++) sums[offsets[i]!]! += levels[i]! * scale
}

function collectAmong(
  offsets: Uint16Array,
  sums: Float32Array,
  needed: number,
  some: Sums,
  before: number,
): number {
  let count = before
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i]!
    const sum = sums[offset]!
    sums[offset] = 0
    if (sum === 0 || sum < needed) continue
    some.offsets[count] = offset
    some.sums[count++] = sum
  }
  return count
}

/** `part.offsets` are those of the window, and begin at 0. `unread`: the part of levels not read. */
function addLevelsAmong(
  part: Part,
  some: Sums,
  count: number,
  needed: number,
  unread: number,
): number {
  const { from, levels, offsets, scale } = part
  const end = offsets.length
  let at = 0
  let kept = 0
  for (let i = 0; i < count; i++) {
    const offset = some.offsets[i]!
    at = place(offsets, at, offset)
    let sum = some.sums[i]!
    let more = 0
    if (at < end && offsets[at] === offset) {
      sum += levels[from + at]! * scale
      more = unread
    }
    if (sum < needed) continue
    some.offsets[kept] = offset
    some.unread[kept] = some.unread[i]! + more
    some.sums[kept++] = sum
  }
  return kept
}

/**
 * Returns the first index from `from` on whose offset is at least `offset`; O(log distance). As
 * `gallop` of `format/idset`, which V8 compiles for one kind of array.
 */
function place(offsets: Uint16Array, from: number, offset: number): number {
  let step = 1
  let low = from
  let high = from
  while (high < offsets.length && offsets[high]! < offset) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > offsets.length) high = offsets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (offsets[middle]! < offset) low = middle + 1
    else high = middle
  }
  return low
}
