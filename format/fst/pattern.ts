// One query word prepared for the walk: where each code point occurs in it, and how the automaton
// moves on the bytes of a key · page: ./LEVENSHTEIN.md
//
// The states of ./parametric.ts leave their low five bits unused. They hold here:
//   bits 0–1  bytes still missing of a code point whose lead byte was read
//   bits 2–3  prefix mode: the least distance of a prefix so far + 1, or 0
import { encoder } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import {
  type Automata,
  acceptSlot,
  automata,
  BASE_SHIFT,
  DEAD,
  DISTANCE_MAX,
  FAR,
  ID_BITS,
  ID_MASK,
  PATTERN_BITS,
  SETTLED,
  START,
} from './parametric.ts'

/** Longest query in bytes. The table of occurrences takes (code points)² bytes. */
export const FUZZY_QUERY_BYTES_MAX = 1024

/** Scratch of the constructor. */
const queryBytes = new Uint8Array(FUZZY_QUERY_BYTES_MAX)
const NONE = new Int32Array(0)
const NO_LEADS = new Uint8Array(256)
const MISSING_MASK = 3
const BEST_SHIFT = 2

export type FuzzyOptions = {
  readonly maxDistance: 1 | 2
  /**
   * Accepts a key if one of its prefixes is near enough; its distance is that of the nearest
   * prefix.
   */
  readonly prefix: boolean
  /** Greatest distance of keys that begin with another code point; -1 refuses all of them. */
  readonly otherFirstDistanceMax: -1 | 0 | 1 | 2
}

export class FuzzyPattern {
  /** Number of code points of the query. */
  readonly length: number
  readonly #options: FuzzyOptions
  readonly #prefix: boolean
  readonly #automata: Automata
  readonly steps: Uint16Array
  /**
   * By row + base: the pattern of a code point. Row 0 is for code points that are not in the query.
   */
  readonly patterns: Uint8Array
  /** Row by ASCII code point. */
  readonly rows = new Int32Array(128)
  /** The query's code points above ASCII, and their rows. */
  #wide = NONE
  #wideRows = NONE
  #wideCount = 0
  /** By byte: 1 if it is the lead byte of a multi-byte code point of the query. */
  #leads = NO_LEADS
  readonly #firstRow: number
  /** UTF-8 of the first code point; empty if the query is empty. */
  readonly #firstBytes: Uint8Array

  constructor(query: string, options: FuzzyOptions) {
    assert(options.otherFirstDistanceMax <= options.maxDistance, 'the first letter is not freer')
    // Goes through UTF-8, so a lone surrogate becomes U+FFFD as it does in a dictionary.
    const { read, written } = encoder.encodeInto(query, queryBytes)
    assert(read === query.length, 'a query word is at most 1,024 bytes long')
    this.#options = options
    this.#prefix = options.prefix
    this.#automata = automata()
    this.steps = this.#automata.steps
    let length = 0
    for (let at = 0; at < written; at += pointBytes(queryBytes[at]!)) length++
    this.length = length
    // Bases go up to the length plus the greatest distance; each code point may need a row.
    const stride = length + DISTANCE_MAX + 1
    this.patterns = new Uint8Array((length + 1) * stride)
    this.#firstRow = stride
    this.#firstBytes = queryBytes.slice(0, length === 0 ? 0 : pointBytes(queryBytes[0]!))
    let rows = 1
    for (let i = 0, at = 0; i < length; i++) {
      const bytes = pointBytes(queryBytes[at]!)
      const point = codePoint(queryBytes, at, bytes)
      let row = point < 0x80 ? this.rows[point]! : this.#wideRow(point)
      if (row === 0) {
        row = stride * rows++
        if (point < 0x80) this.rows[point] = row
        else this.#addWide(point, row, queryBytes[at]!)
      }
      for (let bit = 0; bit < PATTERN_BITS && bit <= i; bit++) {
        this.patterns[row + i - bit]! |= 1 << bit
      }
      at += bytes
    }
  }

  /**
   * Returns the state after `label`, which follows `key[0, length)`, or `DEAD` if no key with this
   * beginning is accepted.
   */
  step(state: number, label: number, key: Uint8Array, length: number): number {
    if (label >= 0x80 || !this.isPlain(state)) {
      return this.#stepByte(state, label, key, length)
    }
    const pattern = this.patterns[this.rows[label]! + (state >>> BASE_SHIFT)]!
    const step = this.steps[(state & ID_BITS) | pattern]!
    return step === DEAD ? DEAD : (state & ~ID_MASK) + step
  }

  /** Returns true if `step` only reads its tables for ASCII labels. */
  isPlain(state: number): boolean {
    // The only id below SETTLED other than DEAD is START.
    return !this.#prefix && state >= SETTLED
  }

  /** Returns the distance of a key that ends in `state`, or `FAR`. */
  distance(state: number): number {
    if (this.#prefix) {
      const best = (state >>> BEST_SHIFT) & 3
      return best === 0 ? FAR : best - 1
    }
    if ((state & MISSING_MASK) !== 0) return FAR
    return this.#automata.accepts[acceptSlot(state, this.length)]!
  }

  /** Distance of the empty key, or `FAR`. */
  get emptyDistance(): number {
    return this.length <= this.#limit(this.length === 0) ? this.length : FAR
  }

  /**
   * Returns true if `key[0, length)` begins with the query's first code point, or both are empty.
   */
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
      if (label < 0x80) return this.#stepRow(state, this.rows[label]!)
      const more = missingAfter(label)
      if (more === 0) return this.#stepRow(state, 0)
      if (this.#leads[label] === 0 && this.#stepRow(state, 0) === DEAD) return DEAD
      return state + more
    }
    if (missing > 1) return state - 1
    let lead = length - 1
    while (lead > 0 && length - lead < 3 && (key[lead]! & 0xc0) === 0x80) lead--
    const point = (codePoint(key, lead, length - lead) << 6) | (label & 0x3f)
    return this.#stepRow(state - 1, this.#wideRow(point))
  }

  #wideRow(point: number): number {
    const wide = this.#wide
    for (let i = 0; i < this.#wideCount; i++) if (wide[i] === point) return this.#wideRows[i]!
    return 0
  }

  #addWide(point: number, row: number, lead: number): void {
    if (this.#wideCount === 0) {
      this.#wide = new Int32Array(this.length)
      this.#wideRows = new Int32Array(this.length)
      this.#leads = new Uint8Array(256)
    }
    this.#wide[this.#wideCount] = point
    this.#wideRows[this.#wideCount++] = row
    this.#leads[lead] = 1
  }

  /** Returns the state after a whole code point. */
  #stepRow(state: number, row: number): number {
    if ((state & ID_BITS) === START) {
      const limit = this.#limit(row === this.#firstRow && this.length > 0)
      if (limit < 0) return DEAD
      state = this.#automata.initial[limit]!
      if (this.#prefix && this.length <= limit) state += (this.length + 1) << BEST_SHIFT
    }
    const pattern = this.patterns[row + (state >>> BASE_SHIFT)]!
    const step = this.steps[(state & ID_BITS) | pattern]!
    const next = step === DEAD ? DEAD : (state & ~ID_MASK) + step
    return this.#prefix ? this.#keepBest(state, next) : next
  }

  /**
   * Copies the least distance from `state` to `next`, or lowers it; settles when it cannot get
   * lower.
   */
  #keepBest(state: number, next: number): number {
    let best = (state >>> BEST_SHIFT) & 3
    if (next !== DEAD) {
      const distance = this.#automata.accepts[acceptSlot(next, this.length)]!
      if (distance !== FAR && (best === 0 || distance < best - 1)) best = distance + 1
      const least = this.#automata.edits[(next & ID_MASK) >>> PATTERN_BITS]!
      if (best === 0 || least < best - 1) return next + (best << BEST_SHIFT)
    }
    return best === 0 ? DEAD : SETTLED + (best << BEST_SHIFT)
  }

  #limit(sameFirst: boolean): number {
    return sameFirst ? this.#options.maxDistance : this.#options.otherFirstDistanceMax
  }
}

/** Number of bytes that follow a lead byte; 0 for bytes that are not lead bytes. */
const missingAfter = (label: number): number => {
  if (label < 0xc0 || label >= 0xf8) return 0
  return label < 0xe0 ? 1 : label < 0xf0 ? 2 : 3
}

const pointBytes = (lead: number): number => missingAfter(lead) + 1

/**
 * Decodes the code point in `bytes[at, at + length)`; without its last byte, all but its last six
 * bits.
 */
function codePoint(bytes: Uint8Array, at: number, length: number): number {
  const lead = bytes[at]!
  let point = lead < 0x80 ? lead : lead & (0x3f >>> missingAfter(lead))
  for (let i = 1; i < length; i++) point = (point << 6) | (bytes[at + i]! & 0x3f)
  return point
}
