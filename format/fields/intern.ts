// Assigns small consecutive ids to byte strings and numbers while a segment is built. Open
// addressing over typed arrays: a Map of strings has to decode every string first.
import { lengthened, withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { ORIGINAL_BYTES_MAX } from './limits.ts'

const EMPTY = 0
const LOAD_NUMERATOR = 5
const LOAD_DENOMINATOR = 8

/** Distinct byte strings: string i is `bytes[starts[i], starts[i + 1])`. */
export class ByteInterner {
  #bytes = new Uint8Array(256)
  #starts = new Uint32Array(17)
  #hashes = new Uint32Array(16)
  /** Id + 1 by hash; 0 for a free slot. */
  #slots = new Uint32Array(32)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** All strings, concatenated; valid until the next `intern`. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Start of each string, plus the end of the last; valid until the next `intern`. */
  get starts(): Uint32Array {
    return this.#starts
  }

  /**
   * Returns the id of `source[from, to)`. A new string gets the next id, `count` before the call.
   */
  intern(source: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(source, from, to)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const found = this.#slots[slot]!
      if (found === EMPTY) break
      if (this.#hashes[found - 1] === hash && this.#equals(found - 1, source, from, to)) {
        return found - 1
      }
      slot = (slot + 1) & mask
    }
    this.#slots[slot] = this.#count + 1
    return this.#append(hash, source, from, to)
  }

  #equals(id: number, source: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[id]!
    const length = to - from
    if (this.#starts[id + 1]! - start !== length) return false
    const bytes = this.#bytes
    for (let i = 0; i < length; i++) if (bytes[start + i] !== source[from + i]) return false
    return true
  }

  #append(hash: number, source: Uint8Array, from: number, to: number): number {
    assert(to - from <= ORIGINAL_BYTES_MAX, 'a string has at most ORIGINAL_BYTES_MAX bytes')
    const id = this.#count
    const start = this.#starts[id]!
    const end = start + to - from
    assert(end < 2 ** 32, 'the strings of a segment in the making stay below 4 GiB')
    this.#bytes = withRoom(this.#bytes, end)
    if (to - from < 32) for (let i = from, at = start; i < to; i++) this.#bytes[at++] = source[i]!
    else this.#bytes.set(source.subarray(from, to), start)
    if (id + 1 === this.#starts.length - 1) {
      this.#starts = lengthened(this.#starts, (id + 1) * 2 + 1)
      this.#hashes = lengthened(this.#hashes, (id + 1) * 2)
    }
    this.#starts[id + 1] = end
    this.#hashes[id] = hash
    this.#count = id + 1
    if (this.#count * LOAD_DENOMINATOR > this.#slots.length * LOAD_NUMERATOR) this.#rehash()
    return id
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let id = 0; id < this.#count; id++) {
      let slot = this.#hashes[id]! & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = id + 1
    }
    this.#slots = slots
  }
}

/**
 * Hashes four bytes at a time by multiplying and rotating, then mixes (as in MurmurHash3, public
 * domain).
 */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = (to - from) ^ 0x9e3779b9
  let i = from
  for (; i + 4 <= to; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    hash = mixIn(hash, word)
  }
  let rest = 0
  for (; i < to; i++) rest = (rest << 8) | bytes[i]!
  return finish(mixIn(hash, rest))
}

const mixIn = (hash: number, word: number): number => {
  const mixed = Math.imul(word, 0xcc9e2d51)
  hash ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
}

const finish = (hash: number): number => {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const doubleBits = new Float64Array(1)
const doubleWords = new Uint32Array(doubleBits.buffer)

/**
 * Distinct numbers: doubles, compared by their bits, so that -0 and 0 are different, with a residue
 * (./FIELDS.md).
 */
export class NumberInterner {
  #values = new Float64Array(16)
  /** Parallel to the values; null as long as all residues are 0. */
  #residues: Int16Array | null = null
  #slots = new Uint32Array(32)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** The distinct values by id; a view, valid until the next `intern`. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.#count)
  }

  /** The residues of the values by id, or null if all are 0; valid until the next `intern`. */
  get residues(): Int16Array | null {
    return this.#residues?.subarray(0, this.#count) ?? null
  }

  /** Returns the id of a number. A new one gets the next id, `count` before the call. */
  intern(value: number, residue = 0): number {
    const mask = this.#slots.length - 1
    let slot = hashNumber(value, residue) & mask
    for (;;) {
      const found = this.#slots[slot]!
      if (found === EMPTY) break
      if (Object.is(this.#values[found - 1], value) && this.#residueOf(found - 1) === residue) {
        return found - 1
      }
      slot = (slot + 1) & mask
    }
    const id = this.#count++
    this.#slots[slot] = id + 1
    if (id === this.#values.length) this.#grow()
    this.#values[id] = value
    if (residue !== 0) this.#residues ??= new Int16Array(this.#values.length)
    if (this.#residues !== null) this.#residues[id] = residue
    if (this.#count * LOAD_DENOMINATOR > this.#slots.length * LOAD_NUMERATOR) this.#rehash()
    return id
  }

  #residueOf(id: number): number {
    return this.#residues === null ? 0 : this.#residues[id]!
  }

  #grow(): void {
    const size = this.#values.length * 2
    this.#values = lengthened(this.#values, size)
    if (this.#residues !== null) this.#residues = lengthened(this.#residues, size)
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let id = 0; id < this.#count; id++) {
      let slot = hashNumber(this.#values[id]!, this.#residueOf(id)) & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = id + 1
    }
    this.#slots = slots
  }
}

function hashNumber(value: number, residue: number): number {
  doubleBits[0] = value
  return finish(mixIn(doubleWords[0]! ^ residue, doubleWords[1]!))
}
