// Keys as bytes: hashes, comparison, and a set that numbers new keys. The set serves objects of
// many members, where comparing all pairs would take quadratic time; its hash has a secret key, so
// a client cannot prepare keys that collide.
import { lengthened } from '../bytes/index.ts'
import { JsonBuffer } from './buffer.ts'

/** Up to this many keys are compared one by one, by their FNV hash first. */
export const LINEAR_KEYS_MAX = 24

const FNV_BASIS = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
const SLOTS_MIN = 128
const SLOTS_KEPT_MAX = 8192
/**
 * Drawn with the first hash: most threads need no secret, and the module that draws it is slow to
 * load.
 */
let secret: Int32Array | null = null

/** Returns FNV-1a of bytes[from, to), 32 bits, signed. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = FNV_BASIS
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, FNV_PRIME)
  return hash
}

/** Returns true if a[aFrom, aFrom + length) equals b[bFrom, bFrom + length). */
export function equalRanges(
  a: Uint8Array,
  aFrom: number,
  b: Uint8Array,
  bFrom: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (a[aFrom + i] !== b[bFrom + i]) return false
  return true
}

/**
 * Returns HalfSipHash-1-3 (Aumasson and Bernstein, SipHash, 2012; the variant with 32-bit words)
 * with a key that this process drew. Hashes never leave the process.
 */
function keyedHash(bytes: Uint8Array, from: number, to: number): number {
  secret ??= crypto.getRandomValues(new Int32Array(2))
  let v0 = secret[0]!
  let v1 = secret[1]!
  let v2 = 0x6c796765 ^ v0
  let v3 = 0x74656462 ^ v1
  const length = to - from
  let rounds = 0
  let at = from
  while (rounds < 3) {
    let word = 0
    if (to - at >= 4) {
      word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      at += 4
    } else if (at <= to) {
      word = length << 24
      for (let shift = 0; at < to; at++, shift += 8) word |= bytes[at]! << shift
      at = to + 1
    } else {
      if (rounds === 0) v2 ^= 0xff
      rounds++
    }
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = rotl(v1, 5) ^ v0
    v0 = rotl(v0, 16)
    v2 = (v2 + v3) | 0
    v3 = rotl(v3, 8) ^ v2
    v0 = (v0 + v3) | 0
    v3 = rotl(v3, 7) ^ v0
    v2 = (v2 + v1) | 0
    v1 = rotl(v1, 13) ^ v2
    v2 = rotl(v2, 16)
    v0 ^= word
  }
  return v1 ^ v3
}

const rotl = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** Numbers keys in order of first appearance: 0, 1, 2 … Stores a copy of each. */
export class KeySet {
  count = 0
  readonly #keys = new JsonBuffer(512)
  #ends = new Uint32Array(SLOTS_MIN)
  #hashes = new Int32Array(SLOTS_MIN)
  /** Number of a key + 1, or 0; open addressing, at most half full. */
  #slots = new Uint32Array(SLOTS_MIN * 2)

  /** Returns the number of the key bytes[from, to); a new key increases `count`. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const hash = keyedHash(bytes, from, to)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let n = this.#slots[slot]!; n !== 0; n = this.#slots[slot]!) {
      if (this.#hashes[n - 1] === hash && this.#is(n - 1, bytes, from, to)) return n - 1
      slot = (slot + 1) & mask
    }
    if (this.count === this.#ends.length) return this.#grow(bytes, from, to)
    this.#keys.append(bytes, from, to)
    this.#ends[this.count] = this.#keys.length
    this.#hashes[this.count] = hash
    this.#slots[slot] = ++this.count
    return this.count - 1
  }

  clear(): void {
    if (this.count === 0) return
    this.count = 0
    this.#keys.clear()
    if (this.#slots.length <= SLOTS_KEPT_MAX) {
      this.#slots.fill(0)
      return
    }
    this.#ends = new Uint32Array(SLOTS_MIN)
    this.#hashes = new Int32Array(SLOTS_MIN)
    this.#slots = new Uint32Array(SLOTS_MIN * 2)
  }

  #is(n: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = n === 0 ? 0 : this.#ends[n - 1]!
    if (this.#ends[n]! - start !== to - from) return false
    return equalRanges(this.#keys.bytes, start, bytes, from, to - from)
  }

  /** Doubles the table, then adds the key. */
  #grow(bytes: Uint8Array, from: number, to: number): number {
    const size = this.#ends.length * 2
    this.#ends = lengthened(this.#ends, size)
    this.#hashes = lengthened(this.#hashes, size)
    this.#slots = new Uint32Array(size * 2)
    const mask = size * 2 - 1
    for (let n = 0; n < this.count; n++) {
      let slot = this.#hashes[n]! & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = n + 1
    }
    return this.add(bytes, from, to)
  }
}
