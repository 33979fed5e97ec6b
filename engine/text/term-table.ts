// Terms and their numbers. Bytes are stored one after another in one arena. Hash tables with open
// addressing find the number of a term, and of a *raw* token seen before, so that each spelling is
// normalised once. Memory is a few typed arrays, so it can be counted and released as a whole.
import { lengthened, withRoom } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/**
 * Words of a raw entry: two of key, tag and length, value. The key of a token of up to eight bytes
 * is the bytes themselves, of a longer one hash and offset in the arena. An entry is a quarter of a
 * cache line and is stored in its slot, so finding a frequent word touches one line: 1.4 times the
 * speed of slots that point at entries that point at bytes (movies, 2-core EPYC).
 */
const RAW_STRIDE = 4
const SHORT_BYTES_MAX = 8
/** Words of a term: hash, offset in the arena, length. */
const TERM_STRIDE = 3
const SLOTS_MIN = 1024

/** FNV-1a; `mix` spreads it over the low bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash
}

const mix = (hash: number): number => {
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}

const shortHash = (high: number, low: number, meta: number): number =>
  mix(Math.imul(low, 0x01000193) ^ Math.imul(high + meta, 0x85ebca6b))

/** Nothing is cached for a raw token. Values besides terms are other negative numbers. */
export const NO_RAW = -1

export class TermTable {
  #arena = new Uint8Array(1 << 16)
  #arenaBytes = 0
  #terms = new Uint32Array(256 * TERM_STRIDE)
  #termCount = 0
  #termSlots = new Int32Array(SLOTS_MIN)
  #raws = new Int32Array(SLOTS_MIN * RAW_STRIDE)
  #rawCount = 0

  get termCount(): number {
    return this.#termCount
  }

  /** Returns the bytes of a term: a view, valid until the next term is added. */
  termBytes(id: number): Uint8Array {
    assert(id < this.#termCount, 'a term id was given out by this table')
    const offset = this.#terms[id * TERM_STRIDE + 1]!
    return this.#arena.subarray(offset, offset + this.#terms[id * TERM_STRIDE + 2]!)
  }

  /** The arena and, per term, offset and length at `id * 3 + 1` and `+ 2`: for sorting. Views. */
  layout(): { readonly arena: Uint8Array; readonly terms: Uint32Array } {
    return { arena: this.#arena, terms: this.#terms }
  }

  /** Drops all entries; keeps the memory for reuse. */
  reset(): void {
    this.#arenaBytes = 0
    this.#termCount = 0
    this.#rawCount = 0
    this.#termSlots.fill(0)
    this.#raws.fill(0)
  }

  /**
   * Returns the cached value of the raw token bytes[from, to), or NO_RAW. `high` and `low` are its
   * last eight bytes as one big-endian number, padded with zeros in front. `tag` (of 16 bits)
   * distinguishes equal bytes that are normalised in different ways.
   */
  findRaw(
    bytes: Uint8Array,
    from: number,
    to: number,
    high: number,
    low: number,
    tag: number,
  ): number {
    const raws = this.#raws
    const mask = raws.length - RAW_STRIDE
    const length = to - from
    const meta = (tag << 16) | length
    if (length <= SHORT_BYTES_MAX) {
      for (let at = shortHash(high, low, meta) & mask; ; at = (at + RAW_STRIDE) & mask) {
        const found = raws[at + 2]!
        if (found === meta && raws[at + 1] === low && raws[at] === high) return raws[at + 3]!
        if (found === 0) return NO_RAW
      }
    }
    const hash = hashOf(bytes, from, to)
    for (let at = mix(hash ^ meta) & mask; ; at = (at + RAW_STRIDE) & mask) {
      const found = raws[at + 2]!
      if (found === 0) return NO_RAW
      if (found !== meta || raws[at] !== hash) continue
      if (sameBytes(this.#arena, raws[at + 1]!, bytes, from, length)) return raws[at + 3]!
    }
  }

  /**
   * Caches `value` (not NO_RAW) for a raw token of less than 64 KiB that is not in the table yet.
   */
  addRaw(
    bytes: Uint8Array,
    from: number,
    to: number,
    high: number,
    low: number,
    tag: number,
    value: number,
  ): void {
    const length = to - from
    assert(length > 0 && length < 0x10000 && tag < 0x10000, 'a raw token fits its entry')
    if (++this.#rawCount * 2 * RAW_STRIDE > this.#raws.length) this.#growRaws()
    const meta = (tag << 16) | length
    if (length <= SHORT_BYTES_MAX) {
      putEntry(this.#raws, shortHash(high, low, meta), high, low, meta, value)
      return
    }
    const hash = hashOf(bytes, from, to)
    const offset = this.#rawOffset(bytes, from, length, value)
    putEntry(this.#raws, mix(hash ^ meta), hash, offset, meta, value)
  }

  /** Returns the offset of a raw token; one that equals its term shares the term's bytes. */
  #rawOffset(bytes: Uint8Array, from: number, length: number, value: number): number {
    if (value >= 0 && this.#terms[value * TERM_STRIDE + 2] === length) {
      const offset = this.#terms[value * TERM_STRIDE + 1]!
      if (sameBytes(this.#arena, offset, bytes, from, length)) return offset
    }
    return this.#append(bytes, from, from + length)
  }

  #growRaws(): void {
    const old = this.#raws
    this.#raws = new Int32Array(old.length * 2)
    for (let at = 0; at < old.length; at += RAW_STRIDE) {
      const meta = old[at + 2]!
      if (meta === 0) continue
      const first = old[at]!
      const second = old[at + 1]!
      const short = (meta & 0xffff) <= SHORT_BYTES_MAX
      const start = short ? shortHash(first, second, meta) : mix(first ^ meta)
      putEntry(this.#raws, start, first, second, meta, old[at + 3]!)
    }
  }

  /** Returns the number of the term bytes[from, to); adds the term if it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to)
    const terms = this.#terms
    const slots = this.#termSlots
    const mask = slots.length - 1
    const length = to - from
    for (let slot = mix(hash) & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1
      if (id < 0) return this.#addTerm(bytes, from, to, hash)
      const at = id * TERM_STRIDE
      if (terms[at]! !== hash >>> 0 || terms[at + 2]! !== length) continue
      if (sameBytes(this.#arena, terms[at + 1]!, bytes, from, length)) return id
    }
  }

  #addTerm(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const id = this.#termCount++
    const at = id * TERM_STRIDE
    if (at === this.#terms.length) this.#terms = lengthened(this.#terms, at * 2)
    this.#terms[at] = hash
    this.#terms[at + 1] = this.#append(bytes, from, to)
    this.#terms[at + 2] = to - from
    if (this.#termCount * 2 > this.#termSlots.length) this.#rehashTerms()
    else insert(this.#termSlots, mix(hash), id + 1)
    return id
  }

  #append(bytes: Uint8Array, from: number, to: number): number {
    const offset = this.#arenaBytes
    const end = offset + to - from
    this.#arena = withRoom(this.#arena, end)
    const arena = this.#arena
    for (let i = from, at = offset; i < to; i++, at++) arena[at] = bytes[i]!
    this.#arenaBytes = end
    return offset
  }

  #rehashTerms(): void {
    this.#termSlots = new Int32Array(this.#termSlots.length * 2)
    for (let id = 0; id < this.#termCount; id++) {
      insert(this.#termSlots, mix(this.#terms[id * TERM_STRIDE]!), id + 1)
    }
  }
}

/** Puts a raw token that is not in the table yet into the first free entry. */
function putEntry(
  raws: Int32Array,
  start: number,
  first: number,
  second: number,
  meta: number,
  value: number,
): void {
  const mask = raws.length - RAW_STRIDE
  let at = start & mask
  while (raws[at + 2] !== 0) at = (at + RAW_STRIDE) & mask
  raws[at] = first
  raws[at + 1] = second
  raws[at + 2] = meta
  raws[at + 3] = value
}

/** Puts a number that is not in the table yet into the first free slot. */
function insert(slots: Int32Array, start: number, value: number): void {
  const mask = slots.length - 1
  let slot = start & mask
  while (slots[slot] !== 0) slot = (slot + 1) & mask
  slots[slot] = value
}

function sameBytes(
  arena: Uint8Array,
  offset: number,
  bytes: Uint8Array,
  from: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (arena[offset + i]! !== bytes[from + i]!) return false
  return true
}
