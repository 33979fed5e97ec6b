// One query word prepared for the walk: where each code point occurs in it, and how the automaton moves on
// the bytes of a key · page: ./LEVENSHTEIN.md
//
// The states of ./parametric.ts leave their low five bits free. Here they say:
//   bits 0–1  bytes still missing of a code point whose lead byte was read
//   bits 2–3  prefix mode: the least distance of a prefix so far + 1, or 0
import { assert } from '../errors.ts'
import {
  acceptSlot,
  automata,
  BASE_SHIFT,
  DEAD,
  DISTANCE_MAX,
  FAR,
  ID_MASK,
  PATTERN_BITS,
  SETTLED,
  START,
} from './parametric.ts'

/** Longest query, in code points; the table of occurrences has distinct code points × length bytes. */
export const FUZZY_QUERY_CODE_POINTS_MAX = 1000

const ID_BITS = ID_MASK & ~((1 << PATTERN_BITS) - 1)
const MISSING_MASK = 3
const BEST_SHIFT = 2

export type FuzzyOptions = {
  readonly maxDistance: 1 | 2
  /** Accept a key when some prefix of it is near enough; its distance is that of the nearest prefix. */
  readonly prefix: boolean
  /** The distance up to which keys with another first code point are accepted; -1: never. */
  readonly otherFirstDistanceMax: -1 | 0 | 1 | 2
}

export class FuzzyPattern {
  /** Code points of the query. */
  readonly length: number
  readonly options: FuzzyOptions

  readonly #steps: Uint16Array
  readonly #accepts: Uint8Array
  readonly #edits: Uint8Array
  readonly #initial: readonly number[]
  /** By row + base: the pattern of a code point. Row 0 is for those that do not occur. */
  readonly #patterns: Uint8Array
  /** Rows of ASCII, then rows of the code points in `#wide`. */
  readonly #rows = new Int32Array(128)
  readonly #wide: Int32Array
  readonly #wideRows: Int32Array
  readonly #firstRow: number
  /** UTF-8 of the first code point; empty for an empty query. */
  readonly #firstBytes: Uint8Array
  /** By byte: 1 when it begins a code point of the query that takes several. */
  readonly #leads = new Uint8Array(256)

  constructor(query: string, options: FuzzyOptions) {
    assert(options.otherFirstDistanceMax <= options.maxDistance, 'the first letter is not freer')
    // A surrogate on its own has no UTF-8; it becomes what an encoder would write.
    const points = Array.from(query.replace(/\p{Cs}/gu, '\ufffd'), (c) => c.codePointAt(0)!)
    assert(points.length <= FUZZY_QUERY_CODE_POINTS_MAX, 'a query word is not a text')
    const { steps, accepts, edits, initial } = automata()
    this.length = points.length
    this.options = options
    this.#firstBytes = points.length === 0 ? new Uint8Array(0) : utf8(points[0]!)
    this.#steps = steps
    this.#accepts = accepts
    this.#edits = edits
    this.#initial = initial
    // Bases reach the length and the greatest distance beyond.
    const stride = points.length + DISTANCE_MAX + 1
    const distinct = [...new Set(points)]
    this.#patterns = new Uint8Array((distinct.length + 1) * stride)
    for (let i = 0; i < points.length; i++) {
      const row = (distinct.indexOf(points[i]!) + 1) * stride
      for (let bit = 0; bit < PATTERN_BITS && bit <= i; bit++) {
        this.#patterns[row + i - bit]! |= 1 << bit
      }
    }
    this.#firstRow = stride
    const wide = distinct.filter((point) => point >= 0x80)
    this.#wide = Int32Array.from(wide)
    this.#wideRows = Int32Array.from(wide, (point) => (distinct.indexOf(point) + 1) * stride)
    distinct.forEach((point, i) => {
      if (point < 0x80) this.#rows[point] = (i + 1) * stride
      else this.#leads[utf8(point)[0]!] = 1
    })
  }

  /**
   * The state after `label`, which follows `key[0, length)`; `DEAD` when no key that goes on so is
   * accepted.
   */
  step(state: number, label: number, key: Uint8Array, length: number): number {
    // States below SETTLED are START; those with an id of SETTLED stay.
    if (label >= 0x80 || state < SETTLED || this.options.prefix) {
      return this.#stepByte(state, label, key, length)
    }
    const pattern = this.#patterns[this.#rows[label]! + (state >>> BASE_SHIFT)]!
    const step = this.#steps[(state & ID_BITS) | pattern]!
    return step === DEAD ? DEAD : (state & ~ID_MASK) + step
  }

  /** The distance of a key that ends in `state`, or `FAR`. */
  distance(state: number): number {
    if (this.options.prefix) {
      const best = (state >>> BEST_SHIFT) & 3
      return best === 0 ? FAR : best - 1
    }
    if ((state & MISSING_MASK) !== 0) return FAR
    return this.#accepts[acceptSlot(state, this.length)]!
  }

  /** The distance of the empty key, or `FAR`. */
  get emptyDistance(): number {
    return this.length <= this.#limit(this.length === 0) ? this.length : FAR
  }

  /** Whether `key[0, length)` begins with the query's first code point, or both are empty. */
  beginsSame(key: Uint8Array, length: number): boolean {
    const first = this.#firstBytes
    if (first.length === 0 || length < first.length) return first.length === length
    for (let i = 0; i < first.length; i++) if (key[i] !== first[i]) return false
    return true
  }

  #stepByte(state: number, label: number, key: Uint8Array, length: number): number {
    if ((state & ID_BITS) === SETTLED) return state
    const missing = state & MISSING_MASK
    if (missing === 0) {
      if (label < 0x80) return this.#stepRow(state, this.#rows[label]!)
      const more = missingAfter(label)
      if (more === 0) return this.#stepRow(state, 0)
      if (this.#leads[label] === 0 && this.#stepRow(state, 0) === DEAD) return DEAD
      return state + more
    }
    if (missing > 1) return state - 1
    return this.#stepRow(state - 1, this.#wideRow(codePoint(key, length, label)))
  }

  #wideRow(point: number): number {
    const wide = this.#wide
    for (let i = 0; i < wide.length; i++) if (wide[i] === point) return this.#wideRows[i]!
    return 0
  }

  /** The state after a whole code point. */
  #stepRow(state: number, row: number): number {
    if ((state & ID_BITS) === START) {
      const limit = this.#limit(row === this.#firstRow && this.length > 0)
      if (limit < 0) return DEAD
      state = this.#initial[limit]!
      if (this.options.prefix && this.length <= limit) state += (this.length + 1) << BEST_SHIFT
    }
    const pattern = this.#patterns[row + (state >>> BASE_SHIFT)]!
    const step = this.#steps[(state & ID_BITS) | pattern]!
    const next = step === DEAD ? DEAD : (state & ~ID_MASK) + step
    return this.options.prefix ? this.#keepBest(state, next) : next
  }

  /** Carries the least distance over from `state`, or lowers it; settles when it cannot fall. */
  #keepBest(state: number, next: number): number {
    let best = (state >>> BEST_SHIFT) & 3
    if (next !== DEAD) {
      const distance = this.#accepts[acceptSlot(next, this.length)]!
      if (distance !== FAR && (best === 0 || distance < best - 1)) best = distance + 1
      const least = this.#edits[(next & ID_MASK) >>> PATTERN_BITS]!
      if (best === 0 || least < best - 1) return next + (best << BEST_SHIFT)
    }
    return best === 0 ? DEAD : SETTLED + (best << BEST_SHIFT)
  }

  #limit(sameFirst: boolean): number {
    return sameFirst ? this.options.maxDistance : this.options.otherFirstDistanceMax
  }
}

/** How many bytes follow a lead byte; 0 for bytes that begin nothing. */
const missingAfter = (label: number): number => {
  if (label < 0xc0 || label >= 0xf8) return 0
  return label < 0xe0 ? 1 : label < 0xf0 ? 2 : 3
}

/** The code point that ends with `last`, after `key[0, length)`. */
function codePoint(key: Uint8Array, length: number, last: number): number {
  let lead = length - 1
  while (lead > 0 && length - lead < 3 && (key[lead]! & 0xc0) === 0x80) lead--
  let point = key[lead]! & (0x3f >> (length - lead))
  for (let i = lead + 1; i < length; i++) point = (point << 6) | (key[i]! & 0x3f)
  return (point << 6) | (last & 0x3f)
}

const encoder = new TextEncoder()
const utf8 = (point: number): Uint8Array => encoder.encode(String.fromCodePoint(point))
